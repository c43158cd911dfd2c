"""Function declarations: names, operands, result type, name in plans.

A family of functions is a table of `Function` entries; `registry.resolve_call` checks operands against the entry's
forms and builds the call.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Self

from compiled_plan.plans.errors import ProgramError, UnsupportedError
from compiled_plan.plans.rex import Call, Literal, RexNode, type_of
from compiled_plan.plans.types import (
    ArrayType,
    BitmapType,
    BooleanType,
    BytesType,
    CharacterType,
    DateType,
    DecimalType,
    FieldsType,
    IntegerType,
    IntervalType,
    LogicalType,
    MapType,
    MultisetType,
    NullType,
    NumericType,
    SymbolType,
    TimestampBase,
    TimeType,
    VarCharType,
    VariantType,
)

Operands = tuple[RexNode, ...]
ReturnRule = Callable[[Operands], LogicalType]


@dataclass(frozen=True, slots=True)
class Family:
    """A set of types allowed for an operand, with its name in errors."""

    name: str
    types: tuple[type[LogicalType], ...]
    literal: bool = False

    def accepts(self, rex: RexNode) -> bool:
        """Return True if the operand's type is in the family."""
        if self.literal and not (isinstance(rex, Literal) and rex.value is not None):
            return False
        return not self.types or isinstance(type_of(rex), self.types)


ANY = Family("ANY", ())
BOOL = Family("BOOLEAN", (BooleanType,))
NUMBER = Family("NUMERIC", (NumericType,))
EXACT = Family("EXACT_NUMERIC", (IntegerType, DecimalType))
WHOLE = Family("INTEGER", (IntegerType,))
TEXT = Family("CHARACTER", (CharacterType,))
TEXT_LITERAL = Family("CHARACTER LITERAL", (CharacterType,), literal=True)
BYTES_ = Family("BINARY", (BytesType,))
TEXT_OR_BYTES = Family("CHARACTER or BINARY", (CharacterType, BytesType))
BITMAP_ = Family("BITMAP", (BitmapType,))
STAMP = Family("TIMESTAMP", (TimestampBase,))
DATETIME = Family("DATETIME", (DateType, TimeType, TimestampBase))
INTERVAL = Family("INTERVAL", (IntervalType,))
TEMPORAL = Family("DATETIME or INTERVAL", (DateType, TimeType, TimestampBase, IntervalType))
ARRAY = Family("ARRAY", (ArrayType,))
MAP = Family("MAP", (MapType,))
COLLECTION = Family("ARRAY, MAP or MULTISET", (ArrayType, MapType, MultisetType))
ITEMS = Family("ARRAY, MAP, MULTISET or VARIANT", (ArrayType, MapType, MultisetType, VariantType))
COMPOSITE = Family("ROW or STRUCTURED", (FieldsType,))
SYMBOL = Family("KEYWORD", (SymbolType,))


@dataclass(frozen=True, slots=True)
class Form:
    """One signature: the operands in order, then any number of `rest`."""

    operands: tuple[Family, ...]
    rest: Family | None = None

    def fits(self, operands: Sequence[RexNode], nulls: bool) -> bool:
        """Return True if the operands match in number and types; untyped NULLs match if `nulls` allows them."""
        if len(operands) < len(self.operands) or (self.rest is None and len(operands) > len(self.operands)):
            return False
        families = [*self.operands, *([self.rest] if self.rest else []) * (len(operands) - len(self.operands))]
        return all(
            (nulls and not family.literal) if is_untyped_null(rex) else family.accepts(rex)
            for family, rex in zip(families, operands, strict=True)
        )

    def text(self, name: str) -> str:
        """The form as text for errors."""
        shown = [f"<{family.name}>" for family in self.operands]
        return f"{name}({', '.join([*shown, *([f'<{self.rest.name}>...'] if self.rest else [])])})"


def form(*operands: Family, rest: Family | None = None) -> Form:
    """A signature with these operands."""
    return Form(operands, rest)


def is_untyped_null(rex: RexNode) -> bool:
    """Return True for a NULL literal without a type."""
    return isinstance(rex, Literal) and rex.value is None and isinstance(rex.type, NullType)


@dataclass(frozen=True, slots=True)
class ApiForm:
    """A function in the Table API: its signature, with the prefix `x.` for methods, and its docstring.

    `example` has the lines of a doctest, without its import; `items` is a table with columns `item` and `price`.
    """

    signature: str
    doc: str
    example: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Documented:
    """A declaration with its names in the Table API; `make docs` generates methods and functions from it."""

    api_forms: tuple[ApiForm, ...] = ()

    def api(self, signature: str, doc: str, *example: str) -> Self:
        """This declaration with a property `x.upper_case`, a method `x.repeat(times)` or a function `concat(*texts)`.

        A parameter that is None is omitted from the call; x is the first operand.
        """
        return replace(self, api_forms=(*self.api_forms, ApiForm(signature, doc, example)))


