"""Conversion of types to Avro schemas and back, as Flink's `AvroSchemaConverter` does it.

Sources: Flink's pages "Avro" and "Confluent Avro"; schemas that Flink 2.3 registers and refuses.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from compiled_plan.plans import types as t
from compiled_plan.plans.connectors.columns import Rule, column, within
from compiled_plan.plans.connectors.format_spec import Unfit

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_RECORD = "org.apache.flink.avro.generated.record"
_LEGACY = "timestamp_mapping.legacy"


def avro_columns(name: str) -> Rule:
    """Column rule of an Avro format; without the option for timestamps, Flink's legacy mapping holds."""

    def rule(row: t.RowType, options: Mapping[str, str]) -> Unfit | None:
        legacy = options.get(_LEGACY, "true").strip().lower() == "true"
        # Only the format `avro` has an option that selects the correct mapping.
        corrected = f", or set 'avro.{_LEGACY}' = 'false'" if name == "avro" else ""
        for field in row.fields:
            for type_ in within(field.type):
                remedy = _remedy(type_, legacy, corrected)
                if remedy is not None:
                    return column(name, field, remedy)
        for text in (text for type_ in within(row) if isinstance(type_, t.FieldsType) for text in type_.names):
            if not _NAME.fullmatch(text):
                return Unfit(
                    f"format {name!r} cannot hold a column named {text!r}", "use letters, digits and underscores alone"
                )
        return None

    return rule


def _remedy(type_: t.LogicalType, legacy: bool, corrected: str) -> str | None:
    match type_:
        case t.TimestampType() if legacy and type_.precision > 3:
            return f"make it a TIMESTAMP(3){corrected}"
        case t.TimestampLtzType() if legacy:
            return f"make it a TIMESTAMP(3){corrected}"
        case t.TimeType() if type_.precision > 3:
            return "make it a TIME(3)"
        case t.MapType() if not isinstance(type_.key, t.CharacterType):
            return "make the map's key a STRING"
        case t.MultisetType() if not isinstance(type_.element, t.CharacterType):
            return "make the multiset's element a STRING"
        case t.RawType() | t.VariantType() | t.BitmapType() | t.TimestampTzType() | t.IntervalType():
            return "declare it as STRING or BYTES"
    return None


def avro_schema(type_: t.LogicalType, *, legacy: bool = True, name: str = _RECORD) -> object:
    """The Avro schema, as JSON values, of a type that passes the rule of `avro_columns`; `name` names its record.

    With `legacy`, TIMESTAMP maps to Avro's timestamp, an instant; otherwise to a local timestamp, and TIMESTAMP_LTZ to
    an instant.
    """
    schema = _present(type_, legacy, name)
    return ["null", schema] if type_.nullable and schema != "null" else schema


_SIMPLE: Mapping[type[t.LogicalType], str] = {
    t.NullType: "null",
    t.BooleanType: "boolean",
    t.IntegerType: "int",
    t.FloatType: "float",
    t.DoubleType: "double",
    t.CharacterType: "string",
    t.BytesType: "bytes",
}


def _present(type_: t.LogicalType, legacy: bool, name: str) -> object:
    match type_:
        case t.BigIntType():
            return "long"
        case t.DateType():
            return {"type": "int", "logicalType": "date"}
        case t.TimeType():
            return {"type": "int", "logicalType": "time-millis"}
        case t.TimestampType():
            return {"type": "long", "logicalType": ("" if legacy else "local-") + _timestamp(type_.precision)}
        case t.TimestampLtzType():
            return {"type": "long", "logicalType": _timestamp(type_.precision)}
        case t.DecimalType():
            return {"type": "bytes", "logicalType": "decimal", "precision": type_.precision, "scale": type_.scale}
        case t.ArrayType():
            return {"type": "array", "items": avro_schema(type_.element, legacy=legacy, name=name)}
        case t.MapType():
            return {"type": "map", "values": avro_schema(type_.value, legacy=legacy, name=name)}
        case t.MultisetType():
            return {"type": "map", "values": avro_schema(t.INT, legacy=legacy, name=name)}
        case t.FieldsType():
            return _record(type_, legacy, name)
    return next(avro for kind, avro in _SIMPLE.items() if isinstance(type_, kind))


def _timestamp(precision: int) -> str:
    if precision <= 3:
        return "timestamp-millis"
    return "timestamp-micros" if precision <= 6 else "timestamp-nanos"


