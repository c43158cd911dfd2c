"""A call of a function: which signature it fits, what its arguments are cast to, what it gives."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from compiled_plan.plans import types as t
from compiled_plan.plans.errors import CompiledPlanError, ProgramError
from compiled_plan.plans.functions.definitions import AggregateFunction, FunctionKind, UserDefinedFunction
from compiled_plan.plans.functions.inference import ArgumentInfo, CallContext, TypeInference
from compiled_plan.plans.functions.methods import check_class
from compiled_plan.plans.functions.signature import Argument, Signature, table_fields
from compiled_plan.plans.functions.signatures import signatures_of
from compiled_plan.plans.types.python.bridge import Bridged
from compiled_plan.plans.types.python.extraction import from_data_type

Fits = Callable[[t.LogicalType, t.LogicalType], bool]


@dataclass(frozen=True, slots=True)
class Bound:
    """A call that fits."""

    method: str
    #: For each argument in order, the position in the call as written, or the constant it stands for.
    operands: tuple[int | Default, ...]
    arguments: tuple[Bridged | None, ...]  # their types; None: that of the operand
    output: Bridged
    #: The positions of arguments that must not be NULL although they may be: without them there is no call, and the
    #: result is NULL.
    skips: tuple[int, ...] = ()
    text: str = ""
    accumulator: Bridged | None = None  # of an aggregate; None if it has no SQL type


@dataclass(frozen=True, slots=True)
class Default:
    """An argument that was left out: a constant of a type."""

    value: Any
    type: t.LogicalType


class Callables:
    """The signatures of one function, or its own inference. Raises ProgramError where its types cannot be had."""

    def __init__(self, function: UserDefinedFunction) -> None:
        self.function = function
        self.kind: FunctionKind = function.KIND
        self.inference: TypeInference | None = _inference_of(function)
        self.signatures: tuple[Signature, ...] = ()
        if self.inference is None:
            self.signatures = signatures_of(function)
        else:
            check_class(type(function))
            _check_method(function, self.inference)

    def texts(self, name: str) -> list[str]:
        """The signatures, for errors."""
        if self.inference is not None:
            return [f"{name}({self.inference.strategy.text})"]
        return [item.text(name) for item in self.signatures]

    @property
    def names(self) -> bool:
        """Whether the arguments have names."""
        if self.inference is not None:
            return bool(self.inference.strategy.names)
        return all(item.name for signature in self.signatures for item in signature.arguments)

    def bind(self, name: str, arguments: Sequence[ArgumentInfo], named: Sequence[str | None], fits: Fits) -> Bound:
        """The call over these arguments, types and literals; `named` has the name of each that is passed by name.

        `fits` says whether a type may be passed for another, cast if need be. Raises a ProgramError that shows all
        signatures where they fit none.
        """
        if self.inference is not None:
            return self._inferred(name, self.inference, arguments, named, fits)
        candidates = [
            (rank, at, bound)
            for at, signature in enumerate(self.signatures)
            if (ranked := _ranked(signature, arguments, named, fits)) is not None
            for rank, bound in [ranked]
        ]
        if not candidates:
            raise self._mismatch(name, arguments, named)
        _, at, bound = min(candidates, key=lambda item: item[:2])
        return replace(bound, text=self.signatures[at].text(name))

    def recorded(
        self, name: str, method: str, text: str, arguments: Sequence[ArgumentInfo], output: t.LogicalType
    ) -> Bound:
        """The call as a plan has it, of the method and the signature (any if empty) that the plan names.

        Raises ProgramError where there is no such signature, or where it gives another type than `output`.
        """
        named = [None] * len(arguments)
        if self.inference is not None:
            call = self._inferred_again(name, self.inference, arguments, output)
        else:
            written = text.partition("(")[2]
            of_method = [item for item in self.signatures if item.method == method]
            alike = [item for item in of_method if item.text("").partition("(")[2] == written]
            for signature in alike or of_method:
                ranked = _ranked(signature, arguments, named, exactly)
                if ranked is not None:
                    call = replace(ranked[1], text=signature.text(name))
                    break
            else:
                raise self._mismatch(name, arguments, named)
        result = call.output.type
        if self.kind is FunctionKind.TABLE:
            result = t.RowType(fields=tuple(t.Field(key, part.type) for key, part in table_fields(call.output)))
        if not exactly(result, output):
            raise ProgramError(
                f"it gives {result}, and the plan says {output}", remedy="let it give what it gave before"
            )
        return call

    def _inferred_again(
        self, name: str, inference: TypeInference, arguments: Sequence[ArgumentInfo], output: t.LogicalType
    ) -> Bound:
        """The types of a call that was inferred once: its operands have been cast, so that the inference may not take
        them again; the plan's types hold then."""
        try:
            return self._inferred(name, inference, arguments, [None] * len(arguments), exactly)
        except ProgramError:
            if not inference.strategy.count.takes(len(arguments)):
                raise
            recorded = Bridged(output)
            return Bound(self.kind.method, tuple(range(len(arguments))), (None,) * len(arguments), recorded)

    def _inferred(
        self,
        name: str,
        inference: TypeInference,
        arguments: Sequence[ArgumentInfo],
        named: Sequence[str | None],
        fits: Fits,
    ) -> Bound:
        strategy = inference.strategy
        order = list(range(len(arguments)))
        if any(named):
            if set(named) != set(strategy.names) or len(named) != len(strategy.names):
                raise self._mismatch(name, arguments, named)
            order = [list(named).index(item) for item in strategy.names]
        ordered = [arguments[at] for at in order]
        call = CallContext(name, tuple(ordered), fits)
        inferred = None
        if strategy.count.takes(len(ordered)):
            with _of_the_user(name, "input"):
                inferred = strategy.infer(call)
        if inferred is None:
            raise self._mismatch(name, arguments, named)
        if len(inferred) != len(ordered):
            raise ProgramError(
                f"the type inference of function {name} gave {len(inferred)} input types for {len(ordered)} arguments",
                remedy="return a type for each argument, or None where it stays as it is",
            )
        types = [
            None if item is None else from_data_type(item, f"argument {at} of function {name}")
            for at, item in enumerate(inferred, start=1)
        ]
        cast = [
            item if wanted is None else replace(item, type=wanted.type.with_nullability(item.type.nullable))
            for item, wanted in zip(ordered, types, strict=True)
        ]
        with _of_the_user(name, "output"):
            call = replace(call, arguments=tuple(cast))
            output, accumulator = inference.result(call), inference.state(call)
        text = f"{name}({strategy.text})"
        return Bound(self.kind.method, tuple(order), tuple(types), output, (), text, accumulator)

    def _mismatch(self, name: str, arguments: Sequence[ArgumentInfo], named: Sequence[str | None]) -> ProgramError:
        shown = [
            f"{label} => {item.type}" if label else str(item.type) for item, label in zip(arguments, named, strict=True)
        ]
        return ProgramError(
            f"invalid function call: {name}({', '.join(shown)})",
            remedy=f"supported signatures: {'; '.join(self.texts(name))}",
        )


