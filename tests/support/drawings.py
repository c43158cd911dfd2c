"""Drawings of the conformance plans, once per process."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from compiled_plan.plans.inspection.graph.drawing import Drawing
from compiled_plan.plans.plan import CompiledPlan
from tests.support.plan_files import CONFORMANCE, name_of, text_of


@cache
def drawings() -> Mapping[str, Drawing]:
    """The drawings by name."""
    return {name: Drawing.of(CompiledPlan.from_json(text_of(name))) for name in map(name_of, CONFORMANCE)}
