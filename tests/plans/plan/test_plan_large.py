"""Large plans that Flink compiled, near its limit: its own stack overflows soon after.

Flink nests every chain: `IN` of 300 constants over a cast, `||` of 300 operands, an AND and an OR of 300 parts, 300
calls and 300 sums inside of each other, 100 CASEs, 300 aggregated columns, 100 sinks. With a stack of 512 MB
it compiled the others: 1,000 columns, computed and aggregated, and chains of 300 operators, of `tests.support.large`.
"""

from __future__ import annotations

import json
import lzma
from pathlib import Path

import pytest

from compiled_plan.plans.execution.explain import stages_of, stages_text
from compiled_plan.plans.inspection.check import check
from compiled_plan.plans.inspection.entries import state_lines
from compiled_plan.plans.inspection.explain import explain
from compiled_plan.plans.inspection.identity import with_uids
from compiled_plan.plans.plan import CompiledPlan

pytestmark = pytest.mark.wide

FOLDER = Path(__file__).parent / "flink"
#: Number of nodes of the plans.
NODES = {
    "aggregates300": 752,
    "and300": 3,
    "calls300": 3,
    "case100": 3,
    "columns1000": 3,
    "columns300": 4,
    "concat300": 3,
    "in300": 3,
    "mixed10": 24,
    "mixed300": 546,
    "or300": 3,
    "parens300": 3,
    "sinks100": 300,
    "sums1000": 4,
}
#: Plans that take seconds.
LARGEST = {"aggregates300", "columns1000", "mixed300", "sums1000"}
#: Number of state entries of the stateful plans.
ENTRIES = {"aggregates300": 300, "columns300": 1, "mixed10": 6, "mixed300": 180, "sums1000": 1}


def text_of(name: str) -> str:
    return lzma.open(FOLDER / f"{name}.json.xz", "rt", encoding="utf-8").read()


def test_every_large_plan_is_covered() -> None:
    assert sorted(path.name.removesuffix(".json.xz") for path in FOLDER.iterdir()) == sorted(NODES)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.deep) if name in LARGEST else name for name in NODES]
)
def test_a_large_plan_of_flink(name: str) -> None:
    text = text_of(name)
    assert check(text) == ()
    plan = CompiledPlan.from_json(text)
    assert len(plan.nodes) == NODES[name]
    again = CompiledPlan.from_json(plan.to_json())
    assert again == plan and again.to_json() == plan.to_json()
    assert plan.to_json().splitlines() == text.splitlines()
    assert len({node.id for node in with_uids(plan).nodes}) == NODES[name]
    assert len(explain(plan).splitlines()) >= NODES[name]
    assert len(state_lines(plan)) == ENTRIES.get(name, 0)
    assert "sinks" in stages_text(stages_of(plan))


def test_a_deeply_nested_fault_has_its_pointer() -> None:
    data = json.loads(text_of("concat300"))
    operand, way = data["nodes"][1]["projection"][1], ["nodes", "1", "projection", "1"]
    for _ in range(200):
        operand = operand["operands"][0]
        way += ["operands", "0"]
    operand["operands"][1]["inputIndex"] = 9
    (finding,) = check(json.dumps(data))
    assert finding.pointer == f"/{'/'.join(way)}/operands/1/inputIndex"
