"""The format `orc`. Source: Flink's page "ORC"."""

from __future__ import annotations

from compiled_plan.plans import types as t
from compiled_plan.plans.connectors.columns import without
from compiled_plan.plans.connectors.format_spec import FormatSpec

_WITHOUT = (
    *(t.TimeType, t.NullType, t.MultisetType, t.RawType, t.VariantType, t.BitmapType, t.TimestampTzType),
    t.IntervalType,
)

SPEC = FormatSpec(
    "orc",
    "ORC files. Options go to the ORC library.",
    extension="orc",
    blocks=True,
    open=True,
    unfit=without("orc", _WITHOUT, "declare it as STRING or INT"),
)
