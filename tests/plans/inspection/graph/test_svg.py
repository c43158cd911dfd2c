from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from compiled_plan.plans.inspection.graph.drawing import Drawing
from compiled_plan.plans.inspection.graph.svg import to_svg
from tests.support.drawings import drawing_of, drawings

_SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize("step", [8, pytest.param(1, marks=pytest.mark.wide)])
def test_boxes_are_inside_the_image_and_apart(step: int) -> None:
    for name, drawing in drawings(step).items():
        image = ElementTree.fromstring(to_svg(drawing))
        width, height = (float(image.attrib[key]) for key in ("width", "height"))
        boxes = [
            tuple(float(box.attrib[key]) for key in ("x", "y", "width", "height")) for box in image.iter(f"{_SVG}rect")
        ]
        assert len(boxes) == len(drawing.graph.nodes)
        assert all(x >= 0 and x + w <= width and y >= 0 and y + h <= height for x, y, w, h in boxes), name
        apart = (
            x + w <= left or left + wide <= x or y + h <= top or top + high <= y
            for at, (x, y, w, h) in enumerate(boxes)
            for left, top, wide, high in boxes[:at]
        )
        assert all(apart), name
        edges = [path for path in image.iter(f"{_SVG}path") if path.attrib["class"] == "edge"]
        assert len(edges) == len(drawing.graph.edges)


def test_nothing_is_loaded_and_markup_is_escaped() -> None:
    drawing = drawing_of("join/state_ttl_hint_join")
    first, *rest = drawing.graph.nodes
    odd = first.model_copy(update={"words": "<script>&", "uid": "</title>\x1b"})
    text = to_svg(Drawing(drawing.graph.model_copy(update={"nodes": [odd, *rest]})))
    assert [node.text for node in ElementTree.fromstring(text).iter(f"{_SVG}text")].count("<script>&") == 1
    assert "<script" not in text and re.findall(r"https?://(?!www\.w3\.org/2000/svg)", text) == []