@dataclass(frozen=True, slots=True)
class Function(Documented):
    """A function or operator.

    `internal` is the name in plans (by default `$NAME$1`), `syntax` that of plans (None: omitted). `prepare` converts
    the
    checked operands (coercions) before the call is built; `rewrite` builds the whole expression instead. `nulls`
    accepts untyped NULLs. `infix` shows errors in operator form. `keeps_time`: the result is a time attribute; all
    other
    functions turn time attributes into plain values.
    """

    name: str
    forms: tuple[Form, ...]
    returns: ReturnRule | None = None
    internal: str = ""
    syntax: str | None = None
    aliases: tuple[str, ...] = ()
    deterministic: bool = True
    nulls: bool = False
    prepare: Callable[[Operands], Operands] | None = None
    rewrite: Callable[[Operands], RexNode] | None = None
    infix: bool = False
    keeps_time: bool = False

    @property
    def plan_name(self) -> str:
        return self.internal or f"${self.name}$1"

    def resolve(self, operands: Sequence[RexNode]) -> RexNode:
        """The call over these operands.

        Raises:
            ProgramError: the operands fit none of the forms.
        """
        if not any(form.fits(operands, self.nulls) for form in self.forms):
            raise self.mismatch(operands)
        checked = tuple(operands)
        if self.rewrite is not None:
            rewritten = self.rewrite(checked)
            if isinstance(rewritten, Call) and rewritten not in checked:
                return replace(rewritten, type=plain_times(rewritten.type))
            return rewritten
        if self.prepare is not None:
            checked = self.prepare(checked)
        if self.returns is None:
            raise ProgramError(f"function {self.name} has no result type")
        type_ = self.returns(checked)
        result_type = type_ if self.keeps_time else plain_times(type_)
        return Call(self.plan_name, checked, result_type, self.syntax)

    def mismatch(self, operands: Sequence[RexNode]) -> ProgramError:
        """The error for operands that do not fit."""
        supported = "; ".join(form.text(self.name) for form in self.forms)
        counts = {len(form.operands) for form in self.forms}
        variadic = any(form.rest for form in self.forms)
        if len(operands) not in counts and not (variadic and len(operands) > min(counts)):
            wanted = " or ".join(map(str, sorted(counts))) + (" or more" if variadic else "")
            return ProgramError(
                f"invalid number of arguments to {self.name}: {len(operands)} given, {wanted} expected",
                remedy=f"supported: {supported}",
            )
        if any(map(is_untyped_null, operands)) and not self.nulls:
            return ProgramError(
                f"illegal use of NULL as an argument of {self.name}", remedy="write CAST(NULL AS <type>)"
            )
        shown = [f"<{type_of(rex).with_nullability(True)}>" for rex in operands]
        got = f" {self.name} ".join(shown) if self.infix and len(shown) == 2 else f"{self.name}({', '.join(shown)})"
        remedy = _foreign_form(self.name, operands) or f"supported: {supported}"
        return ProgramError(f"cannot apply {self.name} to arguments of type {got}", remedy=remedy)


def _foreign_form(name: str, operands: Sequence[RexNode]) -> str:
    """The remedy for operands that the function takes in other dialects; empty for other operands."""
    from compiled_plan.planner.diagnostics.foreign import misfits_of  # only for errors

    families = {family.name: family for family in (ANY, TEXT, NUMBER, DATETIME)}
    for misfit in misfits_of(name, len(operands)):
        if all(families[kind].accepts(rex) for kind, rex in zip(misfit.families, operands, strict=True)):
            return f"write {misfit.form}"
    return ""


def plain_times(type_: LogicalType) -> LogicalType:
    """The type with all time attributes in it as plain timestamps."""
    match type_:
        case TimestampBase():
            return type_.as_regular()
        case ArrayType() | MultisetType():
            return replace(type_, element=plain_times(type_.element))
        case MapType():
            return replace(type_, key=plain_times(type_.key), value=plain_times(type_.value))
        case FieldsType():
            fields = tuple(replace(field, type=plain_times(field.type)) for field in type_.fields)
            return type_ if fields == type_.fields else replace(type_, fields=fields)
    return type_


def refuse(fault: tuple[str, str] | None) -> None:
    """Raise UnsupportedError with the message and remedy of a rule of `plans.rex.operands`, if there is a fault."""
    if fault is not None:
        raise UnsupportedError(fault[0], remedy=fault[1])


def any_nullable(operands: Sequence[RexNode]) -> bool:
    """Return True if an operand is nullable."""
    return any(type_of(rex).nullable for rex in operands)


def fixed(type_: LogicalType) -> ReturnRule:
    """Return type `type_`, nullable if an operand is."""
    return lambda operands: type_.with_nullability(any_nullable(operands))


def nullable(type_: LogicalType) -> ReturnRule:
    """Return type `type_`, always nullable."""
    return lambda operands: type_.with_nullability(True)


def not_null(type_: LogicalType) -> ReturnRule:
    """Return type `type_`, NOT NULL."""
    return lambda operands: type_.not_null()


def same(index: int) -> ReturnRule:
    """The type of an operand, nullable if any operand is."""
    return lambda operands: type_of(operands[index]).with_nullability(any_nullable(operands))


def force_nullable(rule: ReturnRule) -> ReturnRule:
    """The result of `rule`, always nullable."""
    return lambda operands: rule(operands).with_nullability(True)


def varying(index: int) -> ReturnRule:
    """VARCHAR of an operand's length, nullable if any operand is."""

    def rule(operands: Operands) -> LogicalType:
        type_ = type_of(operands[index])
        length = type_.length if isinstance(type_, CharacterType) else VarCharType().length
        return VarCharType(length=length, nullable=any_nullable(operands))

    return rule
