from __future__ import annotations

import re

import pytest

from compiled_plan.plans.inspection.diff.model import Change
from compiled_plan.plans.inspection.graph.drawing import Drawing, Mark
from compiled_plan.plans.inspection.graph.mermaid import to_mermaid
from compiled_plan.plans.inspection.judging.verdicts import Verdict
from tests.support.drawings import drawing_of, drawings

#: The lines of a flowchart that the rendering may have, each with quoted labels.
_LABEL = r'"(?:[\w ,.:;()/=+*!?%\'…-]|#\d+;|<br/>)+"'
_LINE = re.compile(
    rf"flowchart LR|  n\d+\[[(\[]?{_LABEL}[)\]]?\]|  n\d+ (?:-->|-\.->)(?:\|{_LABEL}\|)? n\d+"
    r"|  classDef [a-z]+ [\w:#,\- ]+|  class n\d+(?:,n\d+)* [a-z]+"
)


@pytest.mark.parametrize("step", [8, pytest.param(1, marks=pytest.mark.wide)])
def test_every_plan_is_a_flowchart(step: int) -> None:
    for name, drawing in drawings(step).items():
        lines = to_mermaid(drawing).splitlines()
        assert [line for line in lines if not _LINE.fullmatch(line)] == [], name
        assert len(lines) == 1 + len(drawing.graph.nodes) + len(drawing.graph.edges)


def test_marks_and_characters_with_a_meaning() -> None:
    drawing = drawing_of("join/state_ttl_hint_join")
    first, second, *_ = drawing.graph.nodes
    odd = drawing.graph.model_copy(
        update={"nodes": [first.model_copy(update={"words": 'a"b`#<|>\x1b'}), *drawing.graph.nodes[1:]]}
    )
    marks = {first.id: Mark(Change.REMOVED, Verdict.FULL), second.id: Mark(Change.CHANGED, Verdict.INCOMPATIBLE)}
    lines = to_mermaid(Drawing(odd, marks)).splitlines()
    assert r"a#34;b#96;#35;#60;#124;#62;#92;u001b<br/>" in lines[1]
    assert f"  class n{first.id} removed" in lines and f"  class n{second.id} incompatible" in lines
    assert any(re.fullmatch(rf"  n{first.id} -\.->.* n\d+", line) for line in lines)
