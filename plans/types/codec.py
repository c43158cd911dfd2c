"""The JSON forms of types in a plan.

Source: Flink 2.3's plans. A type is written as its string; a type that contains a time attribute, a text of length 0
or a class is written as an object, down to that component.
"""

from __future__ import annotations

import json

from compiled_plan.plans.deep import deeply
from compiled_plan.plans.errors import NestingError, PlanError
from compiled_plan.plans.types import logical as t
from compiled_plan.plans.types.parse import parse_type

_LENGTHS: dict[str, type[t.CharacterType] | type[t.BytesType]] = {
    "CHAR": t.CharType,
    "VARCHAR": t.VarCharType,
    "BINARY": t.BinaryType,
    "VARBINARY": t.VarBinaryType,
}


def type_to_json(type_: t.LogicalType) -> object:
    """The plan's JSON form of a type: a string, or an object if a string cannot express it."""
    if not _needs_object(type_):
        return str(type_)
    head: dict[str, object] = {"type": type_.ROOT}
    if not type_.nullable:
        head["nullable"] = False
    match type_:
        case t.SymbolType():
            return head
        case t.CharacterType() | t.BytesType():
            return head | {"length": type_.length}
        case t.TimestampType() | t.TimestampLtzType():
            return head | {"precision": type_.precision, "kind": type_.kind.value}
        case t.RowType():
            return head | {"fields": [_field_to_json(field, "fieldType") for field in type_.fields]}
        case t.StructuredType() | t.RawType() if type_.json is not None:
            stored: dict[str, object] = json.loads(type_.json)
            stored.pop("nullable", None)
            return {"type": stored.pop("type")} | head | stored
        case t.StructuredType():
            attributes = [_field_to_json(field, "attributeType") for field in type_.fields]
            return head | {"implementationClass": type_.class_name, "attributes": attributes}
        case t.ArrayType() | t.MultisetType():
            return head | {"elementType": type_to_json(type_.element)}
        case t.MapType():
            return head | {"keyType": type_to_json(type_.key), "valueType": type_to_json(type_.value)}
    raise PlanError(f"type {type_} has no JSON form")


@deeply
def type_from_json(value: object) -> t.LogicalType:
    """The type of a plan's JSON form. Raises PlanError unless it is a type string or an object of a known `type`."""
    if isinstance(value, str):
        return parse_type(value)
    if not isinstance(value, dict) or not isinstance(value.get("type"), str):
        raise PlanError(f"not a type: {json.dumps(value)[:80]}", remedy="write a type string or an object with `type`")
    nullable = bool(value.get("nullable", True))
    try:
        match value["type"]:
            case "TIMESTAMP_WITHOUT_TIME_ZONE":
                kind = t.TimeKind(value.get("kind", "REGULAR"))
                return t.TimestampType(nullable=nullable, precision=_number(value, "precision", 9), kind=kind)
            case "TIMESTAMP_WITH_LOCAL_TIME_ZONE":
                kind = t.TimeKind(value.get("kind", "REGULAR"))
                return t.TimestampLtzType(nullable=nullable, precision=_number(value, "precision", 9), kind=kind)
            case "CHAR" | "VARCHAR" | "BINARY" | "VARBINARY" if "length" in value:
                return _LENGTHS[value["type"]](nullable=nullable, length=_number(value, "length", t.MAX_LENGTH))
            case "ROW":
                fields = tuple(_field_from_json(field, "fieldType") for field in value["fields"])
                return t.RowType(nullable=nullable, fields=fields)
            case "STRUCTURED_TYPE":
                fields = tuple(_field_from_json(field, "attributeType") for field in value["attributes"])
                name = value.get("implementationClass") or value.get("className", "")
                return t.StructuredType(nullable=nullable, class_name=str(name), fields=fields, json=json.dumps(value))
            case "ARRAY":
                return t.ArrayType(nullable=nullable, element=type_from_json(value["elementType"]))
            case "MULTISET":
                return t.MultisetType(nullable=nullable, element=type_from_json(value["elementType"]))
            case "MAP":
                key, item = type_from_json(value["keyType"]), type_from_json(value["valueType"])
                return t.MapType(nullable=nullable, key=key, value=item)
            case "RAW":
                return t.RawType(nullable=nullable, class_name=_text(value, "class"), json=json.dumps(value))
    except NestingError as fault:
        raise PlanError(fault.message, remedy=fault.remedy) from None
    except (KeyError, ValueError) as fault:
        raise PlanError(f"type {value['type']} lacks or misspells {fault}") from None
    except (TypeError, AttributeError):
        raise PlanError(f"type {value['type']} has a field of the wrong kind: {json.dumps(value)[:80]}") from None
    return parse_type(value["type"]).with_nullability(nullable)


def _needs_object(type_: t.LogicalType) -> bool:
    if isinstance(type_, t.TimestampBase):
        return type_.is_time_attribute
    if isinstance(type_, t.SymbolType) or (isinstance(type_, t.CharacterType | t.BytesType) and type_.length == 0):
        return True
    if isinstance(type_, t.RawType | t.StructuredType) and type_.json is not None:
        return True
    return any(_needs_object(child) for child in type_.children())


def _field_to_json(field: t.Field, key: str) -> object:
    entry = {"name": field.name, key: type_to_json(field.type)}
    return entry if field.comment is None else entry | {"description": field.comment}


def _field_from_json(value: object, key: str) -> t.Field:
    if not isinstance(value, dict):
        raise TypeError
    comment = _text(value, "description") if value.get("description") is not None else None
    return t.Field(_text(value, "name"), type_from_json(value[key]), comment)


def _number(value: dict[str, object], key: str, most: int) -> int:
    number = value[key]
    if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number <= most:
        raise PlanError(f"`{key}` of {value['type']} must be a whole number from 0 to {most}, not {json.dumps(number)}")
    return number


def _text(value: dict[str, object], key: str) -> str:
    text = value[key]
    if not isinstance(text, str):
        raise PlanError(f"`{key}` of a type must be a text, not {json.dumps(text)[:60]}")
    return text
