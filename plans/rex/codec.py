"""The JSON form of row expressions in a plan, read and written without loss.

Source: Flink 2.3's plans (`RexNodeJsonSerializer`'s output). Fields that Flink leaves out (the syntax FUNCTION, the
operands of a call without any) are left out here too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from plans.errors import PlanError
from plans.rex import nodes as r
from plans.types import type_from_json, type_to_json

Json = Any

_CALL_FIELDS = ("kind", "syntax", "internalName", "operands", "type")


def rex_from_json(value: Json, pointer: str = "") -> r.RexNode:
    """Read an expression.

    Args:
        value: the parsed JSON.
        pointer: JSON pointer of `value` in the plan, for errors.

    Raises:
        PlanError: unknown kind, missing field or bad type, with the JSON pointer.
    """
    if not isinstance(value, dict) or "kind" not in value:
        raise PlanError("a row expression must be an object with `kind`", where=pointer)
    reader = _READERS.get(value["kind"])
    if reader is None:
        known = ", ".join(sorted(_READERS))
        raise PlanError(f"unknown expression kind {value['kind']!r}", where=f"{pointer}/kind", remedy=f"known: {known}")
    try:
        return reader(value, pointer)
    except KeyError as missing:
        raise PlanError(f"expression {value['kind']} lacks the field {missing}", where=pointer) from None
    except PlanError as fault:
        if fault.where:
            raise
        raise PlanError(fault.message, where=pointer, remedy=fault.remedy) from None


def rex_to_json(rex: r.RexNode) -> Json:
    """Write an expression as Flink writes it."""
    match rex:
        case r.InputRef():
            return {"kind": "INPUT_REF", "inputIndex": rex.index, "type": type_to_json(rex.type)}
        case r.Literal():
            head: dict[str, Json] = {"kind": "LITERAL"}
            if rex.symbol is not None:
                head["symbol"] = rex.symbol
            return head | {"value": rex.value, "type": type_to_json(rex.type)}
        case r.Sarg():
            sarg = {"ranges": [_range_to_json(item) for item in rex.ranges], "nullAs": rex.null_as}
            return {"kind": "LITERAL", "sarg": sarg, "type": type_to_json(rex.type)}
        case r.Call():
            return _call_to_json(rex)
        case r.FieldAccess():
            return {"kind": "FIELD_ACCESS", "name": rex.name, "expr": rex_to_json(rex.expr)}
        case r.CorrelVariable():
            return {"kind": "CORREL_VARIABLE", "correl": rex.name, "type": type_to_json(rex.type)}
        case r.PatternInputRef():
            head = {"kind": "PATTERN_INPUT_REF", "alpha": rex.alpha, "inputIndex": rex.index}
            return head | {"type": type_to_json(rex.type)}
    raise PlanError(f"expression {type(rex).__name__} cannot stand in a plan")


def _call_to_json(call: r.Call) -> Json:
    found: dict[str, Json] = {"kind": "CALL"}
    if call.syntax is not None:
        found["syntax"] = call.syntax
    if call.name:
        found["internalName"] = call.name
    found |= dict(call.extra)
    if call.operands:
        found["operands"] = [rex_to_json(operand) for operand in call.operands]
    found["type"] = type_to_json(call.type)
    return found


def _range_to_json(item: r.Range) -> Json:
    found: dict[str, Json] = {}
    if item.has_lower:
        found["lower"] = {"value": item.lower, "boundType": "CLOSED" if item.lower_closed else "OPEN"}
    if item.has_upper:
        found["upper"] = {"value": item.upper, "boundType": "CLOSED" if item.upper_closed else "OPEN"}
    return found


def _range_from_json(value: Json) -> r.Range:
    lower, upper = value.get("lower"), value.get("upper")
    return r.Range(
        lower=lower["value"] if lower else None,
        lower_closed=bool(lower) and lower["boundType"] == "CLOSED",
        upper=upper["value"] if upper else None,
        upper_closed=bool(upper) and upper["boundType"] == "CLOSED",
        has_lower=lower is not None,
        has_upper=upper is not None,
    )


def _literal(value: Json, pointer: str) -> r.RexNode:
    type_ = type_from_json(value["type"])
    if "sarg" in value:
        sarg = value["sarg"]
        return r.Sarg(tuple(_range_from_json(item) for item in sarg["ranges"]), sarg["nullAs"], type_)
    return r.Literal(value["value"], type_, value.get("symbol"))


def _call(value: Json, pointer: str) -> r.RexNode:
    operands = tuple(
        rex_from_json(item, f"{pointer}/operands/{index}") for index, item in enumerate(value.get("operands", ()))
    )
    extra = tuple((key, item) for key, item in value.items() if key not in _CALL_FIELDS)
    name = value.get("internalName", "")
    return r.Call(name, operands, type_from_json(value["type"]), value.get("syntax"), extra)


_READERS: dict[str, Callable[[Json, str], r.RexNode]] = {
    "INPUT_REF": lambda v, _: r.InputRef(v["inputIndex"], type_from_json(v["type"])),
    "LITERAL": _literal,
    "CALL": _call,
    "FIELD_ACCESS": lambda v, p: r.FieldAccess(rex_from_json(v["expr"], f"{p}/expr"), v["name"]),
    "CORREL_VARIABLE": lambda v, _: r.CorrelVariable(v["correl"], type_from_json(v["type"])),
    "PATTERN_INPUT_REF": lambda v, _: r.PatternInputRef(v["alpha"], v["inputIndex"], type_from_json(v["type"])),
}
