"""References of plans to function classes: creation, and loading of allowed modules only."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any

from compiled_plan.plans.errors import ExecutionError, ProgramError, UnsupportedError
from compiled_plan.plans.functions.definitions import TableAggregateFunction, UserDefinedFunction, deterministic
from compiled_plan.plans.functions.inference import TypeInference
from compiled_plan.plans.rex.python import PythonFunction

#: Classes registered by programs of this process: they need no permission.
_LIVE: dict[tuple[str, str], type[UserDefinedFunction]] = {}
#: The folders that modules may be imported from; None: any.
_FOLDERS: ContextVar[tuple[Path, ...] | None] = ContextVar("_FOLDERS", default=None)


@contextmanager
def imported_from(folders: Sequence[Path]) -> Iterator[None]:
    """Restrict imports of functions to modules of these folders within the block; others are refused unimported."""
    before = _FOLDERS.set(tuple(folder.resolve() for folder in folders))
    try:
        yield
    finally:
        _FOLDERS.reset(before)


def places_of(top: str) -> list[Path]:
    """The files and folders that Python imports a top-level module from; empty if there are none."""
    loaded = sys.modules.get(top)
    if loaded is not None and getattr(loaded, "__spec__", None) is None:
        file = getattr(loaded, "__file__", None)
        return [Path(file).resolve() if file else Path(top)]
    spec = importlib.util.find_spec(top)
    if spec is None:
        return []
    places = [*(spec.submodule_search_locations or ()), *([spec.origin] if spec.origin else ())]
    return [Path(place).resolve() for place in places]


def check_folder(module: str, root: Path | None = None) -> None:
    """Raise ProgramError for a module that Python would import from outside the folders of `imported_from`.

    `root` is the folder of the module, if known.
    """
    folders = _FOLDERS.get()
    if folders is None:
        return
    top = module.partition(".")[0]
    places = places_of(top)
    if not places or not all(any(place.is_relative_to(folder) for folder in folders) for place in places):
        raise ProgramError(
            f"module {top!r} is in none of the folders that functions may be imported from",
            where=module,
            remedy="ask the operator to allow its folder" if places else "put it into one of them",
        )
    if root is not None and not {*places} <= {root / f"{top}.py", root / top, root / top / "__init__.py"}:
        raise ProgramError(
            f"module {top!r} is {str(places[0])!r} here, and not the one in {str(root)!r} that the plan names",
            where=module,
            remedy="rename one of them, and compile the program again",
        )


def reference_to(function: UserDefinedFunction, *, is_instance: bool, method: str, signature: str) -> PythonFunction:
    """Create a plan's reference to a function, and permit this process to run it.

    The reference to a function registered as an object (`is_instance`) includes its attributes. Raises ProgramError
    for attributes that a plan cannot hold.
    """
    class_ = type(function)
    file = _file_of(class_)
    module = Path(file).stem if class_.__module__ == "__main__" and file else class_.__module__
    name = _live_name(module, class_)
    _LIVE[module, name] = class_
    return PythonFunction(
        module,
        name,
        class_.KIND.value,
        method,
        signature,
        file,
        deterministic(function),
        _attributes(function) if is_instance else "",
    )


def _live_name(module: str, class_: type[UserDefinedFunction]) -> str:
    """The class's name in its module; `name#2` and so on if another class has that name: a class factory creates
    several classes of one name, and a class may be redefined."""
    plain = class_.__qualname__
    if _is_importable(class_):
        return plain
    name, number = plain, 1
    while _LIVE.get((module, name), class_) is not class_:
        number += 1
        name = f"{plain}#{number}"
    return name


def _is_importable(class_: type) -> bool:
    target: Any = sys.modules.get(class_.__module__)
    for part in class_.__qualname__.split("."):
        target = getattr(target, part, None)
    return target is class_


def _attributes(function: UserDefinedFunction) -> str:
    held = vars(function)
    if _takes_nothing(type(function)):
        # A new object creates its own type inference.
        held = {name: value for name, value in held.items() if not isinstance(value, TypeInference)}
    try:
        text = json.dumps(held, sort_keys=True, allow_nan=False)
    except (TypeError, ValueError):
        plain = (bool, int, float, str, list, dict, type(None))
        names = [name for name, value in held.items() if not isinstance(value, plain)]
        raise ProgramError(
            f"the function object {type(function).__qualname__} holds what a plan cannot: "
            f"{', '.join(names) or 'nested objects'}",
            remedy="keep numbers, texts, lists and dicts in it, and make the rest in `open`, or in get_type_inference",
        ) from None
    return "" if text == "{}" else text


def _takes_nothing(class_: type) -> bool:
    try:
        inspect.signature(class_).bind()
    except (TypeError, ValueError):
        return False
    return True


def _file_of(class_: type) -> str:
    try:
        return str(Path(inspect.getfile(class_)).resolve())
    except (TypeError, OSError):
        return ""


def import_class(path: str) -> type[UserDefinedFunction]:
    """Import the function class `module.Class`. Raises ProgramError if there is none."""
    parts = path.split(".")
    if len(parts) < 2 or not all(part.isidentifier() for part in parts):
        raise ProgramError(f"{path!r} names no class of a module", remedy="write 'module.Class'")
    check_folder(parts[0])
    for at in range(len(parts) - 1, 0, -1):
        name = ".".join(parts[:at])
        try:
            module = importlib.import_module(name)
        except ModuleNotFoundError as fault:
            if fault.name is not None and (name == fault.name or name.startswith(f"{fault.name}.")):
                continue
            raise ProgramError(
                f"module {name!r} cannot be imported: {fault}", remedy="install what it needs"
            ) from fault
        except Exception as fault:
            raise ProgramError(f"module {name!r} cannot be imported: {type(fault).__name__}: {fault}") from fault
        return _class_in(module, name, parts[at:])
    raise ProgramError(
        f"no module named {parts[0] if len(parts) == 2 else '.'.join(parts[:-1])!r}",
        remedy="put it beside the program, or add its folder to PYTHONPATH",
    )


def _class_in(module: Any, name: str, parts: Sequence[str]) -> type[UserDefinedFunction]:
    target: Any = module
    for part in parts:
        target = getattr(target, part, None)
        if target is None:
            known = [key for key, value in vars(module).items() if _is_function_class(value)]
            remedy = f"it has: {', '.join(sorted(known))}" if known else "check the name"
            raise ProgramError(f"module {name!r} has no class {'.'.join(parts)!r}", remedy=remedy)
    if not _is_function_class(target):
        raise ProgramError(
            f"{name}.{'.'.join(parts)} is no function class",
            remedy="derive it from ScalarFunction, TableFunction or AggregateFunction of compiled_plan",
        )
    assert isinstance(target, type)
    return target


def _is_function_class(value: Any) -> bool:
    if not isinstance(value, type) or not issubclass(value, UserDefinedFunction):
        return False
    return hasattr(value, "KIND") or issubclass(value, TableAggregateFunction)


def registered(reference: PythonFunction) -> type[UserDefinedFunction] | None:
    """The class if a program of this process registered it, else None."""
    return _LIVE.get((reference.module, reference.class_))


def load(reference: PythonFunction, allowed: Sequence[str], where: str) -> UserDefinedFunction:
    """Create an instance of the function that a plan references; `where` is the node, for errors.

    Only modules of `allowed` and their submodules are imported. Raises UnsupportedError for another module,
    ExecutionError if the function cannot be imported or instantiated.
    """
    class_ = _LIVE.get((reference.module, reference.class_))
    if class_ is None:
        if not any(reference.module == prefix or reference.module.startswith(f"{prefix}.") for prefix in allowed):
            raise UnsupportedError(
                f"the plan calls the Python function {reference.path}, and module {reference.module!r} is not allowed",
                where=where,
                remedy=f"if you trust it, add --functions-from {reference.module.partition('.')[0]}",
            )
        class_ = _imported(reference, where)
    try:
        if not reference.instance:
            return class_()
        function = class_() if _takes_nothing(class_) else class_.__new__(class_)
        function.__dict__.update(json.loads(reference.instance))
        return function
    except Exception as fault:
        raise ExecutionError(
            f"the function {reference.path} cannot be made: {type(fault).__name__}: {fault}",
            where=where,
            remedy="a function class is made without arguments",
        ) from fault


def _imported(reference: PythonFunction, where: str) -> type[UserDefinedFunction]:
    if "<locals>" in reference.class_ or "#" in reference.class_:
        raise UnsupportedError(
            f"the function {reference.path} is local to another function, or has the name of another class, so that it "
            "cannot be imported",
            where=where,
            remedy="define its class in a module, and compile the plan again",
        )
    folder = _folder_of(reference)
    added = folder is not None and importlib.util.find_spec(reference.module.partition(".")[0]) is None
    if added:
        sys.path.append(str(folder))
    try:
        check_folder(reference.module, folder)
        return import_class(reference.path)
    except ProgramError as fault:
        raise ExecutionError(fault.message, where=where, remedy=fault.remedy) from fault


def _folder_of(reference: PythonFunction) -> Path | None:
    """The folder from which the reference's module is imported."""
    file = Path(reference.file)
    if not reference.file or not file.is_file():
        return None
    depth = reference.module.count(".") + (file.name == "__init__.py")
    return file.parents[depth]
