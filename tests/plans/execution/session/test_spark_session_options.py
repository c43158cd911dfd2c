"""Session options of a program apply to the run: above all the time zone, which its plan stores.

`zones.json` has Flink 2.3.0's result of each call in two zones, for points in time `l` of two rows, TIMESTAMP `t`
and DATE `d`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.errors import ExecutionError, UnsupportedError
from compiled_plan.plans.execution.run import Run
from compiled_plan.plans.execution.session.options import RunOptions
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.plan.session_options import ZONE
from compiled_plan.running.plans import PlanReference

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

RECORDED: dict[str, dict[str, list[str]]] = json.loads((Path(__file__).parent / "zones.json").read_text())
POINTS = (
    "SELECT TO_TIMESTAMP_LTZ(x, 3) AS l, TIMESTAMP '2023-11-14 22:13:20' AS t, DATE '2023-11-14' AS d, "
    "x = 1700000000000 AS first_row FROM (VALUES (CAST(1700000000000 AS BIGINT)), (1690000000000)) AS v(x)"
)


def printed(spark: SparkSession, plan: CompiledPlan, **settings: Any) -> list[str]:
    """The lines that a plan prints, after a round trip through its text."""
    lines: list[str] = []
    Run(spark, CompiledPlan.from_json(plan.to_json()), RunOptions(**settings), lines.append).execute()
    return lines


def sink(names: str) -> str:
    return f"CREATE TABLE o ({', '.join(f'{name} STRING' for name in names.split())}) WITH ('connector' = 'print');"


@pytest.mark.wide
@pytest.mark.parametrize(
    ("zone", "step"), [("Asia/Kolkata", 1), ("GMT-08:00", 5), pytest.param("GMT-08:00", 1, marks=pytest.mark.deep)]
)
def test_functions_in_the_zone_of_the_program(spark: SparkSession, zone: str, step: int) -> None:
    recorded = {call: RECORDED[call] for call in [*RECORDED][::step]}
    calls = ", ".join(f"CAST({call} AS STRING)" for call in recorded)
    env = TableEnvironment()
    env.execute_sql(f"SET 'table.local-time-zone' = '{zone}'; CREATE VIEW v AS {POINTS}")
    with env.execute_sql(f"SELECT CAST(first_row AS STRING), {calls} FROM v").collect() as rows:
        row_by_name = {row[0]: row[1:] for row in rows}
    for number, first in enumerate(("TRUE", "FALSE")):
        got = dict(zip(recorded, row_by_name[first], strict=True))
        # Flink reads the rows of a set in any order.
        wanted = {call: results[zone] for call, results in recorded.items()}
        differing = {call: (got[call], wanted[call]) for call in recorded if got[call] not in wanted[call]}
        assert not differing, number


PROGRAM = sink("a b c") + (
    "INSERT INTO o SELECT CAST(l AS STRING), FROM_UNIXTIME(0), DATE_FORMAT(l, 'HH') "
    f"FROM ({POINTS}) AS v WHERE first_row;"
)
IN_TOKYO = ["+I[2023-11-15 07:13:20.000, 1970-01-01 09:00:00, 07]"]
IN_UTC = ["+I[2023-11-14 22:13:20.000, 1970-01-01 00:00:00, 22]"]
IN_BERLIN = ["+I[2023-11-14 23:13:20.000, 1970-01-01 01:00:00, 23]"]


@pytest.mark.wide
def test_precedence_of_time_zones(spark: SparkSession) -> None:
    plan = TableEnvironment().compile_script("SET 'table.local-time-zone' = 'Asia/Tokyo';" + PROGRAM)
    open_ = TableEnvironment().compile_script(PROGRAM)
    assert printed(spark, plan) == IN_TOKYO
    assert printed(spark, plan, time_zone="Europe/Berlin") == IN_BERLIN
    assert printed(spark, open_) == IN_UTC
    assert printed(spark, open_, time_zone="Europe/Berlin") == IN_BERLIN


@pytest.mark.wide
def test_zones_in_a_program(spark: SparkSession, capsys: pytest.CaptureFixture[str]) -> None:
    """The plan's zone wins over that of the session that runs it, and execute's argument over both."""
    zoned = TableEnvironment({ZONE: "Asia/Tokyo"}).compile_script(PROGRAM).to_json()
    open_ = TableEnvironment().compile_script(PROGRAM).to_json()
    env = TableEnvironment({ZONE: "Europe/Berlin"})
    for text, wanted in ((zoned, IN_TOKYO), (open_, IN_BERLIN)):
        env.execute_plan(PlanReference.from_json_string(text)).wait()
        assert capsys.readouterr().out.splitlines() == wanted
    env.execute_sql("SET 'table.dml-sync' = 'true'")
    env.execute_sql(PROGRAM + "SET 'table.local-time-zone' = 'UTC';" + PROGRAM[PROGRAM.index("INSERT") :])
    assert capsys.readouterr().out.splitlines() == [*IN_BERLIN, *IN_UTC]
    env.load_plan(PlanReference.from_json_string(zoned)).execute(time_zone="UTC").wait()
    assert capsys.readouterr().out.splitlines() == IN_UTC


def test_options_of_a_run_in_a_program(spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An unbounded source ends with `available_now`, and the next run continues from the checkpoint."""
    program = f"""
    CREATE TABLE numbers (n INT) WITH ('connector' = 'filesystem', 'path' = '{tmp_path}/numbers', 'format' = 'json',
      'source.monitor-interval' = '1 s');
    CREATE TABLE lines (n INT) WITH ('connector' = 'print');
    INSERT INTO lines SELECT n FROM numbers;
    """
    (tmp_path / "numbers").mkdir()
    for number in (1, 2):
        (tmp_path / f"numbers/{number}.json").write_text(f'{{"n": {number}}}\n')
        plan = TableEnvironment().compile_script(program)
        plan.execute(checkpoint=str(tmp_path / "checkpoint"), available_now=True, stop_within="5s").wait()
        assert capsys.readouterr().out.splitlines() == [f"+I[{number}]"]


