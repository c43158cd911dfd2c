"""Java functions of Flink in a run: in SQL, in a plan without their classes, under retraction, and their refusals.

Expected values are computed by hand from `tests/support/java/Samples.java`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest.mock import MagicMock

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.errors import ExecutionError, PlanError, UnsupportedError
from compiled_plan.plans.execution.functions import java
from compiled_plan.plans.execution.run import Run
from compiled_plan.plans.execution.session.options import RunOptions
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.rex import Call, JavaFunction
from compiled_plan.plans.types import STRING
from tests.support.java_samples import SAMPLES

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROWS = [
    {"k": "a", "n": 1, "m": 10, "w": "to be or", "p": 1.25, "arr": ["x", "y", "x"], "ts": "2024-01-01 00:00:01"},
    {"k": "b", "n": 2, "m": 20, "w": "that", "p": 2.5, "arr": [], "ts": "2024-01-01 00:00:02"},
    {"k": "a", "n": 3, "m": 30, "w": "be", "p": None, "arr": None, "ts": "2024-01-01 00:00:03"},
    {"k": "b", "n": 4, "m": None, "w": None, "p": 9.99, "arr": ["z"], "ts": "2024-01-01 00:00:12"},
]


def _function(name: str, class_: str, signature: str, kind: str = "SCALAR") -> str:
    options = f"'signature' = '{signature}', 'kind' = '{kind}'"
    return f"CREATE TEMPORARY FUNCTION {name} AS '{SAMPLES}{class_}' LANGUAGE JAVA WITH ({options});"


COUNTED = "ROW<n INT, words ARRAY<STRING>, counts MAP<STRING, INT>>"
FUNCTIONS = "\n".join(
    (
        _function(
            "shout", "Shout", "(STRING) -> STRING; (INT) -> STRING; (BOOLEAN) -> STRING; (STRING, INT...) -> STRING"
        ),
        _function("opened", "Opened", "(STRING) -> STRING"),
        _function(
            "vals",
            "Values",
            "(DECIMAL(10, 2)) -> DECIMAL(10, 2); (BIGINT) -> BIGINT; (BITMAP) -> BITMAP; (VARIANT) -> VARIANT",
        ),
        _function(
            "nested", "Nested", "(INT, ARRAY<STRING>) -> ROW<n INT, words ARRAY<STRING>, counts MAP<STRING, INT>>"
        ),
        _function("later", "Later", "(STRING) -> STRING"),
        _function("split", "Split", "(STRING) -> ROW<word STRING, length INT>", "TABLE"),
        _function("numbers", "Numbers", "(INT) -> INT", "TABLE"),
        _function("weighted", "WeightedAverage", "(BIGINT, INT) -> DOUBLE", "AGGREGATE"),
        _function("words", "Words", "(STRING) -> STRING", "AGGREGATE"),
        _function("broken", "Broken", "(STRING) -> STRING"),
    )
)
TABLES = """
CREATE TABLE t (k STRING, n INT, m BIGINT, w STRING, p DECIMAL(10, 2), arr ARRAY<STRING>, ts TIMESTAMP(3),
  WATERMARK FOR ts AS ts) WITH ('connector' = 'filesystem', 'path' = '{folder}/in', 'format' = 'json');
