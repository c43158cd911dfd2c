"""Generate `plans/rex/signatures.json`: the kinds of operands and results of calls in plans.

python -m tools.signature_table

The planner resolves each function with samples of the operands that its declaration accepts; the resulting calls are
recorded with the kinds of `plans.rex.kinds`: `"NN:N"` takes two numbers and returns one. A `*` after the operands
repeats the last one. An unsupported function of Flink has a remedy instead of signatures.
"""

from __future__ import annotations

import itertools
import json
import math
import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from compiled_plan.planner.functions import casts, plan_literals, registry
from compiled_plan.planner.functions.signatures import Family, Form, Function
from compiled_plan.plans.errors import CompiledPlanError
from compiled_plan.plans.rex import Call, InputRef, Literal, RexNode, type_of, walk
from compiled_plan.plans.rex.kinds import kind_of
from compiled_plan.plans.rex.signatures import REFUSED, STRUCTURAL
from compiled_plan.plans.types import (
    PICKLE,
    LogicalType,
    RawType,
    SymbolType,
    TimeKind,
    TimestampLtzType,
    TimestampType,
    parse_type,
)

TABLE = Path(__file__).resolve().parent.parent / "plans/rex/signatures.json"

_TYPES = (
    "BOOLEAN",
    "TINYINT",
    "INT",
    "BIGINT",
    "DOUBLE",
    "DECIMAL(10, 2)",
    "DECIMAL(20, 5)",
    "STRING",
    "CHAR(5)",
    "BYTES",
    "BITMAP",
    "VARIANT",
    "DATE",
    "TIME(0)",
    "TIMESTAMP(3)",
    "TIMESTAMP_LTZ(3)",
    "INTERVAL MONTH",
    "INTERVAL DAY TO SECOND(3)",
    *(
        f"ARRAY<{element}>"
        for element in "BOOLEAN INT STRING BYTES DATE TIME(0) TIMESTAMP(3) TIMESTAMP_LTZ(3) ARRAY<INT>".split()
    ),
    "ARRAY<ROW<a INT, b STRING>>",
    "ARRAY<STRUCTURED<'a.B', a INT, b STRING>>",
    "ARRAY<BITMAP>",
    "ARRAY<MAP<STRING, INT>>",
    "ARRAY<MULTISET<STRING>>",
    "ARRAY<INTERVAL MONTH>",
    "ARRAY<INTERVAL DAY TO SECOND(3)>",
    "MAP<STRING, INT>",
    "MAP<INT, STRING>",
    "MULTISET<STRING>",
    "ROW<a INT, b STRING>",
    "STRUCTURED<'a.B', a INT, b STRING>",
)
#: Maximum number of operand samples per form.
_MOST = 6_000
_TEXTS = ("$.a", "UTC", "yyyy-MM-dd", "2020-01-01", "2020-01-01 00:00:00", "x", "a", "UTF-8")
_UNITS = "YEAR MONTH DAY HOUR MINUTE SECOND".split()
_SYMBOLS = {
    "JSON_EXISTS_ON_ERROR": "TRUE FALSE UNKNOWN ERROR",
    "JSON_QUERY_WRAPPER": "WITHOUT_ARRAY CONDITIONAL_ARRAY UNCONDITIONAL_ARRAY",
    "JSON_QUERY_ON_EMPTY_OR_ERROR": "NULL EMPTY_ARRAY EMPTY_OBJECT ERROR",
    "JSON_ON_NULL": "NULL ABSENT",
}
#: Names of SQL operators in Flink's Java Table API.
ALIASES = {
    "$plus$1": "$+$1", "$minus$1": "$-$1", "$times$1": "$*$1", "$divide$1": "$/$1", "$mod$1": "$MOD$1",
    "$minusPrefix$1": "$-$1", "$equals$1": "$=$1", "$notEquals$1": "$<>$1", "$greaterThan$1": "$>$1",
    "$greaterThanOrEqual$1": "$>=$1", "$lessThan$1": "$<$1", "$lessThanOrEqual$1": "$<=$1", "$and$1": "$AND$1",
    "$or$1": "$OR$1", "$not$1": "$NOT$1", "$isNull$1": "$IS NULL$1", "$isNotNull$1": "$IS NOT NULL$1",
    "$isTrue$1": "$IS TRUE$1", "$isFalse$1": "$IS FALSE$1", "$isNotTrue$1": "$IS NOT TRUE$1",
    "$isNotFalse$1": "$IS NOT FALSE$1", "$cast$1": "$CAST$1", "$charLength$1": "$CHAR_LENGTH$1",
    "$CHARACTER_LENGTH$1": "$CHAR_LENGTH$1", "$like$1": "$LIKE$1", "$PLUS$1": "$+$1", "$MINUS$1": "$-$1",
    "$TIMES$1": "$*$1", "$DIVIDE$1": "$/$1", "$/INT$1": "$/$1", "$%$1": "$MOD$1", "$CEILING$1": "$CEIL$1",
}  # fmt: skip
_ANY = "bNCBDTSLYIAMURGWP"


