"""Classes of structured types: resolution of their names, conversion between objects and fields.

The name of a structured type is `module.Class`. A plan may name anything, so a name resolves only to

- a class that the program itself used as a type (`DataTypes.STRUCTURED(cls)`, `object_of(cls)`, a function's hints);
- a class of a module that the program has imported and that belongs neither to Python nor to an installed package;
- a class below a prefix that was allowed with `allow_classes_from`;
- while the functions of a plan are loaded, a class of the modules allowed for this plan (`Permission`), but not for
  others: modules imported for a plan do not count as imported by the program.

Source: FLIP-520, "SQL Data Type" and "Combining SQL and Table API".
"""

from __future__ import annotations

import dataclasses
import inspect
import re
import sys
import sysconfig
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar, get_origin
from weakref import WeakValueDictionary

from compiled_plan.plans.errors import DataError

_USED: WeakValueDictionary[str, type] = WeakValueDictionary()
_PREFIXES: dict[str, None] = {}
#: Modules imported for a plan with permission, and not by the program.
_IMPORTED_FOR_PLANS: set[str] = set()
_OWN = frozenset({"compiled_plan"})


def class_name(class_: type) -> str:
    """The name of a class in a structured type; without `<locals>` for a class defined in a function."""
    return f"{class_.__module__}.{class_.__qualname__}".replace(".<locals>", "")


@dataclass(frozen=True)
class Permission:
    """Allowed modules of a plan's functions, and the classes that these functions use as types."""

    prefixes: tuple[str, ...] = ()  # modules, including their submodules
    used: dict[str, type] = field(default_factory=dict)  # classes by name

    def covers(self, module: str) -> bool:
        """Return True if a module is allowed."""
        return any(module == prefix or module.startswith(f"{prefix}.") for prefix in self.prefixes)

    @contextmanager
    def granted(self) -> Iterator[None]:
        """Apply the permission within the block, in this thread."""
        before = set(sys.modules) if self.prefixes else set()
        token = _PERMISSION.set(self)
        try:
            yield
        finally:
            _PERMISSION.reset(token)
            if self.prefixes:
                _IMPORTED_FOR_PLANS.update(filter(self.covers, set(sys.modules) - before))


_PERMISSION: ContextVar[Permission | None] = ContextVar("permission", default=None)
_NONE = Permission()


def use_class(class_: type) -> str:
    """Register a class that the program (or a plan with permission) uses as a type; return its name."""
    name = class_name(class_)
    permission = _PERMISSION.get() or _NONE
    if permission.covers(class_.__module__):
        permission.used[name] = class_
    else:
        _USED[name] = class_
    return name


def allow_classes_from(prefix: str) -> None:
    """Allow names of structured types to resolve to classes of the modules below a prefix, importing these.

    Args:
        prefix: a module or package, such as `shop.models`.
    """
    _PREFIXES[prefix.rstrip(".")] = None


def resolve_class(name: str) -> type | None:
    """The class of a structured type's name; None if there is none, or it is not allowed."""
    permission = _PERMISSION.get() or _NONE
    used = permission.used.get(name) or _USED.get(name)
    if used is not None:
        return used
    allowed = permission.covers(name) or any(name.startswith(f"{prefix}.") for prefix in _PREFIXES)
    parts = name.split(".")
    for at in range(len(parts) - 1, 0, -1):
        module_name = ".".join(parts[:at])
        module = sys.modules.get(module_name)
        if module is None and allowed:
            module = _imported(module_name)
        if module is None:
            continue
        target: Any = module
        for part in parts[at:]:
            target = getattr(target, part, None)
        home = isinstance(target, type) and target.__module__ == module_name
        return target if home and (allowed or _is_the_programs(module)) else None
    return None


def _imported(name: str) -> Any:
    try:
        return import_module(name)
    except ModuleNotFoundError:
        return None


def _is_the_programs(module: Any) -> bool:
    if module.__name__.partition(".")[0] in _OWN or module.__name__ in _IMPORTED_FOR_PLANS:
        return False
    if module.__name__ == "__main__":
        return True
    file = getattr(module, "__file__", None)
    return file is not None and not is_installed(file)


@lru_cache(maxsize=4096)
def is_installed(file: str) -> bool:
    """Return True for a file of an installed package, or of Python itself."""
    path = Path(file).resolve()
    if {"site-packages", "dist-packages"} & set(path.parts):
        return True
    known = sysconfig.get_paths()
    return any(path.is_relative_to(Path(known[key]).resolve()) for key in ("stdlib", "platstdlib", "purelib"))


# --- objects


def is_named_tuple(class_: type) -> bool:
    return issubclass(class_, tuple) and hasattr(class_, "_fields")


@dataclasses.dataclass(frozen=True, slots=True)
class Accessor:
    """Getter and setter of a field that is no attribute of the object."""

    get: Callable[[Any], Any]
    set: Callable[[Any, Any], Any] | None = None


@lru_cache(maxsize=1024)
def accessors(class_: type) -> dict[str, Accessor]:
    """The fields of a class that have a getter, sorted by name: properties, and pairs of methods `get_name` and
    `set_name`, or `getName` and `setName`."""
    by_name: dict[str, Accessor] = {}
    for name in dir(class_):
        member = inspect.getattr_static(class_, name)
        if isinstance(member, property) and member.fget is not None and not name.startswith("_"):
            by_name[name] = Accessor(member.fget, member.fset)
        match = _GETTER.fullmatch(name)
        if match is not None and inspect.isfunction(member):
            field = match[1] or match[2][0].lower() + match[2][1:]
            setter = inspect.getattr_static(class_, "set" + name[3:], None)
            by_name.setdefault(field, Accessor(member, setter if inspect.isfunction(setter) else None))
    return dict(sorted(by_name.items()))


