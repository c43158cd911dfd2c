"""A call of a function: which signature it fits, what its arguments are cast to, what it gives."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from plans import types as t
from plans.errors import ProgramError
from plans.functions.bridge import Bridged
from plans.functions.definitions import AggregateFunction, FunctionKind, UserDefinedFunction
from plans.functions.extraction import from_data_type
from plans.functions.inference import ArgumentInfo, CallContext, TypeInference
from plans.functions.signature import Argument, Signature, signatures_of

Fits = Callable[[t.LogicalType, t.LogicalType], bool]


@dataclass(frozen=True, slots=True)
class Bound:
    """A call that fits.

    Args:
        method: the method to call.
        operands: for each argument in order, the position in the call as written, or the constant it stands for.
        arguments: their types; None: that of the operand.
        output: the result.
        skips: the positions of arguments that must not be NULL although they may be: without them there is no call,
            and the result is NULL.
        text: the signature.
    """

    method: str
    operands: tuple[int | Default, ...]
    arguments: tuple[Bridged | None, ...]
    output: Bridged
    skips: tuple[int, ...] = ()
    text: str = ""


@dataclass(frozen=True, slots=True)
class Default:
    """An argument that was left out: a constant of a type."""

    value: Any
    type: t.LogicalType


class Callables:
    """What can be called of one function: its signatures, or its own inference.

    Args:
        function: an instance.

    Raises:
        ProgramError: its types cannot be had.
    """

    def __init__(self, function: UserDefinedFunction) -> None:
        self.function = function
        self.kind: FunctionKind = function.KIND
        self.inference: TypeInference | None = function.get_type_inference()
        self.signatures: tuple[Signature, ...] = ()
        if self.inference is None:
            self.signatures = signatures_of(function)
        else:
            if not isinstance(self.inference, TypeInference):
                raise ProgramError(
                    f"{type(function).__name__}.get_type_inference gave {self.inference!r}",
                    remedy="return a plans.functions.TypeInference",
                )
            _check_method(function)

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
        """The call over these arguments.

        Args:
            name: the function's name, for errors.
            arguments: types and literals.
            named: the name of each argument where it was given by name.
            fits: whether a type may be given for another, cast if need be.

        Raises:
            ProgramError: they fit no signature; shows all.
        """
        if self.inference is not None:
            return self._inferred(name, self.inference, arguments, named, fits)
        for test in (exactly, fits):
            for signature in self.signatures:
                found = _bound(signature, arguments, named, test)
                if found is not None:
                    return replace(found, text=signature.text(name))
        raise self._mismatch(name, arguments, named)

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
        given = [arguments[at] for at in order]
        call = CallContext(name, tuple(given), fits)
        inferred = strategy.infer(call) if strategy.count.takes(len(given)) else None
        if inferred is None:
            raise self._mismatch(name, arguments, named)
        types = [None if item is None else from_data_type(item, f"an argument of {name}") for item in inferred]
        cast = [
            item if wanted is None else replace(item, type=wanted.type.with_nullability(item.type.nullable))
            for item, wanted in zip(given, types, strict=True)
        ]
        output = inference.result(replace(call, arguments=tuple(cast)))
        method = "accumulate" if self.kind is FunctionKind.AGGREGATE else "eval"
        return Bound(method, tuple(order), tuple(types), output, (), f"{name}({strategy.text})")

    def _mismatch(self, name: str, arguments: Sequence[ArgumentInfo], named: Sequence[str | None]) -> ProgramError:
        shown = [
            f"{label} => {item.type}" if label else str(item.type) for item, label in zip(arguments, named, strict=True)
        ]
        return ProgramError(
            f"invalid function call: {name}({', '.join(shown)})",
            remedy=f"supported signatures: {'; '.join(self.texts(name))}",
        )


def exactly(given: t.LogicalType, wanted: t.LogicalType) -> bool:
    """Whether values of a type are values of another as they stand, nullability aside."""
    match given, wanted:
        case t.FieldsType(), t.FieldsType():
            return len(given.fields) == len(wanted.fields) and all(map(exactly, given.types, wanted.types))
        case (t.ArrayType(), t.ArrayType()) | (t.MapType(), t.MapType()) | (t.MultisetType(), t.MultisetType()):
            return all(map(exactly, given.children(), wanted.children()))
        case t.IntervalType(), t.IntervalType():
            return given.ROOT == wanted.ROOT
    if isinstance(given, t.CharacterType) and isinstance(wanted, t.VarCharType):
        return given.length <= wanted.length
    if isinstance(given, t.BytesType) and isinstance(wanted, t.VarBinaryType):
        return given.length <= wanted.length
    if isinstance(given, t.TimestampBase):
        given = given.as_regular()
    return given.with_nullability(True) == wanted.with_nullability(True)


def _bound(
    signature: Signature, arguments: Sequence[ArgumentInfo], named: Sequence[str | None], fits: Fits
) -> Bound | None:
    operands = _placed(signature, len(arguments), named)
    if operands is None:
        return None
    types: list[Bridged | None] = []
    skips = []
    for at, operand in enumerate(operands):
        wanted = signature.argument(at).type
        types.append(wanted)
        if wanted is None or isinstance(operand, Default):
            continue
        given = arguments[operand].type
        if not isinstance(given, t.NullType) and not fits(given, wanted.type):
            return None
        if given.nullable and not wanted.type.nullable:
            skips.append(at)
    output = signature.output.with_nullability(True) if skips else signature.output
    return Bound(signature.method, operands, tuple(types), output, tuple(skips))


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
    found: list[int | Default] = []
    for item in signature.arguments:
        if item.name in by_name:
            found.append(by_name[item.name])
        elif item.optional:
            found.append(_default(item))
        else:
            return None
    return tuple(found)


def _default(argument: Argument) -> Default:
    type_ = argument.type.type if argument.type is not None else t.NULL
    return Default(argument.default, type_.with_nullability(argument.default is None))


def _check_method(function: UserDefinedFunction) -> None:
    """That a function with an inference of its own has a method that takes as many arguments."""
    name = "accumulate" if isinstance(function, AggregateFunction) else "eval"
    method = getattr(function, name, None)
    if method is None:
        raise ProgramError(
            f"function class {type(function).__qualname__} has no method `{name}`",
            remedy=f"define `def {name}(self, *args)`",
        )
    inference = function.get_type_inference()
    assert inference is not None
    count = inference.strategy.count
    parameters = list(inspect.signature(method).parameters.values())[isinstance(function, AggregateFunction) :]
    open_ = any(item.kind is item.VAR_POSITIONAL for item in parameters)
    fixed = [item for item in parameters if item.kind is not item.VAR_POSITIONAL]
    needed = sum(item.default is item.empty for item in fixed)
    if (not open_ and (count.most is None or count.most > len(fixed))) or count.least < needed:
        takes = f"{needed} or more" if open_ else str(len(fixed))
        raise ProgramError(
            f"{type(function).__qualname__}.{name} does not fit its type inference: that has {count} arguments, "
            f"the method takes {takes}",
            remedy="correct one of them; `*args` takes any number",
        )
