"""A call of a user's function over bound operands: the signature it fits, casts, defaults, what the plan says of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from compiled_plan.planner.catalog.functions import CatalogFunction
from compiled_plan.planner.functions import casts, plan_literals
from compiled_plan.planner.functions.signatures import plain_times
from compiled_plan.plans.functions.calls import Default
from compiled_plan.plans.functions.inference import ArgumentInfo
from compiled_plan.plans.functions.loading import reference_to
from compiled_plan.plans.rex import Literal, RexNode, type_of
from compiled_plan.plans.rex.literals import literal_value
from compiled_plan.plans.types import FieldsType, IntervalType, LogicalType, NullType, RawType
from compiled_plan.plans.types.python.bridge import Bridged

Extra = tuple[tuple[str, Any], ...]


@dataclass(frozen=True, slots=True)
class Resolved:
    """A call: operands in the order of the signature, the result's type, and what names the function in a plan."""

    operands: tuple[RexNode, ...]
    output: Bridged
    extra: Extra

    @property
    def type(self) -> LogicalType:
        """The result's type."""
        return plain_times(self.output.type)


def resolve(
    function: CatalogFunction, name: tuple[str, ...], operands: Sequence[RexNode], named: Sequence[str | None]
) -> Resolved:
    """The call of a function.

    Args:
        function: the function.
        name: the name as written.
        operands: the arguments.
        named: the name of each argument that was given by name.

    Raises:
        ProgramError: the arguments fit no signature; shows all of them.
    """
    callables = function.callables
    infos = [_info(operand) for operand in operands]
    bound = callables.bind(name[-1], infos, named, fits)
    made = tuple(
        _default(place) if isinstance(place, Default) else coerced(operands[place], wanted)
        for place, wanted in zip(bound.operands, bound.arguments, strict=True)
    )
    reference = reference_to(
        callables.function, is_instance=function.is_instance, method=bound.method, signature=bound.text
    )
    return Resolved(made, bound.output, (*_named(function, name[-1], reference.path), ("python", reference)))


def _named(function: CatalogFunction, name: str, path: str) -> Extra:
    if function.system:
        return (("systemName", name),)
    quoted = [f"`{part.replace('`', '``')}`" for part in (function.name.catalog, function.name.database, name)]
    found: Extra = (("catalogName", ".".join(quoted)),)
    return found if function.temporary else (*found, ("class", path))


def fits(given: LogicalType, wanted: LogicalType) -> bool:
    """Whether values of a type go into a parameter of another without a CAST.

    Objects of one class are none of another, alike as their fields may be, nor are they rows, nor rows objects.
    """
    if isinstance(given, RawType) or isinstance(wanted, RawType):
        return given.with_nullability(True) == wanted.with_nullability(True)
    return _same_kinds(given, wanted) and casts.supports_argument(plain_times(given), wanted)


def _same_kinds(given: LogicalType, wanted: LogicalType) -> bool:
    if isinstance(given, FieldsType) and isinstance(wanted, FieldsType) and given.ROOT != wanted.ROOT:
        return False
    return all(map(_same_kinds, given.children(), wanted.children()))


def coerced(rex: RexNode, wanted: Bridged | None) -> RexNode:
    """An operand as a value of the parameter's type."""
    if wanted is None:
        return rex
    given = type_of(rex)
    if isinstance(given, NullType):
        return Literal(None, wanted.type.with_nullability(True))
    if isinstance(given, IntervalType) and given.ROOT == wanted.type.ROOT:
        return rex
    return rex if casts.avoids_cast(given, wanted.type) else casts.coerce(rex, wanted.type)


def _default(default: Default) -> RexNode:
    match default.value:
        case None:
            return Literal(None, default.type.with_nullability(True))
        case bool():
            made: RexNode = plan_literals.boolean(default.value)
        case int() | float():
            made = plan_literals.number(repr(default.value))
        case _:
            made = plan_literals.string(default.value)
    return coerced(made, Bridged(default.type)) if not isinstance(default.type, NullType) else made


def _info(rex: RexNode) -> ArgumentInfo:
    type_ = plain_times(type_of(rex))
    if not isinstance(rex, Literal):
        return ArgumentInfo(type_)
    return ArgumentInfo(type_, True, literal_value(rex))