_GETTER = re.compile(r"get_([a-z]\w*)|get([A-Z]\w*)")


def field_names(class_: type) -> tuple[str, ...] | None:
    """The fields of a class; None if its constructor does not determine them.

    They are in the order of the constructor's parameters; without parameters, annotated fields in the order of their
    definition, followed by those with getter and setter, sorted by name.
    """
    if is_named_tuple(class_):
        return tuple(class_._fields)  # type: ignore[attr-defined]
    if dataclasses.is_dataclass(class_):
        return tuple(field.name for field in dataclasses.fields(class_) if field.init)
    parameters = _parameters(class_)
    if parameters:
        return tuple(parameters)
    return _declared(class_) or (() if parameters is not None else None)


def unassigned(class_: type) -> tuple[str, ...]:
    """The fields that a class's constructor does not take, although it takes others."""
    if is_named_tuple(class_) or not _parameters(class_):
        return ()
    names = set(field_names(class_) or ())
    if dataclasses.is_dataclass(class_):
        return tuple(field.name for field in dataclasses.fields(class_) if not field.init and field.name[0] != "_")
    return tuple(name for name in _declared(class_) if name not in names)


def unreadable(class_: type) -> tuple[str, ...]:
    """The constructor parameters of a class that cannot be read back: stored under no attribute of that name, without a
    getter; an `InitVar`."""
    parameters = _parameters(class_) or {}
    if is_named_tuple(class_):
        return ()
    if dataclasses.is_dataclass(class_):
        known = {field.name for field in dataclasses.fields(class_)}
        return tuple(name for name in parameters if name not in known)
    known = {*_declared(class_), *accessors(class_), *dir(class_)}
    for base in class_.__mro__:
        constructor = vars(base).get("__init__") or vars(base).get("__new__")
        code = getattr(inspect.unwrap(constructor), "__code__", None) if constructor is not None else None
        if code is None and constructor is not None and base is not object:
            # The constructor's code is not accessible.
            return ()
        stored = frozenset() if code is None else frozenset(code.co_names)
        if stored & {"vars", "__dict__", "setattr", "locals", "__setattr__"}:
            # Attributes are set dynamically.
            return ()
        known |= stored
    return tuple(name for name in parameters if name not in known)


def _declared(class_: type) -> tuple[str, ...]:
    """The public fields that a class declares: annotated ones, and those with getter and setter."""
    names: dict[str, None] = {}
    for base in reversed(class_.__mro__):
        for name, annotation in inspect.get_annotations(base).items():
            if not name.startswith("_") and not _is_class_variable(annotation):
                names.setdefault(name)
    names |= {name: None for name, accessor in accessors(class_).items() if accessor.set is not None}
    return tuple(names)


def _is_class_variable(annotation: object) -> bool:
    if isinstance(annotation, str):
        return re.match(r"(\w+\.)*ClassVar\b", annotation.strip()) is not None
    return annotation is ClassVar or get_origin(annotation) is ClassVar


def _parameters(class_: type) -> dict[str, inspect.Parameter] | None:
    """The parameters of a constructor by name; None if it has variable parameters or no readable signature."""
    try:
        parameters = inspect.signature(class_).parameters.values()
    except (TypeError, ValueError):
        return None
    if any(item.kind in (item.VAR_POSITIONAL, item.VAR_KEYWORD, item.POSITIONAL_ONLY) for item in parameters):
        return None
    return {item.name: item for item in parameters}


def constructor(class_: type, names: Sequence[str]) -> Callable[[Sequence[object]], object]:
    """A function from the values of the fields `names` to an object of a class.

    Raises DataError if the class has no constructor that takes these fields.
    """
    parameters = _parameters(class_)
    if parameters is not None:
        needed = {item.name for item in parameters.values() if item.default is item.empty}
        if needed <= set(names) <= set(parameters):
            positional = all(item.kind is item.POSITIONAL_OR_KEYWORD for item in parameters.values())
            if positional and tuple(parameters)[: len(names)] == tuple(names):
                return lambda values: class_(*values)
            return lambda values: class_(**dict(zip(names, values, strict=True)))
        if not parameters and set(names) <= set(_declared(class_)):
            setters = [_setter(class_, name) for name in names]
            return lambda values: _filled(class_(), setters, values)
    takes = "nothing by name" if parameters is None else ", ".join(parameters) or "nothing"
    raise DataError(
        f"class {class_name(class_)} cannot be made from the fields {', '.join(names) or '(none)'}",
        where=f"its constructor takes {takes}",
        remedy="name the fields as the constructor's parameters, or read the values as rows",
    )


def _setter(class_: type, name: str) -> Callable[[object, object], object]:
    known = accessors(class_).get(name)
    if known is not None and known.set is not None:
        return known.set
    return lambda target, value: setattr(target, name, value)


def _filled(target: object, setters: Sequence[Callable[[object, object], object]], values: Sequence[object]) -> object:
    for setter, value in zip(setters, values, strict=True):
        setter(target, value)
    return target


def field_value(value: object, name: str) -> object:
    """The value of an object's field, an attribute or a getter. Raises AttributeError if it has neither."""
    try:
        return getattr(value, name)
    except AttributeError:
        class_: type = type(value)
        known = accessors(class_).get(name)
        if known is None:
            raise
        return known.get(value)
