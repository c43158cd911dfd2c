"""Operands of the right kind that a function cannot run with: time units, constants, nested casts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from compiled_plan.plans.rex.kinds import kind_of
from compiled_plan.plans.rex.nodes import Call, Literal, RexNode
from compiled_plan.plans.types import ArrayType, DateType, FieldsType, IntegerType, LogicalType, MapType, MultisetType

Types = Sequence[LogicalType]
#: Returns message and remedy; None for operands that run.
Rule = Callable[[Call, Types], tuple[str, str] | None]

#: The units of EXTRACT by the kind of its operand.
_DATES = frozenset(
    "YEAR QUARTER MONTH WEEK DAY DOY DOW ISODOW ISOYEAR DECADE CENTURY MILLENNIUM "
    "HOUR MINUTE SECOND MILLISECOND MICROSECOND EPOCH".split()
)
_TIMES = frozenset("DAY HOUR MINUTE SECOND MILLISECOND EPOCH".split())
UNITS: Mapping[str, frozenset[str]] = {
    **dict.fromkeys("DSL", _DATES),
    **dict.fromkeys("IT", _TIMES),
    "Y": frozenset(("YEAR", "QUARTER", "MONTH", "CENTURY", "MILLENNIUM")),
}
#: The units of FLOOR and CEIL; those below a day do not change a date.
ROUNDING = frozenset("YEAR QUARTER MONTH WEEK DAY HOUR MINUTE SECOND MILLISECOND DECADE CENTURY MILLENNIUM".split())
BELOW_A_DAY = frozenset(("HOUR", "MINUTE", "SECOND", "MILLISECOND", "MICROSECOND", "NANOSECOND"))
#: Casts that the planner accepts, but neither Flink nor Spark runs: text to interval.
_NOT_CAST = frozenset((("C", "Y"), ("C", "I")))


def operand_fault(call: Call, types: Types) -> tuple[str, str] | None:
    """Message and remedy if a call with operands of the right kinds cannot run; else None."""
    rule = _RULES.get(call.name)
    return None if rule is None else rule(call, types)


def constant(rex: RexNode) -> object:
    """The value of a literal; None for any other expression."""
    return rex.value if isinstance(rex, Literal) else None


def castable(source: LogicalType, target: LogicalType, kinds: frozenset[tuple[str, str]]) -> bool:
    """Return True if values of a type can be cast to another; `kinds` are the pairs of kinds with casts."""
    if source.not_null() == target.not_null():
        return True
    source_kind, target_kind = kind_of(source), kind_of(target)
    if source_kind == "0":
        return True
    if (
        (source_kind, target_kind) not in kinds
        or {source_kind, target_kind} in ({"N", "S"}, {"N", "L"})
        or (source_kind, target_kind) in _NOT_CAST
    ):
        return False
    if {source_kind, target_kind} in ({"N", "I"}, {"N", "Y"}):
        return isinstance(source if source_kind == "N" else target, IntegerType)
    match source, target:
        case ArrayType(), ArrayType():
            return castable(source.element, target.element, kinds)
        case MultisetType(), MultisetType():
            return castable(source.element, target.element, kinds)
        case MapType(), MapType():
            return castable(source.key, target.key, kinds) and castable(source.value, target.value, kinds)
        case FieldsType(), FieldsType():
            pairs = zip(source.types, target.types, strict=False)
            return all(castable(inner, wanted, kinds) for inner, wanted in pairs)
    return True


def like_tokens(pattern: str, escape: str) -> list[tuple[str, bool]]:
    """The characters of a LIKE pattern, each with True if it is a wildcard.

    Raises:
        ValueError: an escape character that is too long or misplaced.
    """
    if len(escape) > 1:
        raise ValueError(f"LIKE ... ESCAPE takes one character, not {escape!r}")
    tokens: list[tuple[str, bool]] = []
    position = 0
    while position < len(pattern):
        character = pattern[position]
        if escape and character == escape:
            position += 1
            escaped = pattern[position : position + 1]
            if not escaped or escaped not in f"%_{escape}":
                raise ValueError(f"the escape character of LIKE {pattern!r} must stand before %, _ or itself")
            tokens.append((escaped, False))
        else:
            tokens.append((character, character in "%_"))
        position += 1
    return tokens


def _like(call: Call, types: Types) -> tuple[str, str] | None:
    pattern, escape = constant(call.operands[1]), constant(call.operands[2]) if len(types) > 2 else ""
    if pattern is None or escape is None:
        return None
    try:
        like_tokens(str(pattern), str(escape))
    except ValueError as fault:
        return str(fault), "correct the pattern"
    return None


def _extract(call: Call, types: Types) -> tuple[str, str] | None:
    unit, units = str(constant(call.operands[0])).upper(), UNITS.get(kind_of(types[1]), frozenset())
    if unit in units:
        return None
    return f"EXTRACT({unit} ...) of a value of type {types[1]}", f"units: {', '.join(sorted(units))}"


def _round(call: Call, types: Types) -> tuple[str, str] | None:
    if len(types) < 2:
        return None
    unit = str(constant(call.operands[1])).upper()
    if unit in ROUNDING or (isinstance(types[0], DateType) and unit in BELOW_A_DAY):
        return None
    return f"rounding to {unit}", f"units: {', '.join(sorted(ROUNDING))}"


def printf_fault(types: Types) -> tuple[str, str] | None:
    """Refuse values of PRINTF whose text in Flink is that of an object in memory."""
    refused = next((type_ for type_ in types[1:] if kind_of(type_) in "ABMUGRW"), None)
    return (
        None
        if refused is None
        else (f"PRINTF of a value of type {refused.with_nullability(True)}", "CAST it to STRING")
    )


def order_fault(function: str, types: Types) -> tuple[str, str] | None:
    """Refuse values that have no order in Flink; of the functions of arrays, elements."""
    values = [type_.element for type_ in types if isinstance(type_, ArrayType)] if "ARRAY" in function else types
    refused = next((type_ for type_ in values if kind_of(type_) in "AMUGRWVP"), None)
    if refused is None:
        return None
    return f"{function} of a value of type {refused.with_nullability(True)}", "CAST it to a type with an order"


def _ordered(function: str, call: Call, types: Types) -> tuple[str, str] | None:
    return order_fault(function, types)


_RULES: Mapping[str, Rule] = {
    **{f"${name}$1": partial(_ordered, name) for name in ("GREATEST", "LEAST", "ARRAY_MAX", "ARRAY_MIN", "ARRAY_SORT")},
    "$PRINTF$1": lambda call, types: printf_fault(types),
    **dict.fromkeys(("$LIKE$1", "$NOT LIKE$1", "$like$1"), _like),
    **dict.fromkeys(("$EXTRACT$1", "$extract$1"), _extract),
    **dict.fromkeys(("$FLOOR$1", "$CEIL$1", "$CEILING$1", "$floor$1", "$ceil$1"), _round),
}
