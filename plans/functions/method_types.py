"""Extraction of the argument and result types of one method from its hints and annotations.

Source: FLIP-65, "Annotation extraction": hints of a method take precedence over hints of the class, hints over
annotations; types without a hint are extracted from annotations.
"""

from __future__ import annotations

import collections.abc
import inspect
import typing
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from compiled_plan.plans.errors import CompiledPlanError, ProgramError
from compiled_plan.plans.functions.definitions import (
    AggregateFunction,
    FunctionKind,
    TableFunction,
    UserDefinedFunction,
)
from compiled_plan.plans.functions.methods import EMPTY, Method
from compiled_plan.plans.functions.signature import Argument, Signature
from compiled_plan.plans.types.python.annotations import annotations_of, bind_variables, type_arguments
from compiled_plan.plans.types.python.bridge import Bridged
from compiled_plan.plans.types.python.extraction import NO_HINT, Place, accepting, extract, hinted
from compiled_plan.plans.types.python.type_hints import DataTypeHint, FunctionHint, class_hint


def signature_of(class_: type[UserDefinedFunction], method: Method, hint: FunctionHint) -> Signature:
    """The signature of a method with a hint. Raises ProgramError if they mismatch, or a type cannot be extracted."""
    accumulator = _accumulator(class_, hint)
    output = _output(class_, method, hint)
    if hint.input is None:
        arguments, own = _extracted(class_, method), _is_varargs(method.parameters)
        varargs = own if hint.is_varargs is None else hint.is_varargs
        if varargs and not own:
            raise ProgramError(
                f"{method.where}: is_varargs, but its last parameter takes one argument", remedy="write `*args`"
            )
    else:
        varargs = bool(hint.is_varargs)
        arguments = _declared(method, hint.input, varargs)
    if hint.argument_names is not None:
        if len(hint.argument_names) != len(arguments):
            raise ProgramError(
                f"{method.where}: {len(hint.argument_names)} argument names for {len(arguments)} arguments",
                remedy="give each argument a name",
            )
        arguments = tuple(replace(item, name=name) for item, name in zip(arguments, hint.argument_names, strict=True))
    return Signature(method.name, arguments, output, varargs, accumulator)


def _is_varargs(parameters: Sequence[inspect.Parameter]) -> bool:
    return bool(parameters) and parameters[-1].kind is inspect.Parameter.VAR_POSITIONAL


# --- arguments -------------------------------------------------------------------------------------------------------


def _place(method: Method, parameter: inspect.Parameter) -> Place:
    return Place(f"parameter `{parameter.name}` of {method.where}")


def _extracted(class_: type, method: Method) -> tuple[Argument, ...]:
    options = class_hint(class_) or NO_HINT
    return tuple(
        Argument(
            parameter.name,
            _parameter(method, parameter, options),
            parameter.default is not EMPTY,
            None if parameter.default is EMPTY else parameter.default,
        )
        for parameter in method.parameters
    )


def _parameter(method: Method, parameter: inspect.Parameter, options: DataTypeHint) -> Bridged | None:
    annotation = method.annotations.get(parameter.name, parameter.annotation)
    if typing.get_origin(annotation) is typing.Annotated:
        notes = typing.get_args(annotation)[1:]
        own = next((note for note in notes if isinstance(note, DataTypeHint)), None)
        if own is not None and own.takes_any:
            return None
    type_ = extract(annotation, _place(method, parameter), options)
    # The default None makes the parameter nullable.
    return type_.with_nullability(True) if parameter.default is None else type_


def _declared(method: Method, hints: Sequence[DataTypeHint], varargs: bool) -> tuple[Argument, ...]:
    parameters, own = method.parameters, _is_varargs(method.parameters)
    fixed = parameters[:-1] if own else parameters
    needed = sum(parameter.default is EMPTY for parameter in fixed)
    # Repeated or omitted arguments must be at the position of `*args`.
    misplaced = varargs and not (own and len(hints) == len(fixed) + 1)
    if own and varargs and not fixed:
        misplaced = False
    if misplaced or len(hints) < needed or (len(hints) > len(fixed) and not own):
        takes = f"{len(fixed)} or more" if own else str(len(fixed))
        raise ProgramError(
            f"{method.where} does not fit its function_hint: the input has {len(hints)} arguments"
            f"{', the last one repeated' if varargs else ''}, the method takes {takes}",
            remedy="correct the hint or the parameters; `*args` takes any number",
        )
    arguments = []
    for at, hint in enumerate(hints):
        parameter = fixed[at] if at < len(fixed) else parameters[-1]
        annotation = method.annotations.get(parameter.name, parameter.annotation)
        place = Place(f"{_place(method, parameter).text}, in its function_hint")
        arguments.append(
            Argument(
                parameter.name if at < len(fixed) else None,
                _hinted_type(hint, annotation, place),
                at < len(fixed) and parameter.default is not EMPTY,
                None if parameter.default is EMPTY else parameter.default,
            )
        )
    return tuple(arguments)


