"""What a row expression means, over what the columns mean.

Forms that say the same are one meaning: operands of AND, OR and = in any order, `a < b` and `b > a`, a cast that
changes nothing but nullability.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from compiled_plan.plans.inspection.lineage.meaning import Meaning, listed, made_of, type_text
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
    called_name,
    flattened,
    python_function,
    type_of,
)
from compiled_plan.plans.rex.zoned import in_zone
from compiled_plan.plans.trees import fold_tree
from compiled_plan.plans.types import IntervalType


@dataclass(frozen=True, slots=True)
class Scope:
    """The columns and the zone that an expression may refer to."""

    column: Callable[[int], Meaning]  # what an input column means
    zone: str = "default"  # the session's time zone as the node knows it; "default" for that of the run
    outer: Callable[[str], Meaning] | None = None  # what a field of the outer row means, in a correlate


def meaning_of(rex: RexNode, scope: Scope) -> Meaning:
    """What an expression means."""
    return fold_tree(
        rex, lambda found: _parts(found, scope), lambda found, parts: _READERS[type(found)](found, parts, scope)
    )


def _parts(rex: RexNode, scope: Scope) -> Sequence[RexNode]:
    if isinstance(rex, Call) and rex.name in ("$AND$1", "$OR$1"):
        return list(flattened(rex, rex.name))
    if isinstance(rex, FieldAccess) and isinstance(rex.expr, CorrelVariable) and scope.outer is not None:
        return ()
    return rex.children()


def conjuncts(rex: RexNode | None, scope: Scope) -> Iterator[Meaning]:
    """The predicates that hold together where a condition does."""
    if rex is None or (isinstance(rex, Literal) and rex.value is True):
        return
    parts = flattened(rex, "$AND$1")
    yield from (meaning_of(part, scope) for part in parts if not (isinstance(part, Literal) and part.value is True))


def field_of(row: Meaning, name: str) -> Meaning:
    """A field of a row."""
    return made_of("field", (row,), name, text=f"{row.text}.{name}", full=f"{row.full}.{name}")


def of_python(function: PythonFunction) -> dict[str, Any]:
    """What makes a Python function that very function; its file may be elsewhere."""
    found = function.to_dict()
    return {key: found[key] for key in ("module", "class", "method", "instance") if key in found}


def _input(rex: InputRef, children: tuple[Meaning, ...], scope: Scope) -> Meaning:
    return scope.column(rex.index)


def _literal(rex: Literal, children: tuple[Meaning, ...], scope: Scope) -> Meaning:
    shown = "NULL" if rex.value is None else rex.value
    if isinstance(shown, str) and rex.value is not None and rex.symbol is None:
        shown = f"INTERVAL {shown}" if isinstance(rex.type, IntervalType) else f"'{shown}'"
    type_ = type_text(rex.type)
    detail = [rex.value, type(rex.value).__name__, rex.symbol, type_]
    return made_of(
        "literal",
        detail=detail,
        text=str(shown),
        full=f"{shown} {type_}",
        plain=[detail[0], detail[2]],
        type_=rex.type,
    )


def _sarg(rex: Sarg, children: tuple[Meaning, ...], scope: Scope) -> Meaning:
    ranges = [
        [each.lower, each.lower_closed, each.upper, each.upper_closed, each.has_lower, each.has_upper]
        for each in rex.ranges
    ]
    texts = []
    for each in rex.ranges:
        if each.has_lower and each.has_upper and each.lower == each.upper:
            texts.append(str(each.lower))
            continue
        low = f"{'[' if each.lower_closed else '('}{each.lower}" if each.has_lower else "("
        high = f"{each.upper}{']' if each.upper_closed else ')'}" if each.has_upper else ")"
        texts.append(f"{low}..{high}")
    detail = [ranges, rex.null_as, type_text(rex.type)]
    return made_of("sarg", detail=detail, text="{" + ", ".join(texts) + "}")


def _field(rex: FieldAccess, children: tuple[Meaning, ...], scope: Scope) -> Meaning:
    if isinstance(rex.expr, CorrelVariable) and scope.outer is not None:
        return scope.outer(rex.name)
    return field_of(children[0], rex.name)


def _outer(rex: CorrelVariable, children: tuple[Meaning, ...], scope: Scope) -> Meaning:
    names = getattr(rex.type, "names", ())
    parts = [scope.outer(name) for name in names] if scope.outer is not None else []
    return made_of("row", parts, list(names), text="ROW(" + listed(parts) + ")")


def _pattern(rex: PatternInputRef, children: tuple[Meaning, ...], scope: Scope) -> Meaning:
    column = scope.column(rex.index)
    return made_of(
        "pattern", (column,), rex.alpha, text=f"{rex.alpha}({column.text})", full=f"{rex.alpha}({column.full})"
    )


def _call(call: Call, operands: tuple[Meaning, ...], scope: Scope) -> Meaning:
    if call.name in ("$AND$1", "$OR$1"):
        parts = in_order(operands)
        return parts[0] if len(parts) == 1 else _named(call, parts, scope, call.name)
    if _says_nothing(call):
        return operands[0]
    if call.name in _MIRRORED and len(operands) == 2:
        mirrored = _MIRRORED[call.name]
        if mirrored == call.name:
            operands = tuple(sorted(operands, key=lambda each: each.digest))
        elif call.name in ("$<$1", "$<=$1"):
            return _named(call, operands[::-1], scope, mirrored)
    return _named(call, operands, scope, call.name)


def _says_nothing(call: Call) -> bool:
    """Whether a cast changes nothing but nullability."""
    casts = call.name in ("$CAST$1", "$REINTERPRET$1") and bool(call.operands)
    return casts and type_text(type_of(call.operands[0])) == type_text(call.type)


def _named(call: Call, operands: tuple[Meaning, ...], scope: Scope, name: str) -> Meaning:
    python = python_function(call)
    extra = [[key, of_python(item) if isinstance(item, PythonFunction) else item] for key, item in call.extra]
    if python is not None:
        # How a function is registered, and what was inferred of it, is not what it computes.
        name, extra = "", [["python", of_python(python)]]
    type_ = type_text(call.type)
    text, full = (
        _text(call, name, [getattr(each, part) for each in operands], type_, python) for part in ("text", "full")
    )
    return made_of(
        "call",
        operands,
        [name, extra, type_],
        text=text,
        full=f"{full}: {type_}" if "CAST" not in name else full,
        zones=(scope.zone,) if in_zone(call) else (),
        plain=[name, extra],
        type_=call.type,
        functions=() if python is None else (python,),
    )


def _text(call: Call, name: str, operands: list[str], type_: str, python: PythonFunction | None) -> str:
    shown = function_name(name) or (python.path if python else called_name(call))
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
    """`SUM` of Flink's `$SUM$1`."""
    text = internal or ""
    if text.startswith("$") and "$" in text[1:]:
        return text[: text.rindex("$")].lstrip("$")
    return text


#: Calls that say the same with their operands turned round -> the call that says it.
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
