"""The JSON form of row expressions in a plan, read and written without loss.

Source: Flink 2.3's plans (`RexNodeJsonSerializer`'s output). Fields that Flink leaves out (the syntax FUNCTION, the
operands of a call without any) are left out here too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from compiled_plan.plans.errors import PlanError
from compiled_plan.plans.findings import shown
from compiled_plan.plans.rex import nodes as r
from compiled_plan.plans.rex.java import FIELD as JAVA
from compiled_plan.plans.rex.java import JavaFunction, java_function_from_json
from compiled_plan.plans.rex.python import FIELD as PYTHON
from compiled_plan.plans.rex.python import PythonFunction, python_function_from_json
from compiled_plan.plans.text.nearest import nearest_word
from compiled_plan.plans.trees import TreePath, fold_tree
from compiled_plan.plans.types import LogicalType, type_from_json, type_to_json

_CALL_FIELDS = ("kind", "syntax", "internalName", "operands", "type")
#: Further fields that name a call's function: a user's, or an operator of the parser.
_NAMES = ("systemName", "catalogName", "sqlKind", "class", "functionKind", "instance", PYTHON, JAVA)
_FUNCTIONS: dict[str, Callable[[object, str], object]] = {
    PYTHON: python_function_from_json,
    JAVA: java_function_from_json,
}


_T = TypeVar("_T")
Pointer = TreePath | str
#: The JSON of an expression, and its JSON pointer.
_Place = tuple[object, Pointer]


def rex_from_json(value: object, pointer: str = "") -> r.RexNode:
    """Read an expression of any depth at a JSON pointer of the plan.

    Raises:
        PlanError: an unknown kind, a missing field or a bad type; names the pointer.
    """
    place: _Place = (value, pointer)
    return fold_tree(place, _below, _build)


def _below(place: _Place) -> list[_Place]:
    value, pointer = place
    reader, fields = _reader(value, pointer)
    return reader.below(fields, pointer)


def _build(place: _Place, children: tuple[r.RexNode, ...]) -> r.RexNode:
    value, pointer = place
    try:
        reader, fields = _reader(value, pointer)
        return reader.build(fields, children, pointer)
    except PlanError as fault:
        if fault.where:
            raise
        raise PlanError(fault.message, where=str(pointer), remedy=fault.remedy) from None


def rex_to_json(rex: r.RexNode) -> object:
    """Write an expression in Flink's form."""
    return r.fold(rex, _to_json)


def _to_json(rex: r.RexNode, children: tuple[object, ...]) -> object:
    match rex:
        case r.InputRef():
            return {"kind": "INPUT_REF", "inputIndex": rex.index, "type": type_to_json(rex.type)}
        case r.Literal():
            head: dict[str, object] = {"kind": "LITERAL"}
            if rex.symbol is not None:
                head["symbol"] = rex.symbol
            return head | {"value": rex.value, "type": type_to_json(rex.type)}
        case r.Sarg():
            sarg = {"ranges": [_range_to_json(item) for item in rex.ranges], "nullAs": rex.null_as}
            return {"kind": "LITERAL", "sarg": sarg, "type": type_to_json(rex.type)}
        case r.Call():
            return _call_to_json(rex, children)
        case r.FieldAccess():
            return {"kind": "FIELD_ACCESS", "name": rex.name, "expr": children[0]}
        case r.CorrelVariable():
            return {"kind": "CORREL_VARIABLE", "correl": rex.name, "type": type_to_json(rex.type)}
        case r.PatternInputRef():
            head = {"kind": "PATTERN_INPUT_REF", "alpha": rex.alpha, "inputIndex": rex.index}
            return head | {"type": type_to_json(rex.type)}
    raise PlanError(f"expression {type(rex).__name__} cannot stand in a plan")


def _call_to_json(call: r.Call, operands: tuple[object, ...]) -> object:
    fields: dict[str, object] = {"kind": "CALL"}
    if call.syntax is not None:
        fields["syntax"] = call.syntax
    if call.name:
        fields["internalName"] = call.name
    fields |= {
        key: item.to_dict() if isinstance(item, PythonFunction | JavaFunction) else item for key, item in call.extra
    }
    if operands:
        fields["operands"] = list(operands)
    fields["type"] = type_to_json(call.type)
    return fields


def _range_to_json(item: r.Range) -> object:
    fields: dict[str, object] = {}
    if item.has_lower:
        fields["lower"] = {"value": item.lower, "boundType": "CLOSED" if item.lower_closed else "OPEN"}
    if item.has_upper:
        fields["upper"] = {"value": item.upper, "boundType": "CLOSED" if item.upper_closed else "OPEN"}
    return fields


def _field(value: Mapping[str, object], key: str, kind: type[_T] | tuple[type[_T], ...], pointer: Pointer) -> _T:
    if key not in value:
        raise PlanError(f"an expression lacks the field `{key}`", where=f"{pointer}/{key}", remedy=f"add `{key}`")
    item = value[key]
    if not isinstance(item, kind) or (isinstance(item, bool) and kind is int):
        wanted = " or ".join(_WORDS[python_type] for python_type in (kind if isinstance(kind, tuple) else (kind,)))
        raise PlanError(
            f"`{key}` must be {wanted}, not {shown(item)}", where=f"{pointer}/{key}", remedy=f"write {wanted}"
        )
    return item


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


