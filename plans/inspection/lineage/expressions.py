"""Meanings of row expressions, in terms of the meanings of columns.

Equivalent forms have one meaning: operands of AND, OR and = in any order, `a < b` and `b > a`, a cast that changes only
nullability.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from compiled_plan.plans.inspection.lineage.meaning import Meaning, compose, listed, type_text
from compiled_plan.plans.inspection.lineage.rows import in_order
from compiled_plan.plans.rex import (
    Call,
    CorrelVariable,
    FieldAccess,
    InputRef,
    Literal,
    PatternInputRef,
    PythonFunction,
    RexNode,
    Sarg,
    UserFunction,
    called_name,
    flattened,
    java_function,
    python_function,
    type_of,
)
from compiled_plan.plans.rex.zoned import depends_on_zone
from compiled_plan.plans.trees import fold_tree
from compiled_plan.plans.types import IntervalType


@dataclass(frozen=True, slots=True)
class Scope:
    """Columns and time zone that an expression may refer to."""

    column: Callable[[int], Meaning]  # meaning of an input column
    zone: str = "default"  # the session's time zone on the node; "default" for that of the run
    outer: Callable[[str], Meaning] | None = None  # meaning of a field of the outer row, in a correlate


def meaning_of(rex: RexNode, scope: Scope) -> Meaning:
    return fold_tree(
        rex, lambda node: _parts(node, scope), lambda node, parts: _READERS[type(node)](node, parts, scope)
    )


def _parts(rex: RexNode, scope: Scope) -> Sequence[RexNode]:
    if isinstance(rex, Call) and rex.name in ("$AND$1", "$OR$1"):
        return list(flattened(rex, rex.name))
    if isinstance(rex, FieldAccess) and isinstance(rex.expr, CorrelVariable) and scope.outer is not None:
        return ()
    return rex.children()


def conjuncts(rex: RexNode | None, scope: Scope) -> Iterator[Meaning]:
    """The conjuncts of a condition."""
    if rex is None or (isinstance(rex, Literal) and rex.value is True):
        return
    parts = flattened(rex, "$AND$1")
    yield from (meaning_of(part, scope) for part in parts if not (isinstance(part, Literal) and part.value is True))


def field_of(row: Meaning, name: str) -> Meaning:
    return compose("field", (row,), name, text=f"{row.text}.{name}", full=f"{row.full}.{name}")


def function_identity(function: PythonFunction) -> dict[str, object]:
    """Identity of a Python function, without its file, which may be elsewhere."""
    fields = function.to_dict()
    return {key: fields[key] for key in ("module", "class", "method", "instance") if key in fields}


def _input(rex: InputRef, children: tuple[Meaning, ...], scope: Scope) -> Meaning:
    return scope.column(rex.index)


def _literal(rex: Literal, children: tuple[Meaning, ...], scope: Scope) -> Meaning:
    shown = "NULL" if rex.value is None else rex.value
    if isinstance(shown, str) and rex.value is not None and rex.symbol is None:
        shown = f"INTERVAL {shown}" if isinstance(rex.type, IntervalType) else f"'{shown}'"
    type_ = type_text(rex.type)
    detail = [rex.value, type(rex.value).__name__, rex.symbol, type_]
    return compose(
        "literal",
        detail=detail,
        text=str(shown),
        full=f"{shown} {type_}",
        plain=[detail[0], detail[2]],
        type_=rex.type,
    )


def _sarg(rex: Sarg, children: tuple[Meaning, ...], scope: Scope) -> Meaning:
    ranges = [
        [range_.lower, range_.lower_closed, range_.upper, range_.upper_closed, range_.has_lower, range_.has_upper]
        for range_ in rex.ranges
    ]
    texts = []
    for bounds in rex.ranges:
        if bounds.has_lower and bounds.has_upper and bounds.lower == bounds.upper:
            texts.append(str(bounds.lower))
            continue
        low = f"{'[' if bounds.lower_closed else '('}{bounds.lower}" if bounds.has_lower else "("
        high = f"{bounds.upper}{']' if bounds.upper_closed else ')'}" if bounds.has_upper else ")"
        texts.append(f"{low}..{high}")
    detail = [ranges, rex.null_as, type_text(rex.type)]
    return compose("sarg", detail=detail, text="{" + ", ".join(texts) + "}")


def _field(rex: FieldAccess, children: tuple[Meaning, ...], scope: Scope) -> Meaning:
    if isinstance(rex.expr, CorrelVariable) and scope.outer is not None:
        return scope.outer(rex.name)
    return field_of(children[0], rex.name)


def _outer(rex: CorrelVariable, children: tuple[Meaning, ...], scope: Scope) -> Meaning:
    names = getattr(rex.type, "names", ())
    parts = [scope.outer(name) for name in names] if scope.outer is not None else []
    return compose("row", parts, list(names), text="ROW(" + listed(parts) + ")")


def _pattern(rex: PatternInputRef, children: tuple[Meaning, ...], scope: Scope) -> Meaning:
    column = scope.column(rex.index)
    return compose(
        "pattern", (column,), rex.alpha, text=f"{rex.alpha}({column.text})", full=f"{rex.alpha}({column.full})"
    )


def _call(call: Call, operands: tuple[Meaning, ...], scope: Scope) -> Meaning:
    if call.name in ("$AND$1", "$OR$1"):
        parts = in_order(operands)
        return parts[0] if len(parts) == 1 else _named(call, parts, scope, call.name)
    if _is_noop_cast(call):
        return operands[0]
    if call.name in _MIRRORED and len(operands) == 2:
        mirrored = _MIRRORED[call.name]
        if mirrored == call.name:
            operands = tuple(sorted(operands, key=lambda operand: operand.digest))
        elif call.name in ("$<$1", "$<=$1"):
            return _named(call, operands[::-1], scope, mirrored)
    return _named(call, operands, scope, call.name)


def _is_noop_cast(call: Call) -> bool:
    """Return True if the call is a cast that changes only nullability."""
    casts = call.name in ("$CAST$1", "$REINTERPRET$1") and bool(call.operands)
    return casts and type_text(type_of(call.operands[0])) == type_text(call.type)


def _named(call: Call, operands: tuple[Meaning, ...], scope: Scope, name: str) -> Meaning:
    python, function = python_function(call), python_function(call) or java_function(call)
    extra = [[key, function_identity(item) if isinstance(item, PythonFunction) else item] for key, item in call.extra]
    if python is not None:
        # A function's registration and inferred signature do not affect its result.
        name, extra = "", [["python", function_identity(python)]]
    elif function is not None:
        name, extra = "", [["java", function.path]]
    type_ = type_text(call.type)
    text, full = (
        _text(call, name, [getattr(operand, part) for operand in operands], type_, function)
        for part in ("text", "full")
    )
    return compose(
        "call",
        operands,
        [name, extra, type_],
        text=text,
        full=f"{full}: {type_}" if "CAST" not in name else full,
        zones=(scope.zone,) if depends_on_zone(call) else (),
        plain=[name, extra],
        type_=call.type,
        functions=() if function is None else (function,),
    )


def _text(call: Call, name: str, operands: list[str], type_: str, function: UserFunction | None) -> str:
    shown = function_name(name) or (function.path if function else called_name(call))
    match call.syntax:
        case "BINARY" if len(operands) > 1:
            return "(" + f" {shown} ".join(operands) + ")"
        case "POSTFIX" if len(operands) == 1:
            return f"({operands[0]} {shown})"
        case "PREFIX" if len(operands) == 1:
            return f"{shown} {operands[0]}"
        case "SPECIAL" if shown in ("-", "+", "*") and len(operands) == 2:
            return f"({operands[0]} {shown} {operands[1]})"
    if shown in ("CAST", "TRY_CAST") and len(operands) == 1:
        return f"{shown}({operands[0]} AS {type_})"
    if shown == "ITEM" and len(operands) == 2:
        return f"{operands[0]}[{operands[1]}]"
    return f"{shown}({', '.join(operands)})"


def function_name(internal: str | None) -> str:
    """The name as in SQL: `SUM` of Flink's `$SUM$1`."""
    text = internal or ""
    if text.startswith("$") and "$" in text[1:]:
        return text[: text.rindex("$")].lstrip("$")
    return text


#: Comparisons with swapped operands -> their canonical form.
_MIRRORED = {"$=$1": "$=$1", "$<>$1": "$<>$1", "$<$1": "$>$1", "$<=$1": "$>=$1"}

_READERS: dict[type[RexNode], Callable[..., Meaning]] = {
    InputRef: _input,
    Literal: _literal,
    Sarg: _sarg,
    FieldAccess: _field,
    CorrelVariable: _outer,
    PatternInputRef: _pattern,
    Call: _call,
}