@pytest.mark.wide
def test_windows_and_clocks(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "in.json").write_text('{"ts": "2023-11-14 22:13:20Z"}\n{"ts": "2023-11-15 01:00:00Z"}\n')
    program = f"""
    SET 'table.local-time-zone' = 'Asia/Tokyo';
    CREATE TABLE t (ts TIMESTAMP_LTZ(3), WATERMARK FOR ts AS ts)
    WITH ('connector' = 'filesystem', 'path' = '{tmp_path}/in.json', 'format' = 'json');
    {sink("a b c d")}
    INSERT INTO o SELECT CAST(window_start AS STRING), CAST(COUNT(*) AS STRING),
      CAST(CAST(MAX(window_time) AS TIMESTAMP_LTZ(3)) AS STRING),
      CAST(CAST(CURRENT_TIMESTAMP AS TIMESTAMP(3)) = CAST(CAST(LOCALTIMESTAMP AS STRING) AS TIMESTAMP(3))
        AND CURRENT_DATE = CAST(LOCALTIMESTAMP AS DATE) AS STRING)
    FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' DAY)) GROUP BY window_start, window_end;
    """
    plan = TableEnvironment().compile_script(program)
    assert printed(spark, plan) == ["+I[2023-11-15 00:00:00.000, 2, 2023-11-15 23:59:59.999, TRUE]"]


@pytest.mark.wide
@pytest.mark.parametrize("format_", ["json", "csv"])
def test_formats_and_print_write_points_in_utc(spark: SparkSession, tmp_path: Path, format_: str) -> None:
    """As Flink: formats and the print connector ignore the session's zone."""
    program = f"""
    SET 'table.local-time-zone' = 'Asia/Kolkata';
    CREATE TABLE o (b TIMESTAMP_LTZ(3))
    WITH ('connector' = 'filesystem', 'path' = '{tmp_path}/out', 'format' = '{format_}');
    CREATE TABLE p (b TIMESTAMP_LTZ(3), r ROW<x TIMESTAMP_LTZ(3)>) WITH ('connector' = 'print');
    EXECUTE STATEMENT SET BEGIN
      INSERT INTO o VALUES (TO_TIMESTAMP_LTZ(0, 3));
      INSERT INTO p SELECT TO_TIMESTAMP_LTZ(0, 3), ROW(TO_TIMESTAMP_LTZ(0, 3));
    END;
    """
    lines = printed(spark, TableEnvironment().compile_script(program))
    assert lines == ["+I[1970-01-01T00:00:00Z, +I[1970-01-01T00:00:00Z]]"]
    written = [path.read_text() for path in (tmp_path / "out").glob("[!.]*")]
    assert [text.strip() for text in written] == [
        {"json": '{"b":"1970-01-01 00:00:00Z"}', "csv": '"1970-01-01 00:00:00Z"'}[format_]
    ]


def test_printed_results(spark: SparkSession, capsys: pytest.CaptureFixture[str]) -> None:
    env = TableEnvironment({ZONE: "Asia/Kolkata", "table.display.max-column-width": "5"})
    env.execute_sql("SELECT TO_TIMESTAMP_LTZ(0, 3) AS b, 'abcdefghijklm' AS x").print()
    assert "| +I | 1970-01-01 05:30:00.000 | abc... |" in capsys.readouterr().out


