"""Resolution of Python annotations: strings evaluated, type variables bound."""

from __future__ import annotations

import sys
import types
import typing
from collections.abc import Iterator, Mapping
from typing import Any

from compiled_plan.plans.errors import ProgramError


def annotations_of(target: object) -> dict[str, object]:
    """The annotations of a function or class, with strings evaluated. Raises ProgramError for an unknown name.

    Names that are neither in the module nor built in are looked up in the calling functions: a class may be local to
    one of them.
    """
    name = getattr(target, "__qualname__", str(target))
    missing: Exception
    try:
        return typing.get_type_hints(target, include_extras=True)
    except TypeError:
        return _one_by_one(target)
    except NameError as fault:
        missing = fault
    except Exception as fault:
        raise ProgramError(f"{name}: an annotation cannot be read: {fault}", remedy="correct it") from None
    for names in _running():
        try:
            return typing.get_type_hints(target, localns=names, include_extras=True)
        except NameError as fault:
            missing = fault
    raise ProgramError(f"{name}: an annotation cannot be read: {missing}", remedy="import what it names in its module")


def _one_by_one(target: object) -> dict[str, object]:
    """Annotations of which some are no types: those, such as a bare data type, are left unchanged."""
    names = dict(getattr(target, "__globals__", {}) or vars(sys.modules.get(getattr(target, "__module__", ""), typing)))
    for local in _running():
        names = local | names
    evaluated = {}
    for key, value in getattr(target, "__annotations__", {}).items():
        try:
            evaluated[key] = eval(value, names) if isinstance(value, str) else value
        except Exception as fault:
            name = getattr(target, "__qualname__", str(target))
            raise ProgramError(f"{name}: the annotation {value!r} of `{key}` cannot be read: {fault}") from None
    return evaluated


def _running() -> Iterator[dict[str, object]]:
    frame: types.FrameType | None = sys._getframe(1)
    everything: dict[str, object] = {}
    while frame is not None:
        everything = frame.f_locals | everything
        yield everything
        frame = frame.f_back


def type_arguments(annotation: object) -> dict[object, object]:
    """Arguments of the type variables of a class and its base classes: `{T: str}` for `class
    Words(TableFunction[str])`; for `Pair[int]` including those of Pair. Unbound variables are absent."""
    origin = typing.get_origin(annotation)
    class_ = origin or annotation
    bound: dict[object, object] = {}
    if origin is not None:
        bound.update(zip(getattr(origin, "__parameters__", ()), typing.get_args(annotation), strict=False))
    for base_class in getattr(class_, "__mro__", ()):
        for written in vars(base_class).get("__orig_bases__", ()):
            base = typing.get_origin(written)
            if base in (None, typing.Generic, typing.Protocol):
                continue
            for variable, argument in zip(getattr(base, "__parameters__", ()), typing.get_args(written), strict=False):
                if isinstance(argument, typing.ForwardRef):
                    argument = _resolved(argument, base_class)
                argument = bind_variables(argument, bound)
                if not isinstance(argument, typing.TypeVar):
                    bound.setdefault(variable, argument)
    return bound


def _resolved(reference: typing.ForwardRef, class_: type) -> object:
    text = reference.__forward_arg__
    holder = type(class_.__name__, (), {"__annotations__": {"x": text}, "__module__": class_.__module__})
    return annotations_of(holder)["x"]


def bind_variables(annotation: object, bound: Mapping[object, object]) -> object:
    """Substitute the bound type variables in an annotation."""
    if isinstance(annotation, typing.TypeVar):
        return bound.get(annotation, annotation)
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if not bound or not arguments or not getattr(annotation, "__parameters__", ()):
        return annotation
    rebound = tuple(bind_variables(part, bound) for part in arguments)
    if origin in (typing.Union, types.UnionType):
        return typing.cast(Any, typing.Union)[rebound]
    if origin is typing.Annotated:
        return typing.cast(Any, typing.Annotated)[rebound]
    return origin[rebound if len(rebound) > 1 else rebound[0]] if origin is not None else annotation
