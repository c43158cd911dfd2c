"""Resolution of a user function's call over bound operands: signature, casts, defaults, plan fields."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from compiled_plan.planner.catalog.functions import CatalogFunction
from compiled_plan.planner.functions import casts, plan_literals
from compiled_plan.planner.functions.signatures import plain_times
from compiled_plan.plans.errors import ProgramError
from compiled_plan.plans.functions.calls import Bound, Default
from compiled_plan.plans.functions.inference import ArgumentInfo
from compiled_plan.plans.functions.loading import reference_to
from compiled_plan.plans.rex import Literal, RexNode, type_of
from compiled_plan.plans.rex.literals import literal_value
from compiled_plan.plans.types import FieldsType, IntervalType, LogicalType, NullType, RawType, quote_identifier
from compiled_plan.plans.types.python.bridge import Bridged

Extra = tuple[tuple[str, object], ...]


@dataclass(frozen=True, slots=True)
class Resolved:
    """A resolved call: operands in the order of the signature, the result type, and the plan's name of the function."""

    operands: tuple[RexNode, ...]
    output: Bridged
    extra: Extra

    @property
    def type(self) -> LogicalType:
        return plain_times(self.output.type)


def resolve(
    function: CatalogFunction, name: tuple[str, ...], operands: Sequence[RexNode], named: Sequence[str | None]
) -> Resolved:
    """Resolve the call of a function.

    Args:
        function: the function.
        name: the name as written.
        operands: the arguments.
        named: the name of each argument passed by name, else None.

    Raises:
        ProgramError: the arguments fit no signature; shows all of them.
    """
    callables = function.callables
    infos = [_info(operand) for operand in operands]
    bound = callables.bind(name[-1], infos, named, fits)
    resolved = tuple(
        _default(place) if isinstance(place, Default) else coerced(operands[place], wanted)
        for place, wanted in zip(bound.operands, bound.arguments, strict=True)
    )
    if function.java is not None:
        _check_nulls(name[-1], infos, bound, callables.texts(name[-1]))
        return Resolved(
            resolved, bound.output, (*_named(function, name[-1], function.java.class_), ("java", function.java))
        )
    reference = reference_to(
        callables.function, is_instance=function.is_instance, method=bound.method, signature=bound.text
    )
    return Resolved(resolved, bound.output, (*_named(function, name[-1], reference.path), ("python", reference)))


def _check_nulls(name: str, infos: Sequence[ArgumentInfo], bound: Bound, texts: Sequence[str]) -> None:
    """Raise ProgramError for a nullable argument of a parameter that is NOT NULL, as Flink does."""
    if bound.skips:
        shown = ", ".join(str(info.type) for info in infos)
        raise ProgramError(
            f"invalid function call: {name}({shown}), where an argument may be NULL and its parameter is NOT NULL",
            remedy=f"supported signatures: {'; '.join(texts)}; write COALESCE(argument, value)",
        )


def _named(function: CatalogFunction, name: str, path: str) -> Extra:
    if function.system:
        return (("systemName", name),)
    parts = function.name.catalog, function.name.database, name
    extra: Extra = (("catalogName", ".".join(map(quote_identifier, parts))),)
    return extra if function.temporary else (*extra, ("class", path))


def fits(actual: LogicalType, wanted: LogicalType) -> bool:
    """Return True if values of a type can be passed to a parameter of another type without a CAST.

    Objects of different classes never fit, however alike their fields; nor do objects and rows.
    """
    if isinstance(actual, RawType) or isinstance(wanted, RawType):
        return actual.with_nullability(True) == wanted.with_nullability(True)
    return _same_kinds(actual, wanted) and casts.supports_argument(plain_times(actual), wanted)


def _same_kinds(actual: LogicalType, wanted: LogicalType) -> bool:
    if isinstance(actual, FieldsType) and isinstance(wanted, FieldsType) and actual.ROOT != wanted.ROOT:
        return False
    return all(map(_same_kinds, actual.children(), wanted.children()))


def coerced(rex: RexNode, wanted: Bridged | None) -> RexNode:
    """An operand converted to the parameter's type."""
    if wanted is None:
        return rex
    actual = type_of(rex)
    if isinstance(actual, NullType):
        return Literal(None, wanted.type.with_nullability(True))
    if isinstance(actual, IntervalType) and actual.ROOT == wanted.type.ROOT:
        return rex
    return rex if casts.avoids_cast(actual, wanted.type) else casts.coerce(rex, wanted.type)


def _default(default: Default) -> RexNode:
    match default.value:
        case None:
            return Literal(None, default.type.with_nullability(True))
        case bool():
            literal: RexNode = plan_literals.boolean(default.value)
        case int() | float():
            literal = plan_literals.number(repr(default.value))
        case _:
            literal = plan_literals.string(default.value)
    return coerced(literal, Bridged(default.type)) if not isinstance(default.type, NullType) else literal


def _info(rex: RexNode) -> ArgumentInfo:
    type_ = plain_times(type_of(rex))
    if not isinstance(rex, Literal):
        return ArgumentInfo(type_)
    return ArgumentInfo(type_, True, literal_value(rex))
