"""The signatures of a function: from its hints and annotations, checked against its methods.

Source: FLIP-65, "Resolution Process" and "Annotation extraction": hints of a method win over those of the class,
hints over annotations; what the hints leave open is extracted.
"""

from __future__ import annotations

import collections.abc
import inspect
import typing
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from plans import types as t
from plans.errors import ProgramError
from plans.functions.annotations import annotations_of, bind_variables, type_arguments
from plans.functions.bridge import Bridged
from plans.functions.definitions import (
    AggregateFunction,
    FunctionKind,
    TableFunction,
    UserDefinedFunction,
)
from plans.functions.extraction import NO_HINT, Place, accepting, extract, hinted
from plans.functions.hints import DataTypeHint, FunctionHint, class_hint, function_hints

_EMPTY = inspect.Parameter.empty
#: Defaults that a plan can hold as a literal.
_CONSTANTS = (type(None), bool, int, float, str)


@dataclass(frozen=True, slots=True)
class Argument:
    """A parameter of a signature.

    Args:
        name: for calls with names; None: it has none.
        type: None: any type.
        optional: it may be left out, and is `default` then.
        default: a plain constant.
    """

    name: str | None
    type: Bridged | None
    optional: bool = False
    default: Any = None

    def __str__(self) -> str:
        shown = "ANY" if self.type is None else str(self.type.type)
        text = f"{self.name} => {shown}" if self.name else shown
        return f"[{text}]" if self.optional else text


@dataclass(frozen=True, slots=True)
class Signature:
    """One way to call a function: the method, its arguments, what it gives.

    With `varargs` the last argument comes any number of times, or not at all.
    """

    method: str
    arguments: tuple[Argument, ...]
    output: Bridged
    varargs: bool = False
    accumulator: Bridged | None = None

    def text(self, name: str) -> str:
        """As errors show it."""
        shown = [str(item) for item in self.arguments]
        if self.varargs:
            shown[-1] += "..."
        return f"{name}({', '.join(shown)})"

    def takes(self, count: int) -> bool:
        """Whether a call by position may have so many arguments."""
        needed = sum(not item.optional for item in self.arguments) - self.varargs
        return needed <= count and (self.varargs or count <= len(self.arguments))

    def argument(self, at: int) -> Argument:
        """The parameter of an argument by position."""
        return self.arguments[min(at, len(self.arguments) - 1)]


@dataclass(frozen=True, slots=True)
class _Method:
    """A method, or one overload of it: its parameters without `self` (and the accumulator), and annotations."""

    name: str
    target: Callable[..., Any]
    parameters: tuple[inspect.Parameter, ...]
    annotations: dict[str, Any]
    where: str


def signatures_of(function: UserDefinedFunction) -> tuple[Signature, ...]:
    """All signatures of a function, in the order in which they are written.

    Raises:
        ProgramError: a type that cannot be had, a method that does not fit its hints, or two signatures that take the
            same and differ; names method and parameter.
    """
    class_ = type(function)
    check_class(class_)
    whole = function_hints(class_) or (FunctionHint(),)
    found: list[Signature] = []
    # Of hints of the class that say what goes in: the methods that they fit, and why they do not fit others.
    fitting: dict[FunctionHint, int] = {outer: 0 for outer in whole if outer.input is not None}
    faults: dict[FunctionHint, ProgramError] = {}
    for method, own in _methods(class_):
        for inner in own or (FunctionHint(),):
            for outer in whole:
                hint = inner.over(outer)
                by_class = inner.input is None and outer.input is not None
                try:
                    found.append(_signature(class_, method, hint))
                except ProgramError as fault:
                    if not by_class:
                        raise
                    faults.setdefault(outer, fault)
                else:
                    fitting[outer] = fitting.get(outer, 0) + 1
    _check_retract(class_, found)
    for outer, why in faults.items():
        if not fitting[outer]:
            raise why
    return _distinct(found, class_)