def _each(names: str, signatures: Iterable[str]) -> dict[str, tuple[str, ...]]:
    listed = tuple(signatures)
    return {f"${name.replace('_', ' ') if name.startswith('IS_') else name}$1": listed for name in names.split()}


#: Calls in Flink's plans that resolving SQL functions does not produce.
_BESIDE: dict[str, tuple[str, ...]] = {
    **_each("REINTERPRET", "S:S L:L N:N I:N Y:N I:I Y:Y N:I N:Y S:N L:N D:N".split()),
    **_each("PROCTIME_MATERIALIZE", ["L:L"]),
    # Has the type of the watermark's column.
    **_each("SOURCE_WATERMARK", [":S", ":L"]),
    **_each("HASH_CODE", (f"{kind}:N" for kind in _ANY)),
    **_each("IS_NULL IS_NOT_NULL", (f"{kind}:b" for kind in _ANY)),
    # Elements without an order are refused by name.
    **_each("ARRAY_MAX ARRAY_MIN", (f"A:{kind}" for kind in _ANY)),
    **_each("JSON_STRING", (f"{kind}:C" for kind in _ANY)),
    **_each("TYPEOF", (f"{kind}{force}:C" for kind in (*_ANY, "0") for force in ("", "b"))),
    **_each("= <> IS_DISTINCT_FROM IS_NOT_DISTINCT_FROM", (f"{kind}{kind}:b" for kind in _ANY)),
    **_each("CAST TRY_CAST", (*(f"{kind}:{kind}" for kind in _ANY), "N:I", "N:Y", "I:N", "Y:N", "P:C")),
    **_each("SQRT", ["N:N"]),
    **_each("PI E", [":N"]),
    "$IS_JSON$1": ("C:b",),
    **_each("IS_UNKNOWN IS_NOT_UNKNOWN", ["b:b"]),
    **_each("TIMESTAMPDIFF", (f"K{start}{end}:N" for start in "DSL" for end in "DSL")),
    **_each("TRANSLATE", ["CCC:C"]),
    "$NOT LIKE$1": ("CC:b", "CCC:b"),
    "$NOT SIMILAR TO$1": ("CC:b", "CCC:b"),
    **_each("similar", ["CC:b", "CCC:b"]),
    **_each("PROCTIME", [":L"]),
    **_each("JSON_EXISTS", ["CC:b", "CCK:b"]),
    **_each("JSON_QUERY", (f"CCKKK:{kind}" for kind in "CA")),
}


