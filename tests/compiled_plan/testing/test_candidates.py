"""Inputs that are drawn for two programs."""

from __future__ import annotations

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.testing.candidates import Candidates, tables_read
from compiled_plan.testing.inputs import Event

DECLARED = """
CREATE TABLE t (k STRING, v INT, w INT, note STRING, item ROW<a INT, b INT>)
  WITH ('connector' = 'filesystem', 'path' = 't', 'format' = 'json');
CREATE TABLE upserts (id INT, v INT, w INT, PRIMARY KEY (id) NOT ENFORCED)
  WITH ('connector' = 'filesystem', 'path' = 'u', 'format' = 'debezium-json');
CREATE TABLE s (k STRING, v BIGINT) WITH ('connector' = 'print');
"""


def plan(query: str) -> CompiledPlan:
    return TableEnvironment().compile_script(f"{DECLARED}INSERT INTO s {query};")


def drawn(old: str, new: str, count: int = 40) -> list[list[Event]]:
    """The events of inputs."""
    plans = plan(old), plan(new)
    candidates = Candidates(plans, tables_read(*plans), 1)
    inputs = [candidates.input(8) for _ in range(count)]
    return [[*input_.before, *input_.after] for input_ in inputs]


def values(inputs: list[list[Event]], column: str) -> set[object]:
    return {row[column] for events in inputs for event in events for row in event.rows}


def test_columns_that_no_program_reads_have_one_value() -> None:
    inputs = drawn("SELECT k, v FROM t WHERE v > 30", "SELECT k, item.a FROM t WHERE v > 30")
    assert values(inputs, "note") == {"a"} and values(inputs, "w") == {1}
    assert {1, 29, 30, 31, 32, None} == values(inputs, "v") and len(
        {str(row["item"]) for events in inputs for event in events for row in event.rows}
    ) > 1


def test_keys_are_drawn_though_no_program_reads_them() -> None:
    inputs = drawn("SELECT 'a', v FROM upserts", "SELECT 'a', v + 1 FROM upserts")
    assert len(values(inputs, "id")) > 1 and values(inputs, "w") == {1}


def test_each_column_has_nulls_in_its_turn() -> None:
    query = "SELECT k, v + w FROM t"
    inputs = drawn(query, query, 14)
    null = [{name for event in events for row in event.rows for name in row if row[name] is None} for events in inputs]
    assert {frozenset(names) for names in null} == {frozenset()} | {frozenset({name}) for name in ("k", "v", "w")}


def test_numbers_that_pass_the_filters_of_all_statements() -> None:
    inputs = drawn("SELECT k, v FROM t WHERE v > 30 AND 99 > v", "SELECT k, v FROM t WHERE v > 50")
    passing = [values([events], "v") - {None} <= {51, 52, 97, 98} for events in inputs]
    assert 10 < sum(passing) < 30


def test_some_inputs_end_with_a_row_after_the_change() -> None:
    plans = (plan("SELECT k, v FROM t"),) * 2
    candidates = Candidates(plans, tables_read(*plans), 1)
    assert {len(candidates.input(8).after) for _ in range(20)} == {1, 8}