def _check_retract(class_: type[UserDefinedFunction], found: Sequence[Signature]) -> None:
    for signature in found if hasattr(class_, "retract") else ():
        count = 1 + len(signature.arguments)
        if not _takes(class_, "retract", count):
            raise ProgramError(
                f"{class_.__qualname__}.retract does not take the arguments of `{signature.method}`",
                remedy="give it the same parameters",
            )


def _distinct(found: Sequence[Signature], class_: type) -> tuple[Signature, ...]:
    """The signatures, each once.

    Raises:
        ProgramError: two take the same arguments and give different results, or call different methods.
    """
    kept: dict[tuple[object, ...], Signature] = {}
    for signature in found:
        # Whether a result may be NULL says nothing of what goes in.
        taken = (tuple(item.type and str(item.type.type) for item in signature.arguments), signature.varargs)
        other = kept.setdefault(taken, signature)
        for what, one, two in (
            ("results", str(other.output.type), str(signature.output.type)),
            ("methods", other.method, signature.method),
            ("accumulators", _shown(other.accumulator), _shown(signature.accumulator)),
        ):
            if one != two:
                raise ProgramError(
                    f"{class_.__qualname__} has two signatures that take ({signature.text('').strip('()')}), of "
                    f"different {what}: {one} and {two}",
                    remedy="leave one of them out, or let it take something else",
                )
    return tuple(kept.values())


def _shown(part: Bridged | None) -> str:
    return "none" if part is None else str(part.type)


def check_class(class_: type[UserDefinedFunction]) -> None:
    """Refuse a function class whose methods cannot be called.

    Raises:
        ProgramError: a method is missing, or of a kind that cannot be called row by row; a hint that says nothing.
    """
    method, where = class_.METHOD, class_.__qualname__
    hint = class_hint(class_)
    if hint is not None and (hint.names_type or hint.bridged_to is not None or hint.takes_any):
        raise ProgramError(
            f"the DataTypeHint above function class {where} says a type, and a function is none",
            remedy="write @function_hint(output=...) above the class, or DataTypeHint above the method",
        )
    if not _method_names(class_):
        raise ProgramError(
            f"function class {where} has no method `{method}`", remedy=f"define `def {method}(self, ...)`"
        )
    names = [*_method_names(class_), "retract", "merge", "create_accumulator", "get_value", "open", "close"]
    for name in names:
        target = inspect.unwrap(getattr(class_, name, class_.open))
        if inspect.iscoroutinefunction(target) or inspect.isasyncgenfunction(target):
            raise ProgramError(
                f"{where}.{name} is an `async` function, and rows are not awaited",
                remedy=f"write `def {name}`; run a loop of your own inside it where you need one",
            )
    if issubclass(class_, AggregateFunction):
        for name in ("create_accumulator", "get_value"):
            if getattr(class_, name) is getattr(AggregateFunction, name):
                raise ProgramError(f"aggregate function class {where} has no method `{name}`", remedy="define it")
        for name, count, shown in (
            ("create_accumulator", 0, "self"),
            ("get_value", 1, "self, accumulator"),
            ("merge", 2, "self, accumulator, others"),
        ):
            if hasattr(class_, name) and not _takes(class_, name, count):
                raise ProgramError(
                    f"{where}.{name} does not take what it is called with", remedy=f"write `def {name}({shown})`"
                )


def _takes(class_: type, name: str, count: int) -> bool:
    """Whether a method can be called with so many arguments behind `self`."""
    member = getattr(class_, name)
    is_static = isinstance(inspect.getattr_static(class_, name), staticmethod | classmethod)
    try:
        inspect.signature(member).bind(*[None] * (count + (not is_static)))
    except TypeError:
        return False
    except ValueError:
        return True
    return True


def _method_names(class_: type[UserDefinedFunction]) -> list[str]:
    """`eval`, and methods named `eval_...`, in the order of their definition."""
    prefix = f"{class_.METHOD}_"
    names: dict[str, None] = {}
    for base in class_.__mro__:
        for name in vars(base):
            if callable(getattr(class_, name)) and (name == class_.METHOD or name.startswith(prefix)):
                names.setdefault(name)
    return sorted(names, key=lambda name: name != class_.METHOD)