def signatures() -> dict[str, list[str]]:
    """The signatures of all functions by name in plans."""
    by_call: dict[str, set[str]] = defaultdict(set)
    functions = {id(item): item for family in registry.FAMILIES for item in family.FUNCTIONS}
    for function in functions.values():
        for form in function.forms:
            for operands, variadic in _samples(function, form):
                _note(function.resolve, operands, variadic, by_call)
    for source, target in itertools.product(_types(), repeat=2):
        for try_ in (False, True):
            _note(lambda rex: casts.cast(rex[0], target, try_=try_), (InputRef(0, source),), False, by_call)  # noqa: B023
    for name, additional in _BESIDE.items():
        by_call[name] |= set(additional)
    by_call["$REINTERPRET_CAST$1"] |= by_call["$REINTERPRET$1"]
    for name in STRUCTURAL.keys() - _BESIDE.keys():
        by_call.pop(name, None)
    for alias, name in ALIASES.items():
        by_call[alias] |= by_call[name]
    refused = {f"${name}$1": [REFUSED + remedy] for name, remedy in registry.UNSUPPORTED.items()}
    return refused | {name: sorted(by_call[name]) for name in sorted(by_call) if by_call[name]}


def _note(
    make: Callable[[tuple[RexNode, ...]], RexNode],
    operands: tuple[RexNode, ...],
    variadic: bool,
    by_call: dict[str, set[str]],
) -> None:
    try:
        rex = make(operands)
    except (CompiledPlanError, ArithmeticError, LookupError, ValueError):
        return
    for number, call in enumerate(walk(rex)):
        if isinstance(call, Call):
            star = "*" if variadic and number == 0 and len(call.operands) >= len(operands) else ""
            by_call[call.name].add(_signature(call, star))


def _signature(call: Call, star: str) -> str:
    return "".join(kind_of(type_of(operand)) for operand in call.operands) + star + ":" + kind_of(call.type)


def _samples(function: Function, form: Form) -> Iterator[tuple[tuple[RexNode, ...], bool]]:
    """Operands that the form accepts, and True if the last one may be repeated."""
    draw = random.Random(function.name)
    rests = (0, 1, 2) if form.rest is not None else (0,)
    for rest in rests:
        families = (*form.operands, *([form.rest] * rest if form.rest is not None else ()))
        columns = [list(_candidates(family, at)) for at, family in enumerate(families)]
        size = math.prod(len(column) for column in columns)
        numbers = range(size) if size <= _MOST else sorted({draw.randrange(size) for _ in range(_MOST)})
        for number in numbers:
            operands: list[RexNode] = []
            for column in columns:
                number, at = divmod(number, len(column))
                operands.append(column[at])
            yield tuple(operands), rest == rests[-1] and form.rest is not None


def _types() -> Iterator[LogicalType]:
    yield from map(parse_type, _TYPES)
    yield RawType(class_name="object", serializer=PICKLE)
    yield from (kind(precision=3, kind=TimeKind.ROWTIME) for kind in (TimestampType, TimestampLtzType))


def _candidates(family: Family, at: int) -> Iterator[RexNode]:
    for type_ in _types():
        column = InputRef(at, type_)
        if not family.literal and family.accepts(column):
            yield column
    for literal in _literals():
        if family.accepts(literal) and (family.literal or isinstance(literal.type, SymbolType) or literal.value == 1):
            yield literal


def _literals() -> Iterator[Literal]:
    yield plan_literals.integer(1)
    yield from map(plan_literals.string, _TEXTS)
    yield from map(plan_literals.time_unit, _UNITS)
    yield from map(plan_literals.trim_flag, ("BOTH", "LEADING", "TRAILING"))
    for enum, values in _SYMBOLS.items():
        yield from (plan_literals.symbol(enum, value) for value in values.split())


def text() -> str:
    """The text of the file, with one function per line."""
    lines = (f"{json.dumps(name)}: {json.dumps(' '.join(items))}" for name, items in signatures().items())
    return "{\n" + ",\n".join(lines) + "\n}\n"


if __name__ == "__main__":
    TABLE.write_text(text(), encoding="utf-8")
