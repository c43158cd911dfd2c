"""Resolution of a function call: the matching signature, the casts of arguments, the result type."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from compiled_plan.plans import types as t
from compiled_plan.plans.errors import CompiledPlanError, ProgramError
from compiled_plan.plans.functions.declared import Declared
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
    method: str
    #: For each argument in order, its position in the call as written, or the default if it was left out.
    operands: tuple[int | Default, ...]
    arguments: tuple[Bridged | None, ...]  # argument types; None: the operand's type
    output: Bridged
    #: Positions of nullable operands whose parameter is NOT NULL: if one is NULL, the function is not called and the
    #: result is NULL.
    skips: tuple[int, ...] = ()
    text: str = ""
    accumulator: Bridged | None = None  # of an aggregate; None if it has no SQL type


@dataclass(frozen=True, slots=True)
class Default:
    """The default of an omitted argument: a constant of a type."""

    value: Any
    type: t.LogicalType


class Callables:
    """The signatures of one function, or its own type inference. Raises ProgramError if types cannot be inferred."""

    def __init__(self, function: UserDefinedFunction) -> None:
        self.function: UserDefinedFunction = function
        self.kind: FunctionKind = function.KIND
        self.inference: TypeInference | None = _inference_of(function)
        self.signatures: tuple[Signature, ...] = ()
        if self.inference is None:
            self.signatures = signatures_of(function)
        elif not isinstance(function, Declared):
            check_class(type(function))
            _check_method(function, self.inference)

    @classmethod
    def declared(cls, kind: FunctionKind, signatures: Sequence[Signature]) -> Callables:
        """The signatures of a function whose code is not loaded, so that there is no `function`."""
        callables = cls.__new__(cls)
        callables.kind, callables.inference, callables.signatures = kind, None, tuple(signatures)
        return callables

    def texts(self, name: str) -> list[str]:
        """The signatures as texts, for errors."""
        if self.inference is not None:
            return [f"{name}({self.inference.strategy.text})"]
        return [item.text(name) for item in self.signatures]

    @property
    def names(self) -> bool:
        """Return True if the arguments have names."""
        if self.inference is not None:
            return bool(self.inference.strategy.names)
        return all(item.name for signature in self.signatures for item in signature.arguments)

    def bind(self, name: str, arguments: Sequence[ArgumentInfo], named: Sequence[str | None], fits: Fits) -> Bound:
        """Resolve a call with these arguments (types and literals); `named` holds the names of those passed by name.

        `fits` decides if a type may be passed for another, with a cast if necessary. Raises a ProgramError that lists
        all signatures if none matches.
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
        """Resolve a call of a plan by its method and its signature (any if empty).

        Raises ProgramError if there is no such signature, or if its result type is not `output`.
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
        """Resolve a call that was inferred when the plan was compiled. Its operands are cast already, and the inference
        may refuse them now; the plan's types hold then."""
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
            with _user_errors(name, "input"):
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
        with _user_errors(name, "output"):
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
    """Return True if values of `actual` need no cast to `wanted`, apart from nullability and field names of rows."""
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
    return actual.as_regular().with_nullability(True) == wanted.with_nullability(True)


#: Ranks of an argument's match with a parameter, best first. The first four need no cast.
_SAME, _NULLABLE, _RENAMED, _SKIPS, _CAST, _CAST_SKIPS, _ANY = range(7)
_NUMBERS = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "DECIMAL", "FLOAT", "DOUBLE")
Rank = tuple[tuple[int, int], ...]


def _ranked(
    signature: Signature, arguments: Sequence[ArgumentInfo], named: Sequence[str | None], fits: Fits
) -> tuple[Rank, Bound] | None:
    """The call by a signature and its rank, the worst argument first; None if the signature does not match."""
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
    # Among equal ranks, signatures without varargs and without defaults win.
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


def _names(type_: t.LogicalType) -> tuple[object, ...]:
    own = type_.names if isinstance(type_, t.FieldsType) else ()
    return (own, *map(_names, type_.children()))


def _placed(signature: Signature, count: int, named: Sequence[str | None]) -> tuple[int | Default, ...] | None:
    """Assign a call's arguments to parameters; None if their number or names do not match."""
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
def _user_errors(name: str, role: str) -> Iterator[None]:
    """Turn exceptions of a user's strategy into ProgramError."""
    try:
        yield
    except CompiledPlanError:
        raise
    except Exception as fault:
        raise ProgramError(
            f"the {role} strategy of the type inference of function {name} raised {type(fault).__name__}: {fault}",
            remedy="correct it in get_type_inference; call.fail(message) refuses a call",
        ) from fault


def _check_method(function: UserDefinedFunction, inference: TypeInference) -> None:
    """Raise ProgramError unless a function with its own type inference has a method for that number of arguments."""
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