def exactly(actual: t.LogicalType, wanted: t.LogicalType) -> bool:
    """Whether values of a type are values of another as they stand, nullability and the names in rows aside."""
    match actual, wanted:
        case t.StructuredType(), t.StructuredType() if not actual.same_class(wanted):
            return False
        case t.FieldsType(), t.FieldsType():
            return (
                actual.ROOT == wanted.ROOT
                and len(actual.fields) == len(wanted.fields)
                and all(map(exactly, actual.types, wanted.types))
            )
        case (t.ArrayType(), t.ArrayType()) | (t.MapType(), t.MapType()) | (t.MultisetType(), t.MultisetType()):
            return all(map(exactly, actual.children(), wanted.children()))
        case t.IntervalType(), t.IntervalType():
            return actual.ROOT == wanted.ROOT
    if isinstance(actual, t.CharacterType) and isinstance(wanted, t.VarCharType):
        return actual.length <= wanted.length
    if isinstance(actual, t.BytesType) and isinstance(wanted, t.VarBinaryType):
        return actual.length <= wanted.length
    if isinstance(actual, t.TimestampBase):
        actual = actual.as_regular()
    return actual.with_nullability(True) == wanted.with_nullability(True)


#: How well an argument goes into a parameter, best first. The first four take it without a cast.
_SAME, _NULLABLE, _RENAMED, _SKIPS, _CAST, _CAST_SKIPS, _ANY = range(7)
_NUMBERS = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "DECIMAL", "FLOAT", "DOUBLE")
Rank = tuple[tuple[int, int], ...]


def _ranked(
    signature: Signature, arguments: Sequence[ArgumentInfo], named: Sequence[str | None], fits: Fits
) -> tuple[Rank, Bound] | None:
    """The call of a signature, and how well it fits: the worst argument first; None where it does not."""
    operands = _placed(signature, len(arguments), named)
    if operands is None:
        return None
    types: list[Bridged | None] = []
    skips, ranks = [], []
    for at, operand in enumerate(operands):
        wanted = signature.argument(at).type
        types.append(wanted)
        if isinstance(operand, Default):
            continue
        rank = (_ANY, 0) if wanted is None else _rank(arguments[operand].type, wanted.type, fits)
        if rank is None:
            return None
        if rank[0] in (_SKIPS, _CAST_SKIPS):
            skips.append(at)
        ranks.append(rank)
    output = signature.output.with_nullability(True) if skips else signature.output
    bound = Bound(signature.method, operands, tuple(types), output, tuple(skips), accumulator=signature.accumulator)
    # Of two that fit alike, that without a rest of any number, and that which needs no defaults.
    rest = 2 * signature.varargs + any(isinstance(operand, Default) for operand in operands)
    return (*sorted(ranks, reverse=True), (-1, rest)), bound