def _methods(class_: type[UserDefinedFunction]) -> Iterator[tuple[_Method, tuple[FunctionHint, ...]]]:
    bound = type_arguments(class_)
    for name in _method_names(class_):
        where = f"{class_.__qualname__}.{name}"
        target = inspect.unwrap(getattr(class_, name))
        # A class method has taken its class already.
        target = getattr(target, "__func__", target)
        hints = function_hints(target)
        is_static = isinstance(inspect.getattr_static(class_, name), staticmethod)
        skipped = (class_.KIND is FunctionKind.AGGREGATE) + (not is_static)
        for one in typing.get_overloads(target) or [target]:
            try:
                parameters = tuple(inspect.signature(one).parameters.values())
            except (TypeError, ValueError):
                raise ProgramError(
                    f"the parameters of {where} cannot be seen", remedy=f"write `def {name}(self, ...)` around it"
                ) from None
            if sum(item.kind is not item.KEYWORD_ONLY for item in parameters[:skipped]) < skipped:
                wanted = "self, accumulator" if class_.KIND is FunctionKind.AGGREGATE else "self"
                raise ProgramError(f"{where} lacks its first parameters", remedy=f"write `def {name}({wanted}, ...)`")
            first = parameters[0] if not is_static and parameters else None
            if first is not None and first.name not in ("self", "cls") and first.annotation is not _EMPTY:
                raise ProgramError(
                    f"the first parameter of {where}, `{first.name}`, would be the function itself",
                    remedy=f"write `def {name}(self, ...)`, or @staticmethod above it",
                )
            given = {key: bind_variables(value, bound) for key, value in annotations_of(one).items()}
            method = _Method(name, one, parameters[skipped:], given, where)
            for parameter in method.parameters:
                _check_parameter(parameter, where)
            yield method, (*function_hints(one),) or hints


def _check_parameter(parameter: inspect.Parameter, where: str) -> None:
    if parameter.kind in (parameter.KEYWORD_ONLY, parameter.VAR_KEYWORD):
        raise ProgramError(
            f"{where}: parameter `{parameter.name}` can only be given by its Python name",
            remedy="write parameters by position; SQL calls may still name them: f(a => 1)",
        )
    if parameter.default is not _EMPTY and not isinstance(parameter.default, _CONSTANTS):
        raise ProgramError(
            f"{where}: the default of parameter `{parameter.name}` is no plain constant",
            remedy="write None, a number, a text or a bool, and replace it inside the method",
        )


def _signature(class_: type[UserDefinedFunction], method: _Method, hint: FunctionHint) -> Signature:
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


def _place(method: _Method, parameter: inspect.Parameter) -> Place:
    return Place(f"parameter `{parameter.name}` of {method.where}")


def _extracted(class_: type, method: _Method) -> tuple[Argument, ...]:
    options = class_hint(class_) or NO_HINT
    return tuple(
        Argument(
            parameter.name,
            _parameter(method, parameter, options),
            parameter.default is not _EMPTY,
            None if parameter.default is _EMPTY else parameter.default,
        )
        for parameter in method.parameters
    )


def _parameter(method: _Method, parameter: inspect.Parameter, options: DataTypeHint) -> Bridged | None:
    annotation = method.annotations.get(parameter.name, parameter.annotation)
    if typing.get_origin(annotation) is typing.Annotated:
        notes = typing.get_args(annotation)[1:]
        own = next((note for note in notes if isinstance(note, DataTypeHint)), None)
        if own is not None and own.takes_any:
            return None
    found = extract(annotation, _place(method, parameter), options)
    # None as the default says that it may be NULL.
    return found.with_nullability(True) if parameter.default is None else found


def _declared(method: _Method, hints: Sequence[DataTypeHint], varargs: bool) -> tuple[Argument, ...]:
    parameters, own = method.parameters, _is_varargs(method.parameters)
    fixed = parameters[:-1] if own else parameters
    needed = sum(parameter.default is _EMPTY for parameter in fixed)
    # What may be repeated, or left out, stands where the method takes any number.
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
                _given(hint, annotation, place),
                at < len(fixed) and parameter.default is not _EMPTY,
                None if parameter.default is _EMPTY else parameter.default,
            )
        )
    return tuple(arguments)


