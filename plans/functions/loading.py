"""References of plans to function classes: creation, and loading of allowed modules only."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import json
import os
import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from compiled_plan.plans.errors import ExecutionError, ProgramError, UnsupportedError
from compiled_plan.plans.files.code_folders import code_folders, imported_from
from compiled_plan.plans.functions import code_pickles
from compiled_plan.plans.functions.code import own_modules
from compiled_plan.plans.functions.declared import Declared
from compiled_plan.plans.functions.definitions import (
    FunctionHolder,
    TableAggregateFunction,
    UserDefinedFunction,
    deterministic,
)
from compiled_plan.plans.functions.inference import TypeInference
from compiled_plan.plans.functions.jars import is_jar
from compiled_plan.plans.rex.python import PythonFunction

#: Classes, and declared functions, registered by programs of this process: they need no permission.
_LIVE: dict[tuple[str, str], type[UserDefinedFunction] | Declared] = {}


@dataclass(frozen=True, slots=True)
class AllowedModules:
    """Modules from which a run may import functions, with their submodules.

    Args:
        names: the modules.
        folders: the folders in which they must be; empty: anywhere.
    """

    names: tuple[str, ...] = ()
    folders: tuple[Path, ...] = ()

    @classmethod
    def parse(cls, entries: Sequence[str]) -> AllowedModules:
        """The modules of entries `module` or `module=folders`; a jar holds functions in Java.

        Python searches the folders from now on, after all others: a file of theirs replaces no other module.

        Raises:
            ProgramError: Python would import such a module from another place.
        """
        parts = [entry.partition("=") for entry in entries if not is_jar(entry)]
        folders = [Path(folder) for _, _, folders in parts for folder in folders.split(os.pathsep) if folder]
        allowed = cls(tuple(module for module, _, _ in parts), tuple(folders))
        sys.path += [place for place in dict.fromkeys(map(str, folders)) if place not in sys.path]
        for module in allowed.names if folders else ():
            # Before any import by name; a module that Python does not know yet is imported from the plan's folder.
            if places_of(module.partition(".")[0]):
                with allowed.importing():
                    check_folder(module)
        return allowed

    def importing(self) -> AbstractContextManager[None]:
        """A context in which modules are imported from the folders alone."""
        return imported_from(self.folders) if self.folders else nullcontext()


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
    allowed = code_folders()
    if allowed is None:
        return
    top = module.partition(".")[0]
    places = places_of(top)
    if not places or not all(map(allowed.hold, places)):
        raise ProgramError(
            f"module {top!r} is in none of the folders that code may be imported from",
            where=module,
            remedy=allowed.remedy if places or not allowed.folders else "put it into one of them",
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
    if isinstance(function, Declared):
        return _reference_to_declared(function, method, signature)
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
    return plain if _is_importable(class_) else _numbered(module, plain, class_)


def _numbered(module: str, plain: str, function: type[UserDefinedFunction] | Declared) -> str:
    name, number = plain, 1
    while _LIVE.get((module, name), function) is not function:
        number += 1
        name = f"{plain}#{number}"
    return name


def _reference_to_declared(function: Declared, method: str, signature: str) -> PythonFunction:
    """The reference to a declared function: by its variable in a module, else by a pickle of it."""
    home = sys.modules.get(function.module)
    file = str(Path(home_file).resolve()) if (home_file := getattr(home, "__file__", None)) else ""
    module = Path(file).stem if function.module == "__main__" and file else function.module
    held = vars(home).items() if home is not None else ()
    name = next((key for key, value in held if isinstance(value, FunctionHolder) and value.function is function), None)
    pickled = ""
    if name is None:
        name = _numbered(module, function.name, function)
        pickled = code_pickles.to_text(function, own_modules(*function.sources))
    _LIVE[module, name] = function
    kind, is_deterministic = function.KIND.value, deterministic(function)
    return PythonFunction(module, name, kind, method, signature, file, is_deterministic, "", pickled)


def _is_importable(class_: type) -> bool:
    target: object = sys.modules.get(class_.__module__)
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


def import_function(path: str) -> type[UserDefinedFunction] | Declared:
    """Import the function class `module.Class`, or the declared function `module.name`.

    Raises ProgramError if there is none.
    """
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
        return _function_in(module, name, parts[at:])
    raise ProgramError(
        f"no module named {parts[0] if len(parts) == 2 else '.'.join(parts[:-1])!r}",
        remedy="put it beside the program, or add its folder to PYTHONPATH",
    )


def _function_in(module: object, name: str, parts: Sequence[str]) -> type[UserDefinedFunction] | Declared:
    target: Any = module
    for part in parts:
        target = getattr(target, part, None)
        if target is None:
            known = [key for key, value in vars(module).items() if _is_function_class(value) or _is_declared(value)]
            remedy = f"it has: {', '.join(sorted(known))}" if known else "check the name"
            raise ProgramError(f"module {name!r} has no class {'.'.join(parts)!r}", remedy=remedy)
    if _is_declared(target):
        declared: Declared = target.function
        return declared
    if not _is_function_class(target):
        raise ProgramError(
            f"{name}.{'.'.join(parts)} is no function class",
            remedy="derive it from ScalarFunction, TableFunction or AggregateFunction of compiled_plan, or declare its "
            "types: udf(f, result_type=...) of compiled_plan.pyflink.udf",
        )
    assert isinstance(target, type)
    return target


def _is_function_class(value: object) -> bool:
    if not isinstance(value, type) or not issubclass(value, UserDefinedFunction):
        return False
    return hasattr(value, "KIND") or issubclass(value, TableAggregateFunction)


def _is_declared(value: object) -> bool:
    return isinstance(value, FunctionHolder) and isinstance(value.function, Declared)


def registered(reference: PythonFunction) -> type[UserDefinedFunction] | Declared | None:
    """The class or declared function if a program of this process registered it, else None."""
    return _LIVE.get((reference.module, reference.class_))


def load(
    reference: PythonFunction, allowed: Sequence[str], where: str, *, allows_pickled: bool = False
) -> UserDefinedFunction:
    """Create an instance of the function that a plan references; `where` is the node, for errors.

    Only modules of `allowed` and their submodules are imported, and functions pickled in the plan are only read if
    `allows_pickled`. Raises UnsupportedError for another module or a pickled function, ExecutionError if the function
    cannot be imported or instantiated.
    """
    class_ = _LIVE.get((reference.module, reference.class_))
    if class_ is None and reference.pickle:
        if not allows_pickled:
            raise UnsupportedError(
                f"the plan holds the code of the function {reference.path}, pickled: reading it would run whatever the "
                "plan's writer put there",
                where=where,
                remedy="define the function in a module and compile the plan again; or, if you trust everyone who can "
                "write the plan, add --allow-pickled-functions",
            )
        class_ = code_pickles.from_text(reference.pickle, reference.path, where)
        if not isinstance(class_, Declared):
            raise ExecutionError(f"the pickle of {reference.path} holds no function", where=where)
    if class_ is None:
        if not any(reference.module == prefix or reference.module.startswith(f"{prefix}.") for prefix in allowed):
            raise UnsupportedError(
                f"the plan calls the Python function {reference.path}, and module {reference.module!r} is not allowed",
                where=where,
                remedy=f"if you trust it, add --functions-from {reference.module.partition('.')[0]}",
            )
        class_ = _imported(reference, where)
    if isinstance(class_, Declared):
        return class_
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


def _imported(reference: PythonFunction, where: str) -> type[UserDefinedFunction] | Declared:
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
        return import_function(reference.path)
    except ProgramError as fault:
        raise ExecutionError(fault.message, where=where, remedy=fault.remedy) from fault


def _folder_of(reference: PythonFunction) -> Path | None:
    """The folder from which the reference's module is imported."""
    file = Path(reference.file)
    if not reference.file or not file.is_file():
        return None
    depth = reference.module.count(".") + (file.name == "__init__.py")
    return file.parents[depth]
