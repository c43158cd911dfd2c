"""The format `avro`. Source: Flink's page "Avro"."""

from __future__ import annotations

import re
from collections.abc import Mapping

from compiled_plan.plans import types as t
from compiled_plan.plans.connectors.columns import column, within
from compiled_plan.plans.connectors.common import flag
from compiled_plan.plans.connectors.spec import Effect, FormatSpec, TableOption, Unfit, Use
from compiled_plan.plans.options import Kind

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def _unfit(row: t.RowType, options: Mapping[str, str]) -> Unfit | None:
    legacy = options.get("timestamp_mapping.legacy", "true").strip().lower() == "true"
    for field in row.fields:
        for type_ in within(field.type):
            remedy = _remedy(type_, legacy)
            if remedy is not None:
                return column("avro", field, remedy)
    for name in (name for type_ in within(row) if isinstance(type_, t.FieldsType) for name in type_.names):
        if not _NAME.fullmatch(name):
            return Unfit(
                f"format 'avro' cannot hold a column named {name!r}", "use letters, digits and underscores alone"
            )
    return None


def _remedy(type_: t.LogicalType, legacy: bool) -> str | None:
    corrected = "set 'avro.timestamp_mapping.legacy' = 'false'"
    match type_:
        case t.TimestampType() if legacy and type_.precision > 3:
            return f"make it a TIMESTAMP(3), or {corrected}"
        case t.TimestampLtzType() if legacy:
            return f"make it a TIMESTAMP(3), or {corrected}"
        case t.TimeType() if type_.precision > 3:
            return "make it a TIME(3)"
        case t.MapType() if not isinstance(type_.key, t.CharacterType):
            return "make the map's key a STRING"
        case t.MultisetType() if not isinstance(type_.element, t.CharacterType):
            return "make the multiset's element a STRING"
        case t.RawType() | t.VariantType() | t.TimestampTzType() | t.IntervalType():
            return "declare it as STRING or BYTES"
    return None


SPEC = FormatSpec(
    "avro",
    "Avro's container files; their schema follows from the columns.",
    {
        "codec": TableOption(
            Kind.WORD,
            "snappy",
            ("null", "deflate", "snappy", "bzip2", "xz", "zstandard"),
            doc="How blocks are compressed.",
            uses=Use.SINK,
        ),
        # A container file has but one encoding; the option is for messages.
        "encoding": TableOption(
            Kind.CHOICE, "binary", ("binary", "json"), doc="The encoding of messages.", effect=Effect.TUNING
        ),
        "timestamp_mapping.legacy": flag("A TIMESTAMP is Avro's timestamp, which is a moment.", "true"),
    },
    extension="avro",
    unfit=_unfit,
)
