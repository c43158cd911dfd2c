"""CASE, COALESCE and related functions, GREATEST and LEAST.

Source: Flink docs, "System (Built-in) Functions", conditional functions; CASE and COALESCE cast their results to the
common type, IF, GREATEST and LEAST defer that to run time.
"""

from __future__ import annotations

from compiled_plan.planner.functions import plan_literals
from compiled_plan.planner.functions.casts import coerce, common_type, least_restrictive
from compiled_plan.planner.functions.operators import compare
from compiled_plan.planner.functions.signatures import (
    ANY,
    BOOL,
    Function,
    Operands,
    any_nullable,
    form,
    is_untyped_null,
    refuse,
)
from compiled_plan.plans.errors import ProgramError
from compiled_plan.plans.rex import Call, RexNode, type_of
from compiled_plan.plans.rex.operands import order_fault
from compiled_plan.plans.types import (
    BOOLEAN,
    CharacterType,
    IntervalType,
    LogicalType,
    MapType,
    MultisetType,
    NullType,
    TimestampBase,
)


def _shown(operands: Operands) -> str:
    return ", ".join(str(type_of(rex).with_nullability(True)) for rex in operands)


def _case(operands: Operands) -> RexNode:
    """CASE with operands when, then, ..., else; a missing else is NULL."""
    if len(operands) % 2 == 0:
        operands = (*operands, plan_literals.null())
    conditions = operands[:-1:2]
    values = (*operands[1:-1:2], operands[-1])
    for condition in conditions:
        if not (BOOL.accepts(condition) or is_untyped_null(condition)):
            raise ProgramError(
                f"the condition of CASE WHEN is of type {type_of(condition)}", remedy="write a BOOLEAN expression"
            )
    if all(map(is_untyped_null, values)):
        raise ProgramError("ELSE or at least one THEN of CASE must not be NULL", remedy="write CAST(NULL AS <type>)")
    type_ = least_restrictive([type_of(rex) for rex in values])
    if type_ is None:
        raise ProgramError(f"illegal mixing of types in CASE: {_shown(values)}", remedy="cast the results to one type")
    coerced = [coerce(rex, type_) for rex in values]
    conditions = tuple(plan_literals.null(BOOLEAN) if is_untyped_null(rex) else rex for rex in conditions)
    parts = [part for pair in zip(conditions, coerced, strict=False) for part in pair]
    missing = any(type_of(rex).nullable for rex in coerced)
    return Call("$CASE$1", (*parts, coerced[-1]), type_.with_nullability(missing), "SPECIAL")


def to_common(name: str, operands: Operands) -> tuple[Operands, LogicalType]:
    """The operands cast to their common type, and that type; texts and intervals keep their own lengths and units.

    Raises:
        ProgramError: there is no common type.
    """
    type_ = common_type([type_of(rex) for rex in operands])
    if type_ is None:
        raise ProgramError(
            f"cannot apply {name} to arguments of type {_shown(operands)}", remedy="cast the arguments to one type"
        )

    def fitted(rex: RexNode) -> RexNode:
        own = type_of(rex)
        if any(isinstance(own, kind) and isinstance(type_, kind) for kind in (CharacterType, IntervalType)):
            return rex
        return coerce(rex, type_)

    return tuple(map(fitted, operands)), type_


def _coalesce(operands: Operands) -> RexNode:
    if all(map(is_untyped_null, operands)):
        raise ProgramError("COALESCE of nothing but NULL has no type", remedy="write CAST(NULL AS <type>)")
    operands, type_ = to_common("COALESCE", operands)
    missing = all(type_of(rex).nullable for rex in operands)
    return Call("$COALESCE$1", operands, type_.with_nullability(missing))


def _if_null(operands: Operands) -> RexNode:
    operands, type_ = to_common("IFNULL", operands)
    missing = all(type_of(rex).nullable for rex in operands)
    return Call("$IFNULL$1", operands, type_.with_nullability(missing))


def _null_if(operands: Operands) -> RexNode:
    value, null_value = operands
    type_ = type_of(value).with_nullability(True)
    equal = compare("=", value, null_value)
    return Call("$CASE$1", (equal, plan_literals.null(type_), value), type_, "SPECIAL")


def _if(operands: Operands) -> LogicalType:
    then, otherwise = type_of(operands[1]), type_of(operands[2])
    nested = isinstance(then, MapType | MultisetType) or then.ROOT in ("ARRAY", "ROW", "STRUCTURED_TYPE")
    type_ = None if nested else least_restrictive((then, otherwise))
    if isinstance(then, TimestampBase) and isinstance(otherwise, TimestampBase) and then.ROOT == otherwise.ROOT:
        type_ = then
    if type_ is None:
        raise ProgramError(
            f"cannot apply IF to arguments of type IF({_shown(operands)})",
            remedy="give both branches one simple type, or write CASE WHEN",
        )
    return type_.with_nullability(any_nullable(operands))


def _mixes_intervals(types: list[LogicalType]) -> bool:
    return len({isinstance(type_, IntervalType) for type_ in types if not isinstance(type_, NullType)}) > 1


def _extreme(name: str) -> Function:
    def rewrite(operands: Operands) -> RexNode:
        types = [type_of(rex) for rex in operands]
        type_ = None if _mixes_intervals(types) else common_type(types)
        if type_ is None or (isinstance(type_, NullType) and len(operands) > 1):
            raise ProgramError(
                f"{name} cannot compare {_shown(operands)}", remedy="cast the arguments to one comparable type"
            )
        refuse(order_fault(name, types))
        return Call(f"${name}$1", operands, type_.with_nullability(any_nullable(operands)))

    return Function(name, (form(ANY, rest=ANY),), rewrite=rewrite, nulls=True)


FUNCTIONS: tuple[Function, ...] = (
    Function("CASE", (form(ANY, ANY, rest=ANY),), rewrite=_case, nulls=True),
    Function("COALESCE", (form(ANY, rest=ANY),), rewrite=_coalesce, nulls=True).api(
        "coalesce(*values)",
        "COALESCE: the first value that is not NULL.",
        '>>> items.select(cp.coalesce(cp.col("item"), "none").alias("x"))',
        "Table(x VARCHAR(4) NOT NULL)",
    ),
    Function("IFNULL", (form(ANY, ANY),), rewrite=_if_null, nulls=True).api(
        "x.if_null(null_replacement)", "IFNULL: this, or `null_replacement` if it is NULL."
    ),
    Function("NULLIF", (form(ANY, ANY),), rewrite=_null_if, nulls=True).api(
        "x.null_if(value)", "NULLIF: NULL if this equals `value`."
    ),
    Function("IF", (form(BOOL, ANY, ANY),), _if),
    _extreme("GREATEST").api(
        "greatest(*values)",
        "GREATEST.",
        '>>> items.select(cp.greatest(cp.col("price"), 5).alias("x"))',
        "Table(x INT NOT NULL)",
    ),
    _extreme("LEAST").api(
        "least(*values)", "LEAST.", '>>> items.select(cp.least(cp.col("price"), 5).alias("x"))', "Table(x INT NOT NULL)"
    ),
)