def test_invalid_zones_and_options_are_refused(spark: SparkSession) -> None:
    plan = TableEnvironment().compile_script(PROGRAM)
    with pytest.raises(UnsupportedError, match="Mars/Phobos"):
        printed(spark, plan, time_zone="Mars/Phobos")
    data = plan.to_dict()
    data["nodes"][1]["configuration"] = {"table.exec.legacy-cast-behaviour": "ENABLED"}
    with pytest.raises(UnsupportedError, match="legacy-cast-behaviour"):
        printed(spark, CompiledPlan.from_dict(data))


STRICT = """
CREATE TABLE t (n INT, c CHAR(3), v VARCHAR(3), b VARBINARY(2), r ROW<a INT, s STRING>, rr ROW<x ROW<y INT>>,
  m MAP<STRING, INT>, l ARRAY<ROW<z INT>>)
WITH ('connector' = 'filesystem', 'path' = '{folder}', 'format' = 'json');
CREATE TABLE o (n INT, c CHAR(3), v VARCHAR(3), b VARBINARY(2), r ROW<a INT NOT NULL, s STRING>,
  rr ROW<x ROW<y INT NOT NULL> NOT NULL>, m MAP<STRING, INT NOT NULL>, l ARRAY<ROW<z INT NOT NULL> NOT NULL>)
WITH ('connector' = 'print');
INSERT INTO o SELECT * FROM t;
"""
ROWS = [
    {"c": "abc"},
    {"c": "ab"},
    {"c": "abcd"},
    {"v": "a"},
    {"v": "abcd"},
    {"b": "AQIDBA=="},
    {"r": {"s": "x"}},
    {"r": None, "rr": None},
    {"rr": {"x": None}},
    {"rr": {"x": {"y": None}}},
    {"m": {"a": None}},
    {"l": [None]},
    {"l": [{"z": 1}, {"z": None}]},
    {"l": [{"z": 1}]},
]
LENGTHS, NESTED = "table.exec.sink.type-length-enforcer", "table.exec.sink.nested-constraint-enforcer"


def strict(tmp_path: Path, options: dict[str, str], rows: list[dict[str, Any]]) -> CompiledPlan:
    lines = [json.dumps({"n": at} | row) for at, row in enumerate(rows)]
    (tmp_path / "rows.json").write_text("\n".join(lines) + "\n")
    return TableEnvironment(options).compile_script(STRICT.format(folder=tmp_path))


@pytest.mark.wide
@pytest.mark.parametrize(("nested", "dropped"), [("ROWS", {6, 8, 9}), ("ROWS_AND_COLLECTIONS", {6, 8, 9, 10, 11, 12})])
def test_rows_with_nulls_inside_are_dropped(
    spark: SparkSession, tmp_path: Path, nested: str, dropped: set[int]
) -> None:
    plan = strict(tmp_path, {NESTED: nested, "table.exec.sink.not-null-enforcer": "DROP"}, ROWS)
    left = {int(line[3:].split(",")[0]) for line in printed(spark, plan)}
    assert left == set(range(len(ROWS))) - dropped


@pytest.mark.wide
def test_lengths_are_cut_and_padded(spark: SparkSession, tmp_path: Path) -> None:
    lines = printed(spark, strict(tmp_path, {LENGTHS: "TRIM_PAD"}, ROWS[:6]))
    rows = [line.split(", ")[1:4] for line in sorted(lines)]
    assert [row[0] for row in rows[:3]] == ["abc", "ab ", "abc"]
    assert [row[1] for row in rows[3:5]] == ["a", "abc"]


@pytest.mark.wide
@pytest.mark.parametrize(
    ("options", "row", "wanted"),
    [
        ({LENGTHS: "ERROR"}, ROWS[1], r"'c' .* CHAR\(3\), and a value of length 2"),
        ({LENGTHS: "ERROR"}, ROWS[4], r"'v' .* VARCHAR\(3\), and a value of length 4"),
        ({LENGTHS: "ERROR"}, ROWS[5], r"'b' .* VARBINARY\(2\), and a value of length 4"),
        ({NESTED: "ROWS"}, ROWS[9], r"'rr\.x\.y' .* NOT NULL"),
        ({NESTED: "ROWS_AND_COLLECTIONS"}, ROWS[10], r"'m\[value\]' .* NOT NULL"),
    ],
)
def test_rows_that_a_sink_does_not_take_fail(
    spark: SparkSession, tmp_path: Path, options: dict[str, str], row: dict[str, Any], wanted: str
) -> None:
    with pytest.raises(ExecutionError, match=wanted):
        printed(spark, strict(tmp_path, options, [row]))


def test_without_the_options_rows_are_written_as_they_are(spark: SparkSession, tmp_path: Path) -> None:
    assert len(printed(spark, strict(tmp_path, {}, ROWS))) == len(ROWS)
