"""Pickled objects: values of RAW columns, and accumulators without an SQL type.

Their bytes may come from a checkpoint or a file, and a pickle may call any function. `Unpickling` creates objects of
plain classes and of the classes that a function's types name; any other class is refused by name, without importing
or running its code.
"""

from __future__ import annotations

import datetime as dt
import pickle
import typing
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from decimal import Decimal
from fractions import Fraction
from functools import cached_property, lru_cache
from io import BytesIO
from typing import TYPE_CHECKING, Any, NoReturn
from uuid import UUID

from compiled_plan.plans.deferred import deferred
from compiled_plan.plans.errors import CompiledPlanError

if TYPE_CHECKING:
    import numpy
else:
    numpy = deferred("numpy")

#: True if pickles are read without restriction: the run trusts the writer of its checkpoint to run code.
_TRUSTED: ContextVar[bool] = ContextVar("_TRUSTED", default=False)
_IMMUTABLE = 1 << 8


def pickled(value: object) -> bytes:
    """Pickle an object as the value of a RAW column: equal objects have equal bytes, whichever parts they share.

    Rows are grouped, joined and compared by these bytes, as Flink does with those of its serializer.
    """
    data = BytesIO()
    pickler = pickle.Pickler(data, pickle.HIGHEST_PROTOCOL)
    # Disables the memo, which writes a repeated part as a reference if both are the same object.
    pickler.fast = True
    try:
        pickler.dump(value)
    except (ValueError, RecursionError):  # a cyclic object
        return pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
    return data.getvalue()


@contextmanager
def trusting(trusted: bool) -> Iterator[None]:
    """Let `unpickling` return unrestricted readers within the block, if `trusted`."""
    token = _TRUSTED.set(trusted)
    try:
        yield
    finally:
        _TRUSTED.reset(token)


def unpickling(annotation: object) -> Callable[[bytes], object]:
    """A reader of pickled objects of the annotated class."""
    return pickle.loads if _TRUSTED.get() else Unpickling(tuple(named_classes(annotation)))


class Unpickling:
    """Restricted reader of pickles: plain objects, and objects of additional classes."""

    def __init__(self, classes: tuple[type, ...] = ()) -> None:
        self.classes = classes

    def __reduce__(self) -> tuple[object, ...]:
        return Unpickling, (self.classes,)

    @cached_property
    def _known(self) -> Mapping[tuple[str, str], object]:
        own = {(class_.__module__, class_.__qualname__): _maker(class_) for class_ in self.classes}
        return {**own, **_PLAIN}

    def __call__(self, data: bytes) -> object:
        """Unpickle an object. Raises UnpicklingError if the pickle names a class that is not allowed."""
        return _Unpickler(data, self._known).load()


class _Unpickler(pickle.Unpickler):
    def __init__(self, data: bytes, known: Mapping[tuple[str, str], object]) -> None:
        super().__init__(BytesIO(data))
        self.known = known

    def find_class(self, module: str, name: str) -> object:
        if module.startswith("numpy."):
            module = module.replace("numpy.core.", "numpy._core.", 1)
        maker = self.known.get((module, name))
        if maker is None:
            raise pickle.UnpicklingError(
                f"a pickled value names {module}.{name}, which is no class of its type; "
                "annotate what holds it with its class, or add --trust-pickled-state if you trust all who can write "
                "the checkpoint and the tables"
            )
        return maker


# --- allowed classes -------------------------------------------------------------------------------------------------


class _Fixed(type):
    """Metaclass of stand-ins. A pickle may set attributes of classes that it names; a stand-in's are read-only."""

    target: Any
    is_called: bool

    def __call__(cls, *arguments: Any, **named: Any) -> object:
        if not cls.is_called:
            raise pickle.UnpicklingError(f"a pickled value calls the constructor of {cls.__name__}")
        return cls.target(*arguments, **named)

    def __setattr__(cls, name: str, value: object) -> NoReturn:
        raise pickle.UnpicklingError(f"a pickled value sets `{name}` of {cls.__name__}")


