"""The format `protobuf`. Sources: Flink's page "Protobuf"; experiments with Flink 2.3."""

from __future__ import annotations

from collections.abc import Mapping

from compiled_plan.plans import types as t
from compiled_plan.plans.connectors.columns import column, within
from compiled_plan.plans.connectors.common import flag
from compiled_plan.plans.connectors.format_spec import FormatSpec, Unfit
from compiled_plan.plans.connectors.jars import PROTOBUF
from compiled_plan.plans.connectors.table_options import TableOption, Use
from compiled_plan.plans.text.options import Kind

_TYPES = (
    t.BooleanType,
    t.IntegerType,
    t.FloatType,
    t.DoubleType,
    t.CharacterType,
    t.BytesType,
    t.ArrayType,
    t.MapType,
    t.RowType,
)


def _unfit(row: t.RowType, options: Mapping[str, str]) -> Unfit | None:
    """Columns that no message can hold; a run checks at its start that the message type has the columns."""
    remedy = (
        "make it of the type of its field: BOOLEAN, INT, BIGINT, FLOAT, DOUBLE, STRING, BYTES, ARRAY, MAP or ROW "
        "(a google.protobuf.Timestamp is a ROW<seconds BIGINT, nanos INT>)"
    )
    wrong = (field for field in row.fields if not all(isinstance(type_, _TYPES) for type_ in within(field.type)))
    return next((column("protobuf", field, remedy) for field in wrong), None)


SPEC = FormatSpec(
    "protobuf",
    "A Protocol Buffers message, whose type is a Java class on the class path.",
    {
        "message-class-name": TableOption(
            Kind.TEXT,
            doc="The full name of the class that `protoc` generated for the type, `com.example.File$Message` for a "
            "nested class.",
            required=True,
        ),
        "ignore-parse-errors": flag("Skip unreadable messages.", uses=Use.SOURCE),
        "read-default-values": flag(
            "Read a missing field as its default instead of NULL; plain fields of proto3 always do.",
            uses=Use.SOURCE,
        ),
        "write-null-string-literal": TableOption(
            Kind.TEXT,
            doc="The text for a NULL string in arrays and maps, by default empty; other types are written as their "
            "default.",
            uses=Use.SINK,
        ),
    },
    messages=True,
    files=False,
    unfit=_unfit,
    packages=(PROTOBUF,),
    at_start="the Java class of the messages",
)