def _rank(actual: t.LogicalType, wanted: t.LogicalType, fits: Fits) -> tuple[int, int] | None:
    skips = actual.nullable and not wanted.nullable
    if isinstance(actual, t.NullType):
        return (_SKIPS if skips else _SAME), 0
    if exactly(actual, wanted):
        if skips:
            return _SKIPS, 0
        if _names(actual) != _names(wanted):
            return _RENAMED, 0
        return (_SAME if actual.nullable == wanted.nullable else _NULLABLE), 0
    if not fits(actual, wanted):
        return None
    far = 0
    if actual.ROOT in _NUMBERS and wanted.ROOT in _NUMBERS:
        far = _NUMBERS.index(wanted.ROOT) - _NUMBERS.index(actual.ROOT)
    return (_CAST_SKIPS if skips else _CAST), far


def _names(type_: t.LogicalType) -> tuple[Any, ...]:
    own = type_.names if isinstance(type_, t.FieldsType) else ()
    return (own, *map(_names, type_.children()))


def _placed(signature: Signature, count: int, named: Sequence[str | None]) -> tuple[int | Default, ...] | None:
    """Where the arguments of a call go; None where it does not have the right number or names."""
    if not any(named):
        if not signature.takes(count):
            return None
        missing = () if signature.varargs else signature.arguments[count:]
        return (*range(count), *map(_default, missing))
    if signature.varargs or not all(named):
        return None
    by_name: Mapping[str | None, int] = {item: at for at, item in enumerate(named)}
    names = [item.name for item in signature.arguments]
    if not set(by_name) <= set(names) or len(by_name) != count:
        return None
    places: list[int | Default] = []
    for item in signature.arguments:
        if item.name in by_name:
            places.append(by_name[item.name])
        elif item.optional:
            places.append(_default(item))
        else:
            return None
    return tuple(places)


def _default(argument: Argument) -> Default:
    type_ = argument.type.type if argument.type is not None else t.NULL
    return Default(argument.default, type_.with_nullability(argument.default is None))


def _inference_of(function: UserDefinedFunction) -> TypeInference | None:
    class_ = type(function).__qualname__
    try:
        inference = function.get_type_inference()
    except CompiledPlanError as fault:
        raise ProgramError(f"{class_}.get_type_inference: {fault.message}", remedy=fault.remedy) from None
    except Exception as fault:
        raise ProgramError(
            f"{class_}.get_type_inference raised {type(fault).__name__}: {fault}",
            remedy="correct it; it is called with `self` alone, once, when the function is registered",
        ) from fault
    if inference is not None and not isinstance(inference, TypeInference):
        raise ProgramError(
            f"{class_}.get_type_inference gave {inference!r}", remedy="return a compiled_plan.TypeInference"
        )
    return inference


@contextmanager
def _of_the_user(name: str, which: str) -> Iterator[None]:
    """What a strategy of the user's own raises, in the user's terms."""
    try:
        yield
    except CompiledPlanError:
        raise
    except Exception as fault:
        raise ProgramError(
            f"the {which} strategy of the type inference of function {name} raised {type(fault).__name__}: {fault}",
            remedy="correct it in get_type_inference; call.fail(message) refuses a call",
        ) from fault


def _check_method(function: UserDefinedFunction, inference: TypeInference) -> None:
    """That a function with an inference of its own has a method that takes as many arguments."""
    name = function.KIND.method
    method = getattr(function, name, None)
    if method is None:
        raise ProgramError(
            f"function class {type(function).__qualname__} has no method `{name}`",
            remedy=f"define `def {name}(self, *args)`",
        )
    count = inference.strategy.count
    parameters = list(inspect.signature(method).parameters.values())[isinstance(function, AggregateFunction) :]
    open_ = any(item.kind is item.VAR_POSITIONAL for item in parameters)
    by_name = next((item for item in parameters if item.kind is item.KEYWORD_ONLY and item.default is item.empty), None)
    if by_name is not None:
        raise ProgramError(
            f"{type(function).__qualname__}.{name}: parameter `{by_name.name}` can only be given by its Python name",
            remedy="write parameters by position; SQL calls may still name them: f(a => 1)",
        )
    fixed = [item for item in parameters if item.kind in (item.POSITIONAL_ONLY, item.POSITIONAL_OR_KEYWORD)]
    needed = sum(item.default is item.empty for item in fixed)
    if (not open_ and (count.most is None or count.most > len(fixed))) or count.least < needed:
        takes = f"{needed} or more" if open_ else str(len(fixed))
        raise ProgramError(
            f"{type(function).__qualname__}.{name} does not fit its type inference: that has {count} arguments, "
            f"the method takes {takes}",
            remedy="correct one of them; `*args` takes any number",
        )