def _record(type_: t.FieldsType, legacy: bool, name: str) -> dict[str, object]:
    fields = []
    for field in type_.fields:
        entry = {"name": field.name, "type": avro_schema(field.type, legacy=legacy, name=f"{name}_{field.name}")}
        fields.append(entry | {"default": None} if field.type.nullable else entry)
    namespace, _, simple = name.rpartition(".")
    return {"type": "record", "name": simple, "namespace": namespace, "fields": fields}


def debezium_row(row: t.RowType) -> t.RowType:
    """The row of a Debezium event: the table's row before and after the change, and the operation."""
    fields = (
        t.Field("before", row.with_nullability(True)),
        t.Field("after", row.with_nullability(True)),
        t.Field("op", t.STRING),
    )
    return t.RowType(fields=fields)


def schema_rule(name: str, *, events: bool = False) -> Rule:
    """Column rule of an Avro format: its option `schema` must match the table's row, with `events` its Debezium row."""
    columns = avro_columns(name)

    def rule(row: t.RowType, options: Mapping[str, str]) -> Unfit | None:
        unfit = columns(row, options)
        schema = options.get("schema")
        if unfit is not None or schema is None:
            return unfit
        try:
            type_ = _type_of(json.loads(schema), {})
        except (ValueError, KeyError, TypeError, AttributeError, LookupError) as fault:
            return Unfit(f"option '{name}.schema' is no schema of Avro: {fault}", "correct it, or leave it out")
        wanted = debezium_row(row) if events else row.not_null()
        declared = type_ if events else type_.not_null()
        if _plain(declared) != _plain(wanted):
            return Unfit(
                f"option '{name}.schema' does not match the table: it says {declared}, and the table {wanted}",
                "correct the columns' types and NOT NULL, or leave the option out",
            )
        return None

    return rule


def _plain(type_: t.LogicalType) -> t.LogicalType:
    """The type without the comments of fields."""
    return (
        t.RowType(
            fields=tuple(t.Field(field.name, _plain(field.type)) for field in type_.fields), nullable=type_.nullable
        )
        if isinstance(type_, t.RowType)
        else type_
    )


_PRIMITIVE: Mapping[str, t.LogicalType] = {
    "null": t.NULL,
    "boolean": t.BooleanType(),
    "int": t.INT,
    "long": t.BIGINT,
    "float": t.FloatType(),
    "double": t.DoubleType(),
    "string": t.STRING,
    "bytes": t.BYTES,
    "enum": t.STRING,
}
_LOGICAL: Mapping[tuple[str, str], t.LogicalType] = {
    ("int", "date"): t.DATE,
    ("int", "time-millis"): t.TimeType(precision=3),
    ("long", "time-micros"): t.TimeType(precision=6),
    ("long", "timestamp-millis"): t.TimestampType(precision=3),
    ("long", "timestamp-micros"): t.TimestampType(precision=6),
}


def _type_of(schema: Any, named: dict[str, object]) -> t.LogicalType:
    """The type of a schema, with Flink's legacy mapping of timestamps; `named` holds the named schemas before it.

    Raises ValueError for an invalid schema, and for types that columns cannot have.
    """
    if isinstance(schema, list):
        present = [branch for branch in schema if branch != "null"]
        if len(present) != 1 or len(schema) > 2:
            raise ValueError("a union of several types")
        branch_type = _type_of(present[0], named)
        return branch_type.with_nullability(True) if len(schema) == 2 else branch_type
    if isinstance(schema, str):
        if schema in named:
            return _type_of(named[schema], named)
        if schema not in _PRIMITIVE:
            raise ValueError(f"no type is named {schema!r}")
        return _PRIMITIVE[schema] if schema == "null" else _PRIMITIVE[schema].not_null()
    kind, logical = schema["type"], str(schema.get("logicalType"))
    if "name" in schema:
        named[schema["name"]] = schema
        named[f"{schema.get('namespace', '')}.{schema['name']}"] = schema
    if logical == "decimal" and kind in ("bytes", "fixed"):
        return t.DecimalType(precision=schema["precision"], scale=schema.get("scale", 0), nullable=False)
    if kind == "record":
        fields = tuple(t.Field(field["name"], _type_of(field["type"], named)) for field in schema["fields"])
        return t.RowType(fields=fields, nullable=False)
    if kind == "array":
        return t.ArrayType(element=_type_of(schema["items"], named), nullable=False)
    if kind == "map":
        return t.MapType(key=t.STRING.not_null(), value=_type_of(schema["values"], named), nullable=False)
    if kind == "fixed":
        return t.VarBinaryType(length=schema["size"], nullable=False)
    if kind != "enum" and not isinstance(kind, str):
        return _type_of(kind, named)
    return _LOGICAL.get((kind, logical), _PRIMITIVE.get(kind, t.NULL)).not_null()
