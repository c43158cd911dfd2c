"""Handwritten parts of the schema that no node declaration has: types and row expressions.

Source: Flink 2.3's plans, `LogicalTypeJsonSerializer` and `RexNodeJsonSerializer`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Schema = dict[str, Any]


def ref(name: str) -> Schema:
    """A reference to a definition."""
    return {"$ref": f"#/$defs/{name}"}


def chosen_by(key: str, choices: dict[str, Schema], absent: Schema | None = None) -> Schema:
    """An object whose schema depends on `key`, so that an error names the field and not the whole object.

    Args:
        key: the discriminating property.
        choices: the schemas by value of the property.
        absent: the schema without `key`; None if it is required.
    """
    branches: list[Schema] = [
        {"if": {"properties": {key: {"const": value}}, "required": [key]}, "then": schema}
        for value, schema in choices.items()
    ]
    chosen: Schema = {"type": "object", "properties": {key: {"enum": list(choices)}}}
    if absent is None:
        chosen["required"] = [key]
    else:
        branches.append({"if": {"not": {"required": [key]}}, "then": absent})
    return chosen | {"allOf": branches}


def closed(required: Mapping[str, Schema | bool], optional: Mapping[str, Schema] | None = None) -> Schema:
    """An object with these properties and no others."""
    return {
        "type": "object",
        "properties": {**required, **(optional or {})},
        "required": list(required),
        "additionalProperties": False,
    }


_TEXT: Schema = {"type": "string"}
_INDEX: Schema = {"type": "integer", "minimum": 0}
_NULLABLE: Schema = {"nullable": {"type": "boolean"}}


def _list(items: Schema) -> Schema:
    return {"type": "array", "items": items}


def _typed(name: str, required: dict[str, Schema], optional: dict[str, Schema] | None = None) -> Schema:
    return closed({"type": {"const": name}} | required, _NULLABLE | (optional or {}))


def _timestamp(name: str) -> Schema:
    kind = {"enum": ["REGULAR", "ROWTIME", "PROCTIME"]}
    return _typed(name, {"precision": {"type": "integer", "minimum": 0, "maximum": 9}}, {"kind": kind})


def _field(key: str) -> Schema:
    return closed({"name": _TEXT, key: ref("LogicalType")}, {"description": _TEXT})


def _types() -> dict[str, Schema]:
    stamps = ("TIMESTAMP_WITHOUT_TIME_ZONE", "TIMESTAMP_WITH_LOCAL_TIME_ZONE", "TIMESTAMP_WITH_TIME_ZONE")
    open_object: Schema = {"type": "object"}
    objects: dict[str, Schema] = {name: _timestamp(name) for name in stamps} | {
        "ROW": ref("RowTypeObject"),
        "ARRAY": _typed("ARRAY", {"elementType": ref("LogicalType")}),
        "MULTISET": _typed("MULTISET", {"elementType": ref("LogicalType")}),
        "MAP": _typed("MAP", {"keyType": ref("LogicalType"), "valueType": ref("LogicalType")}),
        "SYMBOL": _typed("SYMBOL", {}),
        # Depends on the class: not closed in Flink either.
        "STRUCTURED_TYPE": open_object | {"required": ["attributes"]},
        "DISTINCT_TYPE": open_object | {"required": ["sourceType"]},
        "RAW": open_object | {"required": ["class"]},
    }
    plain = {"CHAR": "length", "VARCHAR": "length", "BINARY": "length", "VARBINARY": "length"}
    objects |= {name: _typed(name, {key: {"type": "integer", "minimum": 0}}) for name, key in plain.items()}
    return {
        "LogicalType": {
            "description": "A type as its string, or as an object where it holds a time attribute or a class.",
            "type": ["string", "object"],
            "if": {"type": "string"},
            "then": {"minLength": 1},
            "else": chosen_by("type", objects),
        },
        "RowType": {
            "description": "A ROW type.",
            "type": ["string", "object"],
            "if": {"type": "string"},
            "then": {"pattern": "^ROW\\s*[<(]"},
            "else": ref("RowTypeObject"),
        },
        "RowTypeObject": _typed("ROW", {"fields": _list(_field("fieldType"))}),
    }


def _expressions() -> dict[str, Schema]:
    type_ = {"type": ref("LogicalType")}
    bound = closed({"value": True, "boundType": {"enum": ["OPEN", "CLOSED"]}})
    value: Schema = {"type": ["string", "number", "boolean", "null"]}
    sarg = closed(
        {"ranges": _list(closed({}, {"lower": bound, "upper": bound}))},
        {"nullAs": {"enum": ["TRUE", "FALSE", "UNKNOWN"]}, "containsNull": {"type": "boolean"}},
    )
    texts = ("syntax", "internalName", "systemName", "catalogName", "sqlKind", "class")
    call: dict[str, Schema] = dict.fromkeys(texts, _TEXT) | {"operands": _list(ref("RexNode"))}
    call["python"] = ref("PythonFunction")
    call["java"] = ref("JavaFunction")

    def kind(name: str, required: dict[str, Schema], optional: dict[str, Schema] | None = None) -> Schema:
        return closed({"kind": {"const": name}} | required, optional)

    literal = kind("LITERAL", type_, {"value": value, "symbol": _TEXT, "sarg": sarg})
    literal["oneOf"] = [{"required": ["value"]}, {"required": ["sarg"]}]
    correlated = kind("CORREL_VARIABLE", {"correl": _TEXT} | type_)
    pattern = kind("PATTERN_INPUT_REF", {"alpha": _TEXT, "inputIndex": _INDEX} | type_)
    kinds: dict[str, Schema] = {
        "INPUT_REF": kind("INPUT_REF", {"inputIndex": _INDEX} | type_),
        "LITERAL": literal,
        "CALL": kind("CALL", type_, call),
        "FIELD_ACCESS": kind("FIELD_ACCESS", {"name": _TEXT, "expr": ref("RexNode")}),
        "CORREL_VARIABLE": correlated,
        "PATTERN_INPUT_REF": pattern,
    }
    python = closed(
        {"module": _TEXT, "class": _TEXT, "kind": {"enum": ["SCALAR", "TABLE", "AGGREGATE"]}},
        {"method": _TEXT, "signature": _TEXT, "file": _TEXT}
        | {"deterministic": {"type": "boolean"}, "instance": {"type": "object"}},
    )
    java = closed({"class": _TEXT}, {"jars": _list(_TEXT), "deterministic": {"type": "boolean"}})
    return {
        "RexNode": {"description": "A row expression."} | chosen_by("kind", kinds),
        "PythonFunction": {"description": "A function in Python: its class, and how it is called."} | python,
        "JavaFunction": {"description": "A function in Java: its class."} | java,
    }


def definitions() -> dict[str, Schema]:
    return _types() | _expressions()