def _hinted_type(hint: DataTypeHint, annotation: object, place: Place) -> Bridged | None:
    if hint.takes_any:
        return None
    if not hint.names_type and annotation in (EMPTY, Any, object):
        raise ProgramError(f"{place.text}: the hint names no type", remedy='write DataTypeHint("<type>")')
    return hinted(hint, annotation, place)


# --- results ---------------------------------------------------------------------------------------------------------


def _output(class_: type[UserDefinedFunction], method: Method, hint: FunctionHint) -> Bridged:
    place = Place(f"the result of {method.where}")
    annotation = method.annotations.get("return", EMPTY)
    if class_.KIND is FunctionKind.AGGREGATE:
        place = Place(f"the result of {class_.__qualname__}.get_value")
        annotation = annotations_of(inspect.unwrap(class_.get_value)).get("return", EMPTY)  # type: ignore[attr-defined]
        annotation = bind_variables(annotation, type_arguments(class_))
        if isinstance(annotation, typing.TypeVar) or annotation is EMPTY:
            annotation = _type_argument(class_, AggregateFunction)
    elif class_.KIND is FunctionKind.TABLE:
        annotation = _row_annotation(class_, annotation)
    options = class_hint(class_) or NO_HINT
    if hint.output is None:
        return extract(annotation, place, options)
    inner = annotation if typing.get_origin(annotation) is not typing.Annotated else typing.get_args(annotation)[0]
    type_ = hinted(hint.output.inside(options), EMPTY if inner in (object, Any) else inner, place)
    return type_ if inner is EMPTY else _checked(type_, inner, place)


def _checked(type_: Bridged, annotation: object, place: Place) -> Bridged:
    """Refuse annotations that cannot be values of the type; classes other than its default are accepted."""
    try:
        accepting(Bridged(type_.type), annotation, place)
    except ProgramError:
        if type_.class_ is None and type_.converter is None:
            raise
    return type_


_ROWS = (
    collections.abc.Iterator,
    collections.abc.Iterable,
    collections.abc.Generator,
    collections.abc.Sequence,
    collections.abc.Collection,
    list,
)


def _row_annotation(class_: type[UserDefinedFunction], annotation: object) -> object:
    """The annotation of a table function's row: within `Iterator[...]`, or of the class, `TableFunction[...]`."""
    arguments = typing.get_args(annotation)
    if typing.get_origin(annotation) in _ROWS and arguments:
        return arguments[0]
    if typing.get_origin(annotation) is tuple and len(arguments) == 2 and arguments[1] is Ellipsis:
        return arguments[0]
    return _type_argument(class_, TableFunction)


def _type_argument(class_: type, base: Any, at: int = 0) -> object:
    """The argument of a base class's type parameter: `str` in `class Split(TableFunction[str])`, also through
    intermediate classes."""
    bound = type_arguments(class_).get(base.__parameters__[at], EMPTY)
    return EMPTY if isinstance(bound, typing.TypeVar) else bound


def _accumulator(class_: type[UserDefinedFunction], hint: FunctionHint) -> Bridged | None:
    if hint.accumulator is not None and class_.KIND is not FunctionKind.AGGREGATE:
        raise ProgramError(
            f"the function_hint of {class_.__qualname__} has an accumulator, and it is no aggregate function",
            remedy="leave `accumulator` out",
        )
    if class_.KIND is not FunctionKind.AGGREGATE:
        return None
    place = Place(f"the accumulator of {class_.__qualname__}")
    if hint.accumulator is not None:
        return hinted(hint.accumulator, EMPTY, place)
    try:
        return extract(accumulator_annotation(class_), place, class_hint(class_) or NO_HINT)
    except CompiledPlanError:
        return None  # no type


def accumulator_annotation(class_: type[UserDefinedFunction]) -> object:
    """The annotation of an aggregate's accumulator; `EMPTY` if it is missing or unreadable."""
    created = inspect.unwrap(class_.create_accumulator)  # type: ignore[attr-defined]
    try:
        annotation = annotations_of(created).get("return", EMPTY)
    except ProgramError:
        return EMPTY
    annotation = bind_variables(annotation, type_arguments(class_))
    if isinstance(annotation, typing.TypeVar) or annotation is EMPTY:
        annotation = _type_argument(class_, AggregateFunction, 1)
    return annotation
