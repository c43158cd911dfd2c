from __future__ import annotations

import pytest

from compiled_plan.plans.inspection.diff.model import Change
from compiled_plan.plans.inspection.graph.drawing import Drawing, Mark, Part, Style
from compiled_plan.plans.inspection.judging.verdicts import Verdict
from compiled_plan.plans.plan import CompiledPlan
from tests.support.plan_files import text_of


def test_a_box_has_the_state_with_its_ttls() -> None:
    plan = CompiledPlan.from_json(text_of("join/state_ttl_hint_join"))
    drawing = Drawing.of(plan)
    (join,) = (node for node in drawing.graph.nodes if node.kind == "join")
    drawing = Drawing(drawing.graph, {join.id: Mark(Change.TTL_CHANGED, Verdict.FULL)})
    lines = drawing.box(join)
    assert [line.part for line in lines if line.part is not Part.DETAIL] == [
        Part.TITLE,
        Part.STATE,
        Part.STATE,
        Part.MARK,
    ]
    assert [line.text for line in lines if line.part is Part.STATE] == [
        f"{entry.name}: {entry.effective_ttl}" for entry in join.state
    ]
    assert lines[-1].text == "ttl changed" and all(len(line.text) <= 36 for line in lines)


@pytest.mark.parametrize(
    ("change", "verdict", "style", "text"),
    [
        (Change.ADDED, Verdict.FULL, Style.ADDED, "added"),
        (Change.ADDED, Verdict.PARTIAL, Style.PARTIAL, "added, partially compatible"),
        (Change.REMOVED, Verdict.FULL, Style.REMOVED, "removed"),
        (Change.MOVED, Verdict.FULL, Style.CHANGED, "moved"),
        (Change.CHANGED, Verdict.INCOMPATIBLE, Style.INCOMPATIBLE, "changed, incompatible"),
        (Change.CHANGED, Verdict.UNKNOWN, Style.UNKNOWN, "changed, unknown"),
    ],
)
def test_marks(change: Change, verdict: Verdict, style: Style, text: str) -> None:
    mark = Mark(change, verdict)
    assert (mark.style, mark.text) == (style, text)