def _type(value: dict[str, object], pointer: Pointer) -> LogicalType:
    return type_from_json(_field(value, "type", (str, dict), pointer))


def _range(value: object, pointer: str) -> r.Range:
    if not isinstance(value, dict):
        raise PlanError("a range must be an object", where=pointer)
    lower, lower_closed = _bound(value, "lower", pointer)
    upper, upper_closed = _bound(value, "upper", pointer)
    return r.Range(lower, lower_closed, upper, upper_closed, "lower" in value, "upper" in value)


def _bound(value: dict[str, object], key: str, pointer: str) -> tuple[bool | int | float | str | None, bool]:
    if key not in value:
        return None, False
    bound = _field(value, key, dict, pointer)
    kind = _field(bound, "boundType", str, f"{pointer}/{key}")
    if kind not in ("OPEN", "CLOSED"):
        raise PlanError(f"unknown bound {kind!r}", where=f"{pointer}/{key}/boundType", remedy="known: OPEN, CLOSED")
    return _field(bound, "value", _SCALAR, f"{pointer}/{key}"), kind == "CLOSED"


@dataclass(frozen=True)
class _Reader:
    build: Callable[[dict[str, object], tuple[r.RexNode, ...], Pointer], r.RexNode]
    below: Callable[[dict[str, object], Pointer], list[_Place]] = lambda value, pointer: []


def _reader(value: object, pointer: Pointer) -> tuple[_Reader, dict[str, object]]:
    if not isinstance(value, dict) or "kind" not in value:
        raise PlanError("a row expression must be an object with `kind`", where=str(pointer))
    kind = value["kind"]
    reader = _READERS.get(kind) if isinstance(kind, str) else None
    if reader is None:
        near = nearest_word(str(kind), _READERS)
        remedy = f"did you mean `{near}`?" if near else f"known: {', '.join(sorted(_READERS))}"
        raise PlanError(f"unknown expression kind {kind!r}", where=f"{pointer}/kind", remedy=remedy)
    return reader, value


def _literal(value: dict[str, object], children: tuple[r.RexNode, ...], pointer: Pointer) -> r.RexNode:
    type_ = _type(value, pointer)
    if "sarg" in value:
        sarg = _field(value, "sarg", dict, pointer)
        ranges = _field(sarg, "ranges", list, TreePath(pointer, "sarg"))
        parsed = tuple(_range(item, f"{pointer}/sarg/ranges/{at}") for at, item in enumerate(ranges))
        return r.Sarg(parsed, _field(sarg, "nullAs", str, TreePath(pointer, "sarg")), type_)
    symbol = _field(value, "symbol", str, pointer) if "symbol" in value else None
    return r.Literal(_field(value, "value", _SCALAR, pointer), type_, symbol)


def _operands(value: dict[str, object], pointer: Pointer) -> list[_Place]:
    operands = _field(value, "operands", list, pointer) if "operands" in value else []
    return [(item, TreePath(TreePath(pointer, "operands"), index)) for index, item in enumerate(operands)]


def _call(value: dict[str, object], operands: tuple[r.RexNode, ...], pointer: Pointer) -> r.RexNode:
    extra = tuple((key, item) for key, item in value.items() if key not in _CALL_FIELDS)
    for key, _ in extra:
        if key not in _NAMES:
            raise PlanError(f"unknown field `{key}` in a call", where=f"{pointer}/{key}", remedy="remove it")
    extra = tuple(
        (key, _FUNCTIONS[key](item, f"{pointer}/{key}") if key in _FUNCTIONS else item) for key, item in extra
    )
    name = _field(value, "internalName", str, pointer) if "internalName" in value else ""
    syntax = _field(value, "syntax", str, pointer) if "syntax" in value else None
    return r.Call(name, operands, _type(value, pointer), syntax, extra)


def _input_ref(value: dict[str, object], children: tuple[r.RexNode, ...], pointer: Pointer) -> r.RexNode:
    return r.InputRef(_field(value, "inputIndex", int, pointer), _type(value, pointer))


def _row_of_field(value: dict[str, object], pointer: Pointer) -> list[_Place]:
    return [(_field(value, "expr", dict, pointer), TreePath(pointer, "expr"))]


def _field_access(value: dict[str, object], children: tuple[r.RexNode, ...], pointer: Pointer) -> r.RexNode:
    return r.FieldAccess(children[0], _field(value, "name", str, pointer))


def _correlation(value: dict[str, object], children: tuple[r.RexNode, ...], pointer: Pointer) -> r.RexNode:
    return r.CorrelVariable(_field(value, "correl", str, pointer), _type(value, pointer))


def _pattern_ref(value: dict[str, object], children: tuple[r.RexNode, ...], pointer: Pointer) -> r.RexNode:
    alpha, index = _field(value, "alpha", str, pointer), _field(value, "inputIndex", int, pointer)
    return r.PatternInputRef(alpha, index, _type(value, pointer))


_READERS: dict[str, _Reader] = {
    "INPUT_REF": _Reader(_input_ref),
    "LITERAL": _Reader(_literal),
    "CALL": _Reader(_call, _operands),
    "FIELD_ACCESS": _Reader(_field_access, _row_of_field),
    "CORREL_VARIABLE": _Reader(_correlation),
    "PATTERN_INPUT_REF": _Reader(_pattern_ref),
}
