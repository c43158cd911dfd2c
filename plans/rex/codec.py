"""The JSON form of row expressions in a plan, read and written without loss.

Source: Flink 2.3's plans (`RexNodeJsonSerializer`'s output). Fields that Flink leaves out (the syntax FUNCTION, the
operands of a call without any) are left out here too.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from plans.errors import PlanError
from plans.rex import nodes as r
from plans.rex.python import FIELD, PythonFunction, python_function_from_json
from plans.types import LogicalType, type_from_json, type_to_json

Json = Any

_CALL_FIELDS = ("kind", "syntax", "internalName", "operands", "type")
#: Further fields that name a call's function: a user's, or an operator of the parser.
_NAMES = ("systemName", "catalogName", "sqlKind", "class", "functionKind", "instance", FIELD)


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
    kind = value["kind"]
    reader = _READERS.get(kind) if isinstance(kind, str) else None
    if reader is None:
        near = _nearest(kind)
        remedy = f"did you mean `{near}`?" if near else f"known: {', '.join(sorted(_READERS))}"
        raise PlanError(f"unknown expression kind {kind!r}", where=f"{pointer}/kind", remedy=remedy)
    try:
        return reader(value, pointer)
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
    found |= {key: item.to_json() if isinstance(item, PythonFunction) else item for key, item in call.extra}
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


def _nearest(kind: object) -> str:
    import difflib  # for errors alone

    return next(iter(difflib.get_close_matches(str(kind), _READERS, n=1)), "")


def _field(value: dict[str, Json], key: str, kind: type | tuple[type, ...], pointer: str) -> Json:
    """A field of an expression, of the right JSON type."""
    if key not in value:
        raise PlanError(f"an expression lacks the field `{key}`", where=f"{pointer}/{key}", remedy=f"add `{key}`")
    found = value[key]
    if not isinstance(found, kind) or (isinstance(found, bool) and kind is int):
        wanted = " or ".join(_WORDS[one] for one in (kind if isinstance(kind, tuple) else (kind,)))
        shown = json.dumps(found)[:60]
        raise PlanError(f"`{key}` must be {wanted}, not {shown}", where=f"{pointer}/{key}", remedy=f"write {wanted}")
    return found


_WORDS: dict[type, str] = {
    int: "a whole number",
    str: "a text",
    list: "a list",
    dict: "an object",
    bool: "true or false",
    float: "a number",
    type(None): "null",
}
_SCALAR = (str, int, float, bool, type(None))


def _type(value: dict[str, Json], pointer: str) -> LogicalType:
    return type_from_json(_field(value, "type", (str, dict), pointer))


def _range(value: Json, pointer: str) -> r.Range:
    if not isinstance(value, dict):
        raise PlanError("a range must be an object", where=pointer)
    lower, lower_closed = _bound(value, "lower", pointer)
    upper, upper_closed = _bound(value, "upper", pointer)
    return r.Range(lower, lower_closed, upper, upper_closed, "lower" in value, "upper" in value)


def _bound(value: dict[str, Json], key: str, pointer: str) -> tuple[Json, bool]:
    if key not in value:
        return None, False
    bound = _field(value, key, dict, pointer)
    kind = _field(bound, "boundType", str, f"{pointer}/{key}")
    if kind not in ("OPEN", "CLOSED"):
        raise PlanError(f"unknown bound {kind!r}", where=f"{pointer}/{key}/boundType", remedy="known: OPEN, CLOSED")
    return _field(bound, "value", _SCALAR, f"{pointer}/{key}"), kind == "CLOSED"


def _literal(value: dict[str, Json], pointer: str) -> r.RexNode:
    type_ = _type(value, pointer)
    if "sarg" in value:
        sarg = _field(value, "sarg", dict, pointer)
        ranges = _field(sarg, "ranges", list, f"{pointer}/sarg")
        found = tuple(_range(item, f"{pointer}/sarg/ranges/{at}") for at, item in enumerate(ranges))
        return r.Sarg(found, _field(sarg, "nullAs", str, f"{pointer}/sarg"), type_)
    symbol = _field(value, "symbol", str, pointer) if "symbol" in value else None
    return r.Literal(_field(value, "value", _SCALAR, pointer), type_, symbol)


def _call(value: dict[str, Json], pointer: str) -> r.RexNode:
    operands = _field(value, "operands", list, pointer) if "operands" in value else []
    found = tuple(rex_from_json(item, f"{pointer}/operands/{index}") for index, item in enumerate(operands))
    extra = tuple((key, item) for key, item in value.items() if key not in _CALL_FIELDS)
    for key, _ in extra:
        if key not in _NAMES:
            raise PlanError(f"unknown field `{key}` in a call", where=f"{pointer}/{key}", remedy="remove it")
    extra = tuple(
        (key, python_function_from_json(item, f"{pointer}/{key}") if key == FIELD else item) for key, item in extra
    )
    name = _field(value, "internalName", str, pointer) if "internalName" in value else ""
    syntax = _field(value, "syntax", str, pointer) if "syntax" in value else None
    return r.Call(name, found, _type(value, pointer), syntax, extra)


def _input_ref(value: dict[str, Json], pointer: str) -> r.RexNode:
    return r.InputRef(_field(value, "inputIndex", int, pointer), _type(value, pointer))


def _field_access(value: dict[str, Json], pointer: str) -> r.RexNode:
    expr = rex_from_json(_field(value, "expr", dict, pointer), f"{pointer}/expr")
    return r.FieldAccess(expr, _field(value, "name", str, pointer))


def _correlation(value: dict[str, Json], pointer: str) -> r.RexNode:
    return r.CorrelVariable(_field(value, "correl", str, pointer), _type(value, pointer))


def _pattern_ref(value: dict[str, Json], pointer: str) -> r.RexNode:
    alpha, index = _field(value, "alpha", str, pointer), _field(value, "inputIndex", int, pointer)
    return r.PatternInputRef(alpha, index, _type(value, pointer))


_READERS: dict[str, Callable[[dict[str, Json], str], r.RexNode]] = {
    "INPUT_REF": _input_ref,
    "LITERAL": _literal,
    "CALL": _call,
    "FIELD_ACCESS": _field_access,
    "CORREL_VARIABLE": _correlation,
    "PATTERN_INPUT_REF": _pattern_ref,
}