"""
#: Columns of each sink, its query, and its rows.
CASES: dict[str, tuple[str, str, list[list[Any]]]] = {
    "scalars": (
        "n INT, a STRING, b STRING, c STRING, d DECIMAL(10, 2), e BIGINT, f STRING, g STRING, h STRING",
        "SELECT n, shout(w), CASE WHEN n > 2 THEN shout(n) ELSE shout(k, n, 7) END, opened(k), vals(p), vals(m), "
        "later(k), shout(n > 1), shout('', n) FROM t WHERE shout(k) <> 'B!' OR n = 4",
        [
            [1, "TO BE OR!", "a,1,7", "good day a", 1.26, 11, "a~", "static false", ",1"],
            [3, "BE!", "int 3", "good day a", None, 31, "a~", "static true", ",3"],
            [4, "(null)", "int 4", "good day b", 10.0, -1, "b~", "static true", ",4"],
        ],
    ),
    "nested": (
        "n INT, a ROW<n INT, words ARRAY<STRING>, counts MAP<STRING, INT>>",
        "SELECT n, nested(n, arr) FROM t WHERE n <> 2",
        [
            [1, {"n": 1, "words": ["x", "y", "x"], "counts": {"x": 2, "y": 1}}],
            [3, None],
            [4, {"n": 4, "words": ["z"], "counts": {"z": 1}}],
        ],
    ),
    "opaque": (
        "n INT, a STRING, b STRING, c STRING",
        "SELECT n, BITMAP_TO_STRING(vals(BITMAP_BUILD(ARRAY[n, 7]))), "
        'JSON_STRING(vals(vals(PARSE_JSON(\'{"a": {"a": [\' || CAST(n AS STRING) || \', "x"]}}\')))), '
        "BITMAP_TO_STRING(vals(IF(n > 9, BITMAP_BUILD(ARRAY[n]), CAST(NULL AS BITMAP)))) FROM t WHERE n < 3",
        [[1, "{1,7,100}", '[1,"x"]', None], [2, "{2,7,100}", '[2,"x"]', None]],
    ),
    "rows": (
        "n INT, word STRING, v INT",
        "SELECT n, word, v FROM t LEFT JOIN LATERAL TABLE(split(w)) AS s(word, l) ON TRUE, "
        "LATERAL TABLE(numbers(n)) AS u(v) WHERE n IN (1, 2, 4)",
        [
            *([1, word, 0] for word in ("be", "or", "to")),
            *([2, "that", v] for v in (0, None)),
            *([4, None, v] for v in (0, 2, 3, None)),
        ],
    ),
    "windows": (
        "k STRING, a DOUBLE",
        "SELECT k, weighted(m, n) FROM TABLE(HOP(TABLE t, DESCRIPTOR(ts), INTERVAL '5' SECOND, INTERVAL '10' SECOND)) "
        "GROUP BY k, window_start, window_end",
        [["a", 25.0], ["a", 25.0], ["b", 20.0], ["b", 20.0], ["b", None], ["b", None]],
    ),
    "overs": (
        "n INT, a DOUBLE",
        "SELECT n, weighted(m, n) OVER (PARTITION BY k ORDER BY ts ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM t",
        [[1, 10.0], [2, 20.0], [3, 25.0], [4, 20.0]],
    ),
    "matched": (
        "k STRING, a DOUBLE, b STRING",
        "SELECT * FROM t MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts MEASURES weighted(A.m, A.n) AS a, "
        "shout(LAST(A.n)) AS b PATTERN (A+ B) DEFINE A AS shout(A.n) IN ('int 1', 'int 2'), B AS B.n > 2)",
        [["a", 10.0, "int 1"], ["b", 20.0, "int 2"]],
    ),
    "joined": (
        "n INT, o INT",
        "SELECT x.n, y.n FROM t x LEFT JOIN t y ON x.k = y.k AND shout(x.k, y.n) = shout(y.k, 3)",
        [[1, 3], [2, None], [3, 3], [4, None]],
    ),
}
#: The last row of each key of an updating query.
UPDATES: dict[str, tuple[str, str, list[list[Any]]]] = {
    "grouped": (
        "k STRING, a DOUBLE, b STRING",
        "SELECT k, weighted(m, n), words(DISTINCT w) FROM t GROUP BY k",
        [["a", 25.0, "to be or1 be1 [be]"], ["b", 20.0, "that1 [that]"]],
    ),
    "retracted": (
        "total BIGINT, a DOUBLE",
        "SELECT c, weighted(s, mx) FROM (SELECT k, COUNT(*) AS c, SUM(m) AS s, MAX(n) AS mx FROM t GROUP BY k) "
        "GROUP BY c",
        [[2, (40 * 3 + 20 * 4) / 7]],
    ),
}


def _plan(folder: Path) -> CompiledPlan:
    (folder / "in").mkdir()
    (folder / "in" / "rows.json").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    sinks = inserts = ""
    for name, (columns, query, _) in (CASES | UPDATES).items():
        format_ = "debezium-json" if name in UPDATES or name == "joined" else "json"
        path = folder / "out" / name
        sinks += f"CREATE TABLE s_{name} ({columns}) WITH ('connector' = 'filesystem', 'path' = '{path}', "
        sinks += f"'format' = '{format_}');\n"
        inserts += f"INSERT INTO s_{name} {query};\n"
    tables = TABLES.replace("{folder}", str(folder))
    program = f"{FUNCTIONS}\n{tables}\n{sinks}\nEXECUTE STATEMENT SET BEGIN {inserts} END;"
    return TableEnvironment().compile_script(program)


def _lines(folder: Path) -> list[Any]:
    files = sorted(file for file in folder.rglob("*") if file.is_file() and file.name[0] not in "._")
    return [json.loads(line) for file in files for line in file.read_text().splitlines()]


def _table(folder: Path, updating: bool) -> list[list[Any]]:
    """The rows of a sink; of a changelog, those that remain."""
    rows: list[list[Any]] = []
    for line in _lines(folder):
        if not updating:
            rows.append(list(line.values()))
        elif line["op"] == "d":
            rows.remove(list(line["before"].values()))
        else:
            rows.append(list(line["after"].values()))
    return sorted(rows, key=repr)


@pytest.mark.wide
@pytest.mark.spark
def test_functions_of_all_kinds(spark: SparkSession, java_samples: Path, tmp_path: Path) -> None:
    plan = _plan(tmp_path)
    Run(spark, plan, RunOptions(functions_from=(str(java_samples),), job_parameter=("greeting=good day",))).execute()
    for name, (_, _, expected) in (CASES | UPDATES).items():
        rows = _table(tmp_path / "out" / name, name in UPDATES or name == "joined")
        assert rows == sorted(expected, key=repr), name


def test_a_call_has_the_job_parameters(monkeypatch: pytest.MonkeyPatch) -> None:
    """`UserFunctionsTest` of the kernel passes them on to `open`."""
    kernel = MagicMock()
    kernel.describe.return_value = '{"kind": "SCALAR", "deterministic": true, "methods": [], "accumulatorText": ""}'
    monkeypatch.setattr(java, "java_class", lambda jvm, name: kernel)
    monkeypatch.setattr(java, "has_class", lambda spark, name: True)
    monkeypatch.setattr(java, "add_packages", lambda spark, packages: None)
    options = RunOptions(functions_from=("com.shop",), job_parameter=("greeting=a=b", "empty="))
    functions = java.JavaFunctions(MagicMock(), options.functions_from, parameters=options.job_parameters)
    call = Call("", (), STRING, None, (("systemName", "f"), ("java", JavaFunction("com.shop.F"))))
    described = functions.described(call, "SCALAR", "node 1")
    assert json.loads(described.spec)["parameters"] == {"greeting": "a=b", "empty": ""}
    assert kernel.describe.call_args.args == (described.spec,)


def test_a_job_parameter_needs_a_value() -> None:
    with pytest.raises(ExecutionError, match=r"the job parameter 'greeting' has no value(.|\n)*write K=V"):
        RunOptions(job_parameter=("greeting",))


def _without_classes(plan: CompiledPlan) -> CompiledPlan:
    """The plan as Flink writes it: temporary functions have names alone."""

    def strip(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: strip(item) for key, item in value.items() if key != "java"}
        return [strip(item) for item in value] if isinstance(value, list) else value

    return CompiledPlan.from_dict(strip(plan.to_dict()))


PROGRAM = """
CREATE TABLE t (k STRING) WITH ('connector' = 'filesystem', 'path' = '{folder}/in', 'format' = 'json');
CREATE TABLE s (k STRING) WITH ('connector' = 'print');
INSERT INTO s SELECT {call} FROM t;
"""


@pytest.mark.wide
@pytest.mark.spark
def test_places_of_code_must_be_allowed(spark: SparkSession, java_samples: Path, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "rows.json").write_text('{"k": "a"}\n')

    def plan(call: str) -> CompiledPlan:
        program = PROGRAM.replace("{folder}", str(tmp_path)).replace("{call}", call)
        return TableEnvironment().compile_script(f"{FUNCTIONS}\n{program}")

    allowed = RunOptions(functions_from=(str(java_samples),))
    with pytest.raises(UnsupportedError, match=r"Java class org.example.Samples\$Shout(.|\n)*--functions-from"):
        Run(spark, plan("shout(k)"), RunOptions())
    bare = _without_classes(plan("shout(k)"))
    with pytest.raises(UnsupportedError, match=r"names the function 'shout' without its class(.|\n)*--java-function"):
        Run(spark, bare, allowed)
    printed: list[str] = []
    named = RunOptions(functions_from=(str(java_samples),), java_function=(f"shout={SAMPLES}Shout",))
    Run(spark, bare, named, printed.append).execute()
    assert printed == ["+I[A!]"]
    with pytest.raises(PlanError, match=r"Expected signatures are(.|\n)*compile the plan again"):
        changed = FUNCTIONS.replace("(STRING) -> STRING; (INT)", "(DOUBLE) -> STRING; (INT)")
        program = PROGRAM.replace("{folder}", str(tmp_path)).replace("{call}", "shout(CAST(1 AS DOUBLE))")
        Run(spark, TableEnvironment().compile_script(f"{changed}\n{program}"), allowed)
    with pytest.raises(ExecutionError, match=r"user function failed: broken .*cannot read a"):
        Run(spark, plan("broken(k)"), allowed).execute()
