"""Drawings of the conformance plans."""

from __future__ import annotations

from collections.abc import Mapping

from compiled_plan.plans.inspection.graph.drawing import Drawing
from compiled_plan.plans.plan import CompiledPlan
from tests.support.plan_files import CONFORMANCE, name_of, text_of


def drawing_of(name: str) -> Drawing:
    """The drawing of a plan."""
    return Drawing.of(CompiledPlan.from_json(text_of(name)))


def drawings(step: int) -> Mapping[str, Drawing]:
    """The drawings of each `step`-th plan by name."""
    return {name: drawing_of(name) for name in map(name_of, CONFORMANCE[::step])}
