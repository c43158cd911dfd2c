"""Plans that PyFlink 2.3 compiled: their Python functions are named by the catalog alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from compiled_plan import PlanReference, TableEnvironment
from compiled_plan.plans.errors import UnsupportedError
from compiled_plan.plans.functions.naming import check_resolved, unresolved, with_module_functions
from compiled_plan.plans.inspection.rules import check_runs
from compiled_plan.plans.nodes.python import PythonNode
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.pyflink.udf import AggregateFunction, udaf, udf, udtf

PLANS = Path(__file__).parent / "pyflink_plans"


@udf(result_type="BIGINT")
def add(left: Any, right: Any) -> Any:
    return left + right


@udf(result_type="STRING")
async def s_aup(text: Any) -> Any:
    return text.upper()


@udtf(result_types=["STRING", "INT"])
def a_split(text: Any) -> Any:
    return [(word, at) for at, word in enumerate(text.split())]


class Sum(AggregateFunction[Any, Any]):
    def create_accumulator(self) -> Any:
        return [0]

    def accumulate(self, accumulator: Any, value: Any) -> None:
        accumulator[0] += value

    def get_value(self, accumulator: Any) -> Any:
        return accumulator[0]


mysum = udaf(Sum(), result_type="BIGINT", accumulator_type="ARRAY<BIGINT>")


@udaf(result_type="DOUBLE", func_type="pandas")
def pmean(values: Any) -> Any:
    return values.mean()


#: Plan -> its Python node, the node that runs in its place, and its functions.
RECORDED = {
    "calc_cond": ("python-calc", "calc", "add"),
    "s_async": ("python-async-calc", "calc", "s_aup"),
    "a_splitleft": ("python-correlate", "correlate", "a_split"),
    "sumfilter": ("python-group-aggregate", "group-aggregate", "mysum"),
    "tumblep": ("python-group-window-aggregate", "group-window-aggregate", "pmean"),
    "over": ("python-over-aggregate", "over-aggregate", "pmean"),
}


def plan_of(name: str) -> CompiledPlan:
    return CompiledPlan.from_json((PLANS / f"{name}.json").read_text())


@pytest.mark.parametrize("name", RECORDED)
def test_a_plan_of_pyflink_gets_its_functions(name: str) -> None:
    kind, general, function = RECORDED[name]
    plan = plan_of(name)
    assert plan.to_json() == (PLANS / f"{name}.json").read_text()
    check_runs(plan)
    assert kind in {node.kind for node in plan.nodes if isinstance(node, PythonNode)}
    with pytest.raises(UnsupportedError, match=f"by the names that a catalog of Flink had for them: {function}\n"):
        check_resolved(plan)
    resolved = with_module_functions(plan, [__name__])
    check_resolved(resolved)
    check_runs(resolved)
    assert not unresolved(resolved)
    assert general in {node.kind for node in resolved.nodes}
    assert f'"class" : "{function}"' in resolved.to_json()


def test_the_functions_of_a_session_are_those_of_the_plan() -> None:
    """Names are case-insensitive, and a plan with a function that the session lacks stays as it is."""
    env = TableEnvironment()
    reference = PlanReference.from_file(PLANS / "calc_cond.json")
    assert unresolved(env.load_plan(reference))
    env.create_temporary_function("ADD", add)
    assert not unresolved(env.load_plan(reference))


def test_the_ttl_of_a_group_aggregate_is_that_of_its_configuration() -> None:
    plan = plan_of("sumfilter")
    (node,) = (node for node in plan.nodes if isinstance(node, PythonNode))
    assert [(entry.name, entry.ttl) for entry in node.ttl_entries] == [("idleState", "0 ms")]
    held = node.model_copy(update={"configuration": {"table.exec.state.ttl": "1 h"}})
    assert [entry.ttl for entry in held.general(lambda name: None).state_entries] == ["1 h"]