def _stand_in(target: Callable[..., object], is_called: bool = True) -> _Fixed:
    def new(_: type, *arguments: object, **named: object) -> Any:
        assert isinstance(target, type)
        return target.__new__(target, *arguments, **named)

    members = {"__new__": new, "__slots__": (), "target": staticmethod(target), "is_called": is_called}
    return _Fixed(target.__name__, (), members)


def _maker(class_: type) -> type:
    """The stand-in that creates objects of a class; it calls the constructor if the class pickles itself so."""
    if class_.__flags__ & _IMMUTABLE:
        return class_
    base: object = object
    reduces = any(getattr(class_, name) is not getattr(base, name) for name in ("__reduce__", "__reduce_ex__"))
    return _stand_in(class_, reduces)


def _defaultdict(factory: Any = None, *arguments: Any) -> defaultdict[object, object]:
    return defaultdict(factory.target if isinstance(factory, _Fixed) else factory, *arguments)


class _NumpyType:
    """Stand-in for `numpy.dtype` of numbers. Dtypes of objects or records would create objects from any bytes."""

    def __init__(self, code: str, *_: bool) -> None:
        if code[:1] not in "biufc" or not code[1:].isdigit():
            raise pickle.UnpicklingError(f"a pickled value names numpy's type {code!r}, which is no number")
        self.code = code

    def __setstate__(self, state: tuple[object, ...]) -> None:
        order, *rest = state[1:5]
        if order not in ("<", ">", "|") or any(part is not None for part in rest):
            raise pickle.UnpicklingError("a pickled value names a type of numpy that is no number")
        self.code = f"{order}{self.code}"


def _numbers(data: bytes, type_: _NumpyType) -> numpy.ndarray[Any, numpy.dtype[Any]]:
    return numpy.frombuffer(data, numpy.dtype(type_.code))


def _numpy_scalar(type_: _NumpyType, data: bytes) -> object:
    return _numbers(data, type_)[0]


def _numpy_array(data: bytes, type_: _NumpyType, shape: tuple[int, ...], order: Any) -> object:
    return _numbers(data, type_).reshape(shape, order=order)


_CLASSES: tuple[type, ...] = (
    *(bool, int, float, complex, str, bytes, bytearray, list, tuple, dict, set, frozenset),
    *(dt.date, dt.time, dt.datetime, dt.timedelta, dt.timezone, Decimal, Fraction, UUID),
    *(deque, Counter, OrderedDict),
)
_PLAIN: Mapping[tuple[str, str], object] = {
    **{(class_.__module__, class_.__qualname__): _maker(class_) for class_ in _CLASSES},
    ("collections", "defaultdict"): _stand_in(_defaultdict),
    ("numpy", "dtype"): _stand_in(_NumpyType),
    ("numpy._core.multiarray", "scalar"): _stand_in(_numpy_scalar),
    ("numpy._core.numeric", "_frombuffer"): _stand_in(_numpy_array),
}


def named_classes(annotation: object) -> Iterable[type]:
    """The classes that an annotation names, and the user's own classes in the annotations of their fields."""
    from compiled_plan.plans.functions.code import is_own  # not for workers

    classes: dict[type, None] = {}
    waiting = [(annotation, True)]
    while waiting:
        part, is_outer = waiting.pop()
        if isinstance(part, typing.NewType):
            part = part.__supertype__
        inner: Iterable[object] = typing.get_args(part)
        if isinstance(origin := typing.get_origin(part) or part, type) and origin not in classes:
            if is_own(origin) or (is_outer and origin.__module__ not in _PYTHONS):
                classes[origin] = None
            if is_own(origin):
                waiting += [(field, False) for field in _annotations_inside(origin)]
        waiting += [(argument, is_outer) for argument in inner]
    return classes


_PYTHONS = ("builtins", "typing", "types", "collections.abc", "inspect")


@lru_cache(maxsize=1024)
def _annotations_inside(class_: type) -> tuple[object, ...]:
    from compiled_plan.plans.types.python.annotations import annotations_of

    annotations: list[object] = list(getattr(class_, "__orig_bases__", ()))
    for target in (class_, vars(class_).get("__init__")):
        try:
            annotations += annotations_of(target).values() if target is not None else ()
        except CompiledPlanError:
            continue  # unresolvable names
    return tuple(annotations)
