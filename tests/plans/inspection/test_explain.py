from __future__ import annotations

from compiled_plan.plans.inspection.explain import explain, steps
from compiled_plan.plans.plan import CompiledPlan
from tests.support.plan_files import text_of


def test_a_plan_is_steps_from_its_sinks_down_and_then_text() -> None:
    plan = CompiledPlan.from_json(text_of("join/state_ttl_hint_join"))
    result = list(steps(plan))
    (sink,) = plan.sinks
    assert (result[0].depth, result[0].node) == (0, sink.id)
    assert {step.node for step in result} == {node.id for node in plan.nodes}
    with_ttl = [step for step in result if step.ttls]
    assert with_ttl
    for step in with_ttl:
        assert step.ttls == tuple((entry.name, entry.ttl) for entry in plan.node(step.node).ttl_entries)
    lines = explain(plan).splitlines()
    assert len(lines) == len(result) + sum(len(step.ttls) for step in result)
    assert f"state: {with_ttl[0].ttls[0][0]}, ttl {with_ttl[0].ttls[0][1]}" in explain(plan)
