"""Every pass leaves a consistent draft, and a pass that does not is named."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from compiled_plan.planner import pipeline
from compiled_plan.planner.algebra.nodes import Filter, Project, RelNode, Single, Sink
from compiled_plan.planner.checks import faults, operator_faults
from compiled_plan.planner.diagnostics.internal import InternalError
from compiled_plan.planner.options.settings import Settings
from compiled_plan.planner.physical.base import PhysicalOperator
from compiled_plan.planner.physical.draft import Draft
from compiled_plan.planner.physical.scan import PhysicalTableSourceScan
from compiled_plan.planner.physical.traits import Key, Keys, Traits
from compiled_plan.planner.pipeline import PIPELINE, drafts
from compiled_plan.planner.sql.context import PlanningContext
from compiled_plan.planner.sql.scripts import bind_script
from compiled_plan.plans.errors import CompiledPlanError
from compiled_plan.plans.rex import InputRef
from compiled_plan.plans.types import BIGINT
from tests.conformance.cases import cases, categories

DDL = """
CREATE TABLE t (a INT, b STRING) WITH ('connector' = 'filesystem', 'path' = '/t', 'format' = 'json');
CREATE TABLE s (a INT, b STRING) WITH ('connector' = 'print');
"""


def bound(statement: str, ddl: str = DDL) -> Draft:
    sinks, _ = bind_script(PlanningContext.new(), f"{ddl};{statement}")
    return Draft(Settings({}), tuple(sinks))


def test_every_pass_has_a_name_and_a_reason() -> None:
    assert all(step.name.isidentifier() and step.why for step in PIPELINE)
    assert PIPELINE[-1].name == "number_nodes"


def _out_of_range(rel: RelNode) -> RelNode:
    """The tree with its first projection reading a column out of range."""
    if isinstance(rel, Project):
        return replace(rel, exprs=(InputRef(7, BIGINT), *rel.exprs[1:]))
    return rel.with_inputs(tuple(map(_out_of_range, rel.inputs)))


def _mistyped(rel: RelNode) -> RelNode:
    if isinstance(rel, Project):
        return replace(rel, exprs=(InputRef(1, BIGINT), *rel.exprs[1:]))
    return rel.with_inputs(tuple(map(_mistyped, rel.inputs)))


@pytest.mark.slow
@pytest.mark.parametrize("step", [8, pytest.param(1, marks=pytest.mark.wide)])
@pytest.mark.parametrize("category", categories())
def test_every_pass_leaves_a_draft_without_faults(category: str, step: int, tmp_path: Path) -> None:
    """Programs of each category: one in eight, and all in `make test-wide`."""
    for case in cases(category)[::step]:
        context = PlanningContext.new()
        try:
            sinks, _ = bind_script(context, case.program(tmp_path))
            for step, draft in drafts(Draft(Settings(context.config), tuple(sinks))):
                assert list(faults(draft)) == [], f"{case.name} after {step.name}"
        except CompiledPlanError:
            assert case.refused_at, case.name


def test_a_reference_to_a_missing_column_is_detected() -> None:
    draft = bound("INSERT INTO s SELECT a + 1, b FROM t")
    broken = draft.with_trees(map(_out_of_range, draft.trees))
    assert list(faults(broken)) == ["Project reads column 7 of 2"]


def test_a_reference_to_a_column_of_another_type_is_detected() -> None:
    draft = bound("INSERT INTO s SELECT a + 1, b FROM t")
    broken = draft.with_trees(map(_mistyped, draft.trees))
    assert list(faults(broken)) == ["Project reads column 1 as BIGINT, and it is VARCHAR(2147483647)"]


def test_a_pass_that_breaks_the_plan_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys in columns that do not exist: detected at the end of every compilation, and traced to the pass."""
    draft = bound("INSERT INTO s SELECT a, b FROM t")

    class Elsewhere(PhysicalTableSourceScan):
        def upsert_keys(self, inputs: tuple[Traits, ...]) -> Keys:
            return frozenset({Key((9,))})

    def lose_columns(draft: Draft) -> Draft:
        def replaced(operator: PhysicalOperator) -> PhysicalOperator:
            if isinstance(operator, PhysicalTableSourceScan):
                return Elsewhere(operator.table, operator.columns, operator.changes, operator.hints)
            return operator.with_inputs(tuple(map(replaced, operator.inputs)))

        return draft.with_operators(map(replaced, draft.operators))

    steps = (*PIPELINE[:-1], pipeline.physical(lose_columns, "to be found out"), PIPELINE[-1])
    monkeypatch.setattr(pipeline, "PIPELINE", steps)
    monkeypatch.setattr(pipeline, "operator_faults", operator_faults)
    sinks = [sink for sink in draft.trees if isinstance(sink, Sink)]
    with pytest.raises(InternalError, match=r"has the key \[9\] in 2 columns") as error:
        pipeline.plan(sinks, {})
    assert error.value.where == "the pass lose_columns"
    assert "report it" in error.value.remedy


def test_a_pass_that_fails_is_named() -> None:
    def fail(rel: RelNode) -> RelNode:
        raise KeyError("a column")

    with pytest.raises(InternalError, match="KeyError") as error:
        list(drafts(bound("INSERT INTO s SELECT a, b FROM t"), (pipeline.per_tree(fail, "to fail"),)))
    assert error.value.where == "the pass fail"


@dataclass(frozen=True, slots=True)
class Stranger(Single):
    """A node without registered rules."""


@pytest.mark.parametrize("name", ["push_filters", "prune_columns", "materialize_time"])
def test_an_unknown_node_is_named(name: str) -> None:
    (tree,) = bound("INSERT INTO s SELECT a, b FROM (SELECT a, b FROM t) WHERE a > 1").trees

    def strange(rel: RelNode) -> RelNode:
        if isinstance(rel, Filter):
            return replace(rel, input=Stranger(rel.input))
        return rel.with_inputs(tuple(map(strange, rel.inputs)))

    step = next(step for step in PIPELINE if step.name == name)
    with pytest.raises(InternalError, match="Stranger"):
        step.change(Draft(Settings({}), (strange(tree),)))
