"""The parts that need neither Flink nor Spark: conversion, filled plans, comparison, verdicts."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from compiled_plan.environment import TableEnvironment
from tests.flink_programs.comparison import continued, difference, expected_table, summed
from tests.flink_programs.conversion import DATA, LEFT_OPEN, OUT, Case, converted, debezium, upserts, with_forerunners
from tests.flink_programs.functions import signatures
from tests.flink_programs.restoring import filled
from tests.flink_programs.running import Attempt, batches, export, write_database
from tests.flink_programs.savepoints import table as table_by_node
from tests.flink_programs.verdicts import (
    KNOWN,
    KNOWN_SAVEPOINTS,
    Outcome,
    Verdict,
    continuation,
    known_deviations,
    table,
    verdict,
    with_reasons,
)


def row(kind: str, **values: Any) -> dict[str, Any]:
    return {"kind": kind, "values": values}


def event(before: Mapping[str, Any] | None, after: Mapping[str, Any] | None, op: str) -> dict[str, Any]:
    return {"before": before, "after": after, "op": op}


CHANGES = [row("+I", k=1, v="a"), row("-U", k=1, v="a"), row("+U", k=1, v="b"), row("-D", k=1, v="b")]
A, B = {"k": 1, "v": "a"}, {"k": 1, "v": "b"}


@pytest.mark.parametrize(
    ("rows", "events"),
    [
        (CHANGES, [event(None, A, "c"), event(A, B, "u"), event(B, None, "d")]),
        ([row("-U", **A), row("+I", **B)], [event(A, None, "d"), event(None, B, "c")]),
        ([row("-U", **A), row("-U", **B)], [event(A, None, "d"), event(B, None, "d")]),
        ([row("+U", **A)], [event(None, A, "c")]),
    ],
)
def test_changes_become_events(rows: Sequence[Any], events: Sequence[Any]) -> None:
    assert list(debezium(rows)) == events


def test_upserts_become_events_with_and_without_the_row_from_before() -> None:
    rows = [row("-D", **A), row("+I", **A), row("+U", **B), row("-D", **B)]
    assert list(upserts(rows)) == [event(A, None, "d"), event(None, A, "c"), event(None, B, "c"), event(B, None, "d")]
    assert list(with_forerunners(rows, ["k"])) == [event(None, A, "c"), event(A, B, "u"), event(B, None, "d")]


def source(name: str, columns: Mapping[str, str], rows: Sequence[Any], **more: Any) -> dict[str, Any]:
    schema = [f"`{column}` {kind}" for column, kind in columns.items()]
    step = {"kind": "SourceTestStep", "name": name, "schema": schema, "columns": columns}
    return {**step, "before": rows, "after": [], "options": {}, "primaryKey": [], "partitionKeys": [], **more}


def sink(columns: Mapping[str, str], expected: Sequence[str], **more: Any) -> dict[str, Any]:
    step = source("result", columns, [], **more)
    return {**step, "kind": "SinkTestStep", "expected": expected, "expectedBefore": expected[:1]}


def insert(sql: str, kind: str = "SqlTestStep") -> dict[str, Any]:
    return {"kind": kind, "sql": sql}


def case(*steps: Mapping[str, Any]) -> Case:
    setup = [step for step in steps if "schema" in step or "key" in step or "name" in step]
    return converted({"id": "the-id", "setup": setup, "run": [step for step in steps if step not in setup]})


INTS = {"a": "INT", "b": "INT"}


def test_a_converted_program_compiles() -> None:
    converted = case(
        {"kind": "ConfigOptionTestStep", "key": "table.exec.state.ttl", "value": "1 d"},
        source("t", INTS, [row("+I", a=1, b=2)]),
        sink(INTS, ["+I[1, 2]"]),
        insert("SELECT a, SUM(b) FROM t GROUP BY a;"),
    )
    assert converted.name == "the_id"
    assert converted.files == {"t.json": '{"a": 1, "b": 2}\n'}
    assert converted.options["result"]["path"] == f"{OUT}/result"
    (text,) = converted.programs()
    plan = TableEnvironment().compile_statements(text).plan.to_json()
    assert '"ttl" : "1 d"' in plan
    assert f"{DATA}/t.json" in plan


def test_upserts_are_declared_by_an_option_unless_a_changelog_table_has_no_key() -> None:
    upsert = source("u", INTS, [row("+U", a=1, b=2)], options={"changelog-mode": "I,UA,D"}, primaryKey=["a"])
    changes = source("c", INTS, [row("+I", a=1, b=2)], options={"changelog-mode": "I,UB,UA,D"})
    option = ("table.exec.source.cdc-events-duplicate", "true")
    alone = case(upsert, sink(INTS, []), insert("INSERT INTO result SELECT * FROM u"))
    assert option in alone.settings
    beside = case(upsert, changes, sink(INTS, []), insert("INSERT INTO result SELECT * FROM u"))
    assert option not in beside.settings


def test_values_that_json_cannot_hold_pass_through_expressions() -> None:
    columns = {"v": "VARIANT", "m": "MAP<INT, STRING>"}
    converted = case(source("t", columns, []), sink(columns, []), insert("INSERT INTO result SELECT * FROM t"))
    assert "`m` ROW<k ARRAY<INT>, v ARRAY<STRING>>" in converted.setup[0]
    assert converted.setup[1] == (
        "CREATE VIEW `t` AS SELECT PARSE_JSON(`v`) AS `v`, MAP_FROM_ARRAYS(`m`.k, `m`.v) AS `m` FROM `t__raw`"
    )
    assert converted.sinks[0].schema == ["`v` STRING", "`m` STRING"]
    assert converted.attempts == [
        "INSERT INTO `result` SELECT JSON_STRING(`v`), CAST(`m` AS STRING) FROM (SELECT * FROM t) AS q (`v`, `m`)"
    ]


def test_a_sink_with_on_conflict_is_a_database(tmp_path: Path) -> None:
    converted = case(
        source("t", INTS, []),
        sink(INTS, [], primaryKey=["a"]),
        insert("INSERT INTO result SELECT * FROM t ON CONFLICT DO NOTHING"),
    )
    assert converted.options["result"]["connector"] == "jdbc"
    attempt = Attempt("own/x", tmp_path / "own", converted, tmp_path)
    attempt.clear()
    attempt.sinks()
    assert (attempt.out / "result" / "rows.json").read_text() == ""


def test_a_lookup_table_is_a_database_with_its_state_before_the_restore(tmp_path: Path) -> None:
    options = {"disable-lookup": "false"}
    rows = [row("+I", a=1, b=2), row("+I", a=1, b=3)]
    looked_up = source("t", INTS, rows, options=options, primaryKey=["a"], after=[row("+U", a=1, b=4)])
    converted = case(looked_up, sink(INTS, ["+I[1, 3]", "+I[1, 4]"]), insert("INSERT INTO result SELECT * FROM t"))
    write_database(tmp_path / "t.db", converted.databases["t.db"].statements())
    export(tmp_path / "t.db", "t", tmp_path / "rows.json")
    assert json.loads((tmp_path / "rows.json").read_text()) == {"a": 1, "b": 3}
    assert converted.sinks[0].expected == ["+I[1, 3]"]


def test_functions_are_declared_with_the_types_of_their_calls_in_the_plan_of_flink(tmp_path: Path) -> None:
    step: dict[str, Any] = {"kind": "FunctionTestStep", "name": "f", "class": "a.B$F", "functionKind": "ASYNC_TABLE"}
    step |= {"deterministic": True, "persistence": "TEMPORARY", "behavior": "SYSTEM"}
    converted = case(step, sink(INTS, []), insert("INSERT INTO result SELECT x FROM LATERAL TABLE(f(1)) AS t(x)"))
    (program,) = converted.programs(signatures={"f": ["(INT) -> ROW<x INT>", "(INT) -> ROW<x INT>"]})
    declared = "CREATE TEMPORARY SYSTEM FUNCTION `f` AS 'a.B$F' LANGUAGE JAVA"
    assert f"{declared} WITH ('signature' = '(INT) -> ROW<x INT>', 'kind' = 'TABLE'" in program
    (tmp_path / "plan.json").write_text(TableEnvironment().compile_script(CALLING).to_json())
    assert signatures(tmp_path / "plan.json") == {
        "up": ["(VARCHAR(2147483647)) -> VARCHAR(2147483647)"],
        "mean": ["(BIGINT) -> DOUBLE"],
    }


CALLING = """
CREATE TEMPORARY SYSTEM FUNCTION up AS 'a.Up' LANGUAGE JAVA WITH ('signature' = '(STRING) -> STRING');
CREATE FUNCTION mean AS 'a.Mean' WITH ('signature' = '(BIGINT) -> DOUBLE', 'kind' = 'AGGREGATE');
CREATE TABLE t (a BIGINT, b STRING) WITH ('connector' = 'datagen');
CREATE TABLE s (b STRING, m DOUBLE) WITH ('connector' = 'print');
INSERT INTO s SELECT up(b), mean(a) FROM t GROUP BY up(b);
"""


def test_a_session_runs_plans_with_one_class_for_each_function(tmp_path: Path) -> None:
    mappings = [{"f": "A"}, {"f": "B"}, {"g": "A"}, {}, {"g": "B"}]
    attempts = [Attempt(str(at), tmp_path, None, tmp_path, functions=classes) for at, classes in enumerate(mappings)]
    assert [[attempt.name for attempt in batch] for batch in batches(attempts)] == [["0", "2", "3"], ["1", "4"]]


def test_tables_of_a_plan_get_options() -> None:
    def text(**options: Any) -> str:
        table = {"identifier": "`c`.`d`.`t`", "resolvedTable": {"schema": {}, **options}}
        return json.dumps({"nodes": [{"scanTableSource": {"table": table}}]}, indent=1)

    assert filled(text(), {"t": {"connector": "print"}}) == text(options={"connector": "print"})
    assert filled(text(), {}) == text()


def test_a_changelog_adds_up_to_a_table() -> None:
    changes = ["+I[1, [a, b]]", "+I[1, [a, b]]", "-U[1, [a, b]]", "+U[1, {k=[x, y]}]"]
    assert expected_table(changes, ()) == {"[1, [a, b]]": 1, "[1, {k=[x, y]}]": 1}
    assert expected_table(changes, (0,)) == {"[1, {k=[x, y]}]": 1}
    assert expected_table(["+I[a, [b, c], 1]", "+U[d, [b, c], 1]"], (1, 2)) == {"[d, [b, c], 1]": 1}
    assert summed(["+[1]", "-[1]", "-[2]"]) == {"[2]": -1}


def test_a_difference_counts_rows_that_are_missing_and_extra() -> None:
    assert difference(Counter({"[1]": 1}), Counter({"[1]": 1})) == ""
    assert difference(Counter({"[1]": 2}), Counter({"[2]": 1})) == "missing ['[1] (2 times)'], extra ['[2]']"
    assert difference(Counter(), Counter({"[1]": -1})) == "missing ['[1]'], extra []"


BOTH = {"edit-plan --check": "error", "execute-plan --dry-run": "error"}


@pytest.mark.parametrize(
    ("refusals", "failure", "rows", "answer", "outcome"),
    [
        ({}, "", ["+[1, 2]"], {}, Outcome.EQUAL),
        ({}, "", ["+[1, 3]"], {"ran": True}, Outcome.AS_FLINK),
        ({}, "", ["+[1, 3]"], {}, Outcome.DIFFERENT),
        ({}, "", ["+[1, 4]"], {"ran": True}, Outcome.DIFFERENT),
        ({}, "overflow", [], {}, Outcome.FAILED),
        (BOTH, "", [], {}, Outcome.REFUSED),
        (BOTH, "", [], {"refused": "no"}, Outcome.REFUSED_BY_BOTH),
        ({"execute-plan": "cannot run"}, "", [], {"refused": "no"}, Outcome.DISAGREEMENT),
        ({"edit-plan --check": "1 error"}, "", ["+[1, 2]"], {}, Outcome.DISAGREEMENT),
        ({}, "Traceback ...", [], {"refused": "no"}, Outcome.INTERNAL),
    ],
)
def test_outcomes(
    refusals: dict[str, str],
    failure: str,
    rows: Sequence[str],
    answer: Mapping[str, Any],
    outcome: Outcome,
    tmp_path: Path,
) -> None:
    converted = case(source("t", INTS, []), sink(INTS, ["+I[1, 2]"]), insert("INSERT INTO result SELECT * FROM t"))
    attempt = Attempt("own/x", tmp_path, converted, tmp_path, refusals, failure, {"result": rows})
    attempt.plan.touch()
    in_flink = Attempt("in-flink/x", tmp_path, converted, tmp_path, rows={"result": ["+[1, 3]"]})
    assert verdict(attempt, answer, in_flink).outcome is outcome


def test_an_obstacle_excuses_a_refusal_and_no_disagreement(tmp_path: Path) -> None:
    converted = case({"kind": "ModelTestStep", "name": "m"}, sink(INTS, []), insert("INSERT INTO result SELECT f()"))
    attempt = Attempt("own/x", tmp_path, converted, tmp_path, {"compile-plan": "no model"})
    assert verdict(attempt, {}, None) == Verdict("own/x", Outcome.NOT_COMPARABLE, "calls a model of Flink's tests")
    attempt.plan.touch()
    assert verdict(attempt, {}, None).outcome is Outcome.DISAGREEMENT


def test_a_failure_that_is_expected_must_come(tmp_path: Path) -> None:
    converted = case(sink(INTS, []), insert("INSERT INTO result VALUES (1)", "FailingSqlTestStep"))
    attempt = Attempt("own/x", tmp_path, converted, tmp_path)
    assert verdict(attempt, {}, None).outcome is Outcome.NOT_REFUSED
    assert verdict(attempt, {"ran": True}, None).outcome is Outcome.AS_FLINK
    attempt.failure = "too long"
    assert verdict(attempt, {}, None).outcome is Outcome.FAILS


def test_an_option_that_no_plan_holds_is_left_to_the_run() -> None:
    nested = {"kind": "ConfigOptionTestStep", "key": LEFT_OPEN[0], "value": "ROWS"}
    config_step = {"kind": "ConfigOptionTestStep", "key": "table.exec.sink.not-null-enforcer", "value": "DROP"}
    converted = case(nested, config_step, sink(INTS, []), insert("INSERT INTO result VALUES (1)"))
    assert converted.left_open == (f"{LEFT_OPEN[0]}=ROWS",)


def test_a_known_deviation_has_a_reason_and_a_pattern_without_one_is_stale() -> None:
    verdicts = [
        Verdict("own/a_1", Outcome.DIFFERENT),
        Verdict("own/b", Outcome.EQUAL),
        Verdict("flink/c", Outcome.FAILED),
    ]
    reasoned, stale = with_reasons(verdicts, {"own/a_*": "because", "own/b": "once"})
    assert [(one.reason, one.unknown) for one in reasoned] == [("because", False), ("", False), ("", True)]
    assert stale == ["own/b"]
    assert [line.split("  ")[0] for line in table(reasoned)] == [
        "outcome",
        "equal",
        "failed",
        "different rows, known",
        "all",
    ]
    assert [line.split()[-2:] for line in table(reasoned)] == [
        ["own", "flink"],
        ["1", "0"],
        ["0", "1"],
        ["1", "0"],
        ["2", "1"],
    ]


@pytest.mark.parametrize("file", [KNOWN, KNOWN_SAVEPOINTS])
def test_every_known_deviation_has_a_reason(file: Path) -> None:
    assert all(known_deviations(file).values())


def restored(*steps: Mapping[str, Any]) -> Case:
    setup = [step for step in steps if "schema" in step]
    return converted(
        {"id": "the-id", "setup": setup, "run": [step for step in steps if step not in setup]}, restored=True
    )


def test_a_restored_program_reads_the_rows_from_after_the_restore() -> None:
    options = {"changelog-mode": "I,UA,D"}
    upsert = source("u", INTS, [row("+I", a=1, b=2)], options=options, primaryKey=["a"], after=[row("+U", a=1, b=3)])
    query = insert("INSERT INTO result SELECT * FROM u")
    alone = restored(upsert, sink(INTS, ["+I[1, 2]", "+U[1, 3]"], primaryKey=["a"]), query)
    assert [json.loads(line) for line in alone.files["u.json"].splitlines()] == [event(None, {"a": 1, "b": 3}, "c")]
    assert (alone.sinks[0].before, alone.sinks[0].expected) == (["+I[1, 2]"], ["+I[1, 2]", "+U[1, 3]"])
    changes = source("c", INTS, [], options={"changelog-mode": "I,UB,UA,D"})
    beside = restored(upsert, changes, sink(INTS, []), query)
    assert [json.loads(line) for line in beside.files["u.json"].splitlines()] == [
        event({"a": 1, "b": 2}, {"a": 1, "b": 3}, "u")
    ]


def test_a_lookup_table_of_a_restored_program_has_its_state_after_the_restore() -> None:
    options = {"disable-lookup": "false"}
    rows = {"after": [row("+I", a=1, b=4)], "primaryKey": ["a"]}
    looked_up = source("t", INTS, [row("+I", a=1, b=2)], options=options, **rows)
    case = restored(looked_up, sink(INTS, []), insert("INSERT INTO result SELECT * FROM t"))
    assert case.databases["t.db"].rows == [{"a": 1, "b": 4}]


def test_changes_continue_a_changelog() -> None:
    before = ["+I[1, a]", "+I[2, b]"]
    assert continued(before, (), ["-[1, a]", "+[3, c]"]) == {"[2, b]": 1, "[3, c]": 1}
    assert continued(before, (), ["-[1, b]"]) == {"[1, a]": 1, "[2, b]": 1, "[1, b]": -1}
    assert continued(before, (0,), ["+[1, b]", "-[2, b]", "+[3, c]"]) == {"[1, b]": 1, "[3, c]": 1}


@pytest.mark.parametrize(
    ("refusals", "failure", "rows", "outcome"),
    [
        ({}, "", ["-[1, 2]", "+[1, 3]"], Outcome.EQUAL),
        ({}, "", ["+[1, 3]"], Outcome.DIFFERENT),
        ({"import-state": "no mapping"}, "", [], Outcome.REFUSED),
        ({"import-state": "Traceback ..."}, "", [], Outcome.INTERNAL),
        ({}, "overflow", [], Outcome.FAILED),
    ],
)
def test_outcomes_of_continuations(
    refusals: dict[str, str], failure: str, rows: Sequence[str], outcome: Outcome, tmp_path: Path
) -> None:
    changes = ["+I[1, 2]", "-U[1, 2]", "+U[1, 3]"]
    case = restored(source("t", INTS, []), sink(INTS, changes), insert("INSERT INTO result SELECT * FROM t"))
    attempt = Attempt("node_1/the-id", tmp_path, case, tmp_path, refusals, failure, {"result": rows})
    assert continuation(attempt).outcome is outcome


def test_outcomes_by_node() -> None:
    verdicts = [
        Verdict("join_1/a", Outcome.EQUAL),
        Verdict("join_1/b", Outcome.REFUSED, reason="because"),
        Verdict("rank_1/a", Outcome.EQUAL),
    ]
    assert [line.split() for line in table_by_node(verdicts)] == [
        ["node", "equal", "refused", "all"],
        ["join_1", "1", "1", "2"],
        ["rank_1", "1", "0", "1"],
        ["all", "2", "1", "3"],
        ["1", "because"],
    ]
