"""Flink's logical types: values, type strings, JSON forms."""

from compiled_plan.plans.types.codec import type_from_json, type_to_json
from compiled_plan.plans.types.logical import *  # noqa: F403
from compiled_plan.plans.types.logical import __all__ as _types
from compiled_plan.plans.types.parse import parse_type

__all__ = [*_types, "parse_type", "type_from_json", "type_to_json"]
