from __future__ import annotations

import re

import pytest

from compiled_plan.plans.inspection.graph.dot import to_dot
from compiled_plan.plans.inspection.graph.drawing import Drawing
from tests.support.drawings import drawing_of, drawings

_TEXT = r'"(?:[^"\\]|\\.)*"'
_LINE = re.compile(
    rf"digraph plan \{{|\}}|  rankdir=LR|  (?:node|edge) \[.*\]"
    rf"|  n\d+ \[label={_TEXT}, shape=\w+\]|  n\d+ -> n\d+(?: \[label={_TEXT}\])?"
)


@pytest.mark.parametrize("step", [8, pytest.param(1, marks=pytest.mark.wide)])
@pytest.mark.slow
def test_every_plan_is_a_directed_graph(step: int) -> None:
    for name, drawing in drawings(step).items():
        lines = to_dot(drawing).splitlines()
        assert [line for line in lines if not _LINE.fullmatch(line)] == [], name


def test_quotes_and_backslashes_are_escaped() -> None:
    drawing = drawing_of("join/state_ttl_hint_join")
    first, *rest = drawing.graph.nodes
    odd = first.model_copy(update={"words": 'a"b\\'})
    assert r'[label="a\"b\\\n' in to_dot(Drawing(drawing.graph.model_copy(update={"nodes": [odd, *rest]})))
