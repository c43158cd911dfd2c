"""Registry of functions and operators by SQL name.

The modules of the families declare the entries.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from compiled_plan.planner.diagnostics.foreign import function_remedy
from compiled_plan.planner.diagnostics.suggestions import did_you_mean
from compiled_plan.planner.functions import (
    arithmetic,
    bitmaps,
    collections,
    conditional,
    hashes,
    json,
    models,
    operators,
    strings,
    structured,
    temporal,
    variants,
)
from compiled_plan.planner.functions.aggregates import aggregate_names, aggregate_text
from compiled_plan.planner.functions.signatures import Function
from compiled_plan.plans.errors import ProgramError, UnsupportedError
from compiled_plan.plans.rex import Call, RexNode, java_function, python_function, walk

#: The modules of the families of scalar functions.
FAMILIES = (
    operators,
    arithmetic,
    strings,
    temporal,
    conditional,
    collections,
    hashes,
    json,
    structured,
    bitmaps,
    variants,
)

#: Flink functions without support here, and their alternatives.
UNSUPPORTED = models.REFUSED

_SPELLED = {"!=": "<>", "==": "=", "CHARACTER_LENGTH": "CHAR_LENGTH"}


@lru_cache(maxsize=1)
def _table() -> dict[str, Function]:
    table: dict[str, Function] = {}
    for family in FAMILIES:
        for function in family.FUNCTIONS:
            for name in (function.name, *function.aliases):
                table[name] = function
    return table


@lru_cache(maxsize=1)
def _changing() -> frozenset[str]:
    return frozenset(function.plan_name for function in _table().values() if not function.deterministic)


def resolve_call(name: str, operands: Sequence[RexNode]) -> RexNode:
    """The call of function or operator `name` with checked and coerced operands and its result type.

    Raises:
        ProgramError: unknown function, wrong number or types of arguments; says which signatures exist.
        UnsupportedError: a function of Flink without support here.
    """
    upper = " ".join(name.upper().split())
    function = _table().get(_SPELLED.get(upper, upper))
    if function is None and upper in UNSUPPORTED:
        raise UnsupportedError(f"the function {upper} is not supported", remedy=UNSUPPORTED[upper])
    if function is None:
        raise unknown_function(name)
    return function.resolve(operands)


def unknown_function(name: str, others: Iterable[str] = ()) -> ProgramError:
    """The error for an unknown function name.

    Args:
        name: the name as written.
        others: names that can be called there, besides those of scalar functions and aggregates.
    """
    known = [*function_names(), *aggregate_names(), *others]
    otherwise = "create it with CREATE FUNCTION, or check its name"
    remedy = function_remedy(name.upper()) or did_you_mean(name.upper(), known, otherwise)
    return ProgramError(f"no function is named {name!r}", remedy=remedy)


def is_function(name: str) -> bool:
    """Return True for a scalar function or operator that `resolve_call` knows (and builds, or refuses by name)."""
    upper = " ".join(name.upper().split())
    return _SPELLED.get(upper, upper) in _table() or upper in UNSUPPORTED


def is_aggregate(name: str) -> bool:
    """Return True for an aggregate or window function that `resolve_aggregate` knows."""
    return name.upper() in aggregate_names()


def function_names() -> tuple[str, ...]:
    """All scalar functions' and operators' names, sorted."""
    return tuple(sorted(_table()))


def signature_texts(name: str) -> list[str]:
    """The signatures of a built-in function as texts; empty if it has none or is not known."""
    function = _table().get(name.upper())
    if function is not None:
        return [form.text(name) for form in function.forms]
    return [aggregate_text(name)] if is_aggregate(name) else []


def is_changing(name: str) -> bool:
    """Return True for a built-in function whose result differs between calls with equal arguments."""
    function = _table().get(name.upper())
    return function is not None and not function.deterministic


def is_deterministic(rex: RexNode) -> bool:
    """Return False if the expression calls RAND, UUID, PROCTIME, CURRENT_TIMESTAMP and the like."""
    return not any(isinstance(node, Call) and _changes(node) for node in walk(rex))


def _changes(call: Call) -> bool:
    function = python_function(call) or java_function(call)
    if function is not None:
        return not function.deterministic
    return call.name in _changing() or _is_clock(call)


def _is_clock(call: Call) -> bool:
    """Return True for UNIX_TIMESTAMP() without arguments, the current time."""
    return call.name == "$UNIX_TIMESTAMP$1" and not call.operands