def _given(hint: DataTypeHint, annotation: Any, place: Place) -> Bridged | None:
    if hint.takes_any:
        return None
    if not hint.names_type and annotation in (_EMPTY, Any, object):
        raise ProgramError(f"{place.text}: the hint names no type", remedy='write DataTypeHint("<type>")')
    return hinted(hint, annotation, place)


# --- results ---------------------------------------------------------------------------------------------------------


def _output(class_: type[UserDefinedFunction], method: _Method, hint: FunctionHint) -> Bridged:
    place = Place(f"the result of {method.where}")
    annotation = method.annotations.get("return", _EMPTY)
    if class_.KIND is FunctionKind.AGGREGATE:
        place = Place(f"the result of {class_.__qualname__}.get_value")
        annotation = annotations_of(inspect.unwrap(class_.get_value)).get("return", _EMPTY)  # type: ignore[attr-defined]
        annotation = bind_variables(annotation, type_arguments(class_))
        if isinstance(annotation, typing.TypeVar) or annotation is _EMPTY:
            annotation = _type_argument(class_, AggregateFunction)
    elif class_.KIND is FunctionKind.TABLE:
        annotation = _row_annotation(class_, annotation)
    options = class_hint(class_) or NO_HINT
    if hint.output is None:
        return extract(annotation, place, options)
    inner = annotation if typing.get_origin(annotation) is not typing.Annotated else typing.get_args(annotation)[0]
    found = hinted(hint.output.inside(options), _EMPTY if inner in (object, Any) else inner, place)
    return found if inner is _EMPTY else _checked(found, inner, place)


def _checked(found: Bridged, annotation: Any, place: Place) -> Bridged:
    """A result need not be of the usual class: only what cannot be a value of the type at all is refused."""
    try:
        accepting(Bridged(found.type), annotation, place)
    except ProgramError:
        if found.class_ is None and found.converter is None:
            raise
    return found


_ROWS = (
    collections.abc.Iterator,
    collections.abc.Iterable,
    collections.abc.Generator,
    collections.abc.Sequence,
    collections.abc.Collection,
    list,
)


def _row_annotation(class_: type[UserDefinedFunction], annotation: Any) -> Any:
    """The annotation of a table function's row: inside `Iterator[...]`, or of the class, `TableFunction[...]`."""
    arguments = typing.get_args(annotation)
    if typing.get_origin(annotation) in _ROWS and arguments:
        return arguments[0]
    if typing.get_origin(annotation) is tuple and len(arguments) == 2 and arguments[1] is Ellipsis:
        return arguments[0]
    return _type_argument(class_, TableFunction)


def _type_argument(class_: type, base: Any) -> Any:
    """What a class says for the first type parameter of its base: `str` of `class Split(TableFunction[str])`, also
    where a class between them has the parameter."""
    found = type_arguments(class_).get(base.__parameters__[0], _EMPTY)
    return _EMPTY if isinstance(found, typing.TypeVar) else found


def _accumulator(class_: type[UserDefinedFunction], hint: FunctionHint) -> Bridged | None:
    if hint.accumulator is not None and class_.KIND is not FunctionKind.AGGREGATE:
        raise ProgramError(
            f"the function_hint of {class_.__qualname__} has an accumulator, and it is no aggregate function",
            remedy="leave `accumulator` out",
        )
    if class_.KIND is not FunctionKind.AGGREGATE or hint.accumulator is None:
        return None
    return hinted(hint.accumulator, _EMPTY, Place(f"the accumulator of {class_.__qualname__}"))


def table_fields(output: Bridged) -> tuple[tuple[str, Bridged], ...]:
    """The columns of a table function's rows; one without a name is `EXPR$0`."""
    if isinstance(output.type, t.FieldsType):
        nullable = output.type.nullable
        return tuple(
            (field.name, part.with_nullability(True) if nullable else part)
            for field, part in zip(output.type.fields, output.parts, strict=True)
        )
    return (("EXPR$0", output),)
