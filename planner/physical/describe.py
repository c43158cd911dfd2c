"""Expressions as text in the form of plan descriptions: `(amount < 15)`, `CAST(x AS INTEGER)`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from compiled_plan.planner.algebra.nodes import SortKey
from compiled_plan.plans.rex import (
    Call,
    CorrelVariable,
    FieldAccess,
    InputRef,
    Literal,
    PatternInputRef,
    RexNode,
    Sarg,
    fold,
)
from compiled_plan.plans.rex.python import user_name
from compiled_plan.plans.types import CharacterType, IntervalType, IntType, LogicalType

_INFIX = {
    "$AND$1": "AND",
    "$OR$1": "OR",
    "$/INT$1": "/",
    "$||$1": "||",
    "$LIKE$1": "LIKE",
    "$SIMILAR TO$1": "SIMILAR TO",
}
_OPERATORS = frozenset("= <> < <= > >= + - * / %".split())


def rex_text(rex: RexNode, names: Sequence[str]) -> str:
    """An expression as text, with these column names."""
    return fold(rex, lambda rex, children: _text(rex, children, names))


def _text(rex: RexNode, children: tuple[str, ...], names: Sequence[str]) -> str:
    match rex:
        case InputRef():
            return names[rex.index] if rex.index < len(names) else f"${rex.index}"
        case Literal():
            return _literal(rex)
        case FieldAccess():
            return f"{children[0]}.{rex.name}"
        case CorrelVariable():
            return rex.name
        case PatternInputRef():
            return f"{rex.alpha}.{names[rex.index]}"
        case Sarg():
            return _sarg(rex)
        case Call():
            return _call(rex, children)
    return type(rex).__name__


def select_text(exprs: Sequence[RexNode], names: Sequence[str], inputs: Sequence[str]) -> str:
    """A projection list as text, `a, (b + 1) AS c`."""
    texts = []
    for rex, name in zip(exprs, names, strict=True):
        text = rex_text(rex, inputs)
        texts.append(text if text == name else f"{text} AS {name}")
    return ", ".join(texts)


def names_text(indices: Iterable[int], names: Sequence[str]) -> str:
    """Columns by name, as text."""
    return ", ".join(names[index] for index in indices)


def order_text(keys: Iterable[SortKey], names: Sequence[str]) -> str:
    """An order as text, `a ASC, b DESC`."""
    return ", ".join(f"{names[key.index]} {'ASC' if key.ascending else 'DESC'}" for key in keys)


def type_text(type_: LogicalType) -> str:
    """The name of a type in casts and typed nulls."""
    return "INTEGER" if isinstance(type_, IntType) else type_.text()


def _literal(rex: Literal) -> str:
    if rex.value is None:
        return f"null:{type_text(rex.type)}"
    if rex.symbol is not None:
        return str(rex.value)
    if isinstance(rex.type, CharacterType):
        return f"'{rex.value}'"
    if isinstance(rex.value, bool):
        return "true" if rex.value else "false"
    if isinstance(rex.type, IntervalType):
        # Default precisions are omitted.
        return f"{rex.value}:{rex.type.text().replace('(6)', '').replace('(2)', '')}"
    return str(rex.value)


def _sarg(rex: Sarg) -> str:
    texts = []
    for item in rex.ranges:
        if item.has_lower and item.has_upper and item.lower == item.upper:
            texts.append(_value(item.lower))
        else:
            low = f"{'[' if item.lower_closed else '('}{_value(item.lower) if item.has_lower else '-∞'}"
            high = f"{_value(item.upper) if item.has_upper else '+∞'}{']' if item.upper_closed else ')'}"
            texts.append(f"{low}..{high}")
    null_as = "" if rex.null_as == "UNKNOWN" else f"; NULL AS {rex.null_as}"
    return f"Sarg[{', '.join(texts)}{null_as}]"


def _value(value: object) -> str:
    return f"'{value}'" if isinstance(value, str) else str(value)


def _call(call: Call, operands: tuple[str, ...]) -> str:
    if not call.name:
        return f"{user_name(call)}({', '.join(operands)})"
    plain = plain_name(call.name)
    infix = _INFIX.get(call.name, plain if plain in _OPERATORS else None)
    if infix == "OR":
        return f"({' OR '.join(operands)})" if len(operands) > 1 else operands[0]
    if infix is not None and len(operands) > 1:
        return f"({f' {infix} '.join(operands)})"
    if len(operands) == 1 and (call.syntax == "POSTFIX" or plain.startswith("IS ")):
        return f"{operands[0]} {plain}"
    if plain in ("CAST", "TRY_CAST"):
        return f"{plain}({operands[0]} AS {type_text(call.type)})"
    if plain == "REINTERPRET":
        return f"Reinterpret({operands[0]})"
    return f"{plain}({', '.join(operands)})"


def plain_name(internal: str) -> str:
    """`SUM` of `$SUM$1`; a user's function keeps its name."""
    if internal.startswith("$") and internal.endswith("$1"):
        return internal[1:-2]
    return internal
