"""Digest of a function's code: its class and all code of the user's own modules that it uses.

Comments, docstrings, layout and unused code do not affect the digest. Constants enter it by value, including those
computed when their module is loaded.
"""

from __future__ import annotations

import ast
import hashlib
import inspect
import pickle
import sys
import textwrap
from collections.abc import Iterator, Mapping
from types import CodeType, FunctionType, ModuleType
from typing import Any

from compiled_plan.plans.types.classes import is_installed

#: Maximum nesting depth of constants.
_DEPTH = 12
#: Packages that are not the user's, even where they are not installed, as in a distribution of Spark.
_NOT_OWN = frozenset({"compiled_plan", "pyspark", "py4j"})


def code_digest(*sources: object) -> str:
    """The digest of a function's classes or functions."""
    walker = _Walker()
    for source in sources:
        walker.add(source)
    text = "\n".join(walker.found)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


class _Walker:
    """Collector of the source texts that a class uses, without repetition, in the order of the walk."""

    def __init__(self) -> None:
        self.found: list[str] = []
        self.seen: set[int] = set()
        self.held: list[object] = []

    def add(self, value: Any) -> None:
        """Add a class, function or method of the user's own and its dependencies."""
        value = inspect.unwrap(value) if callable(value) and not isinstance(value, type) else value
        if id(value) in self.seen:
            return
        self.seen.add(id(value))
        self.held.append(value)
        if isinstance(value, type):
            for base in value.__mro__[1:]:
                if is_own(base):
                    self.add(base)
        tree = _tree(value)
        attributes: dict[str, frozenset[str]] = {}
        if tree is None:
            self.found += sorted(_codes(value))
            names = _names_of_codes(value)
        else:
            self.found.append(ast.unparse(tree))
            names, attributes = _names(tree)
        for name in sorted(names):
            for known in _scopes(value):
                if name in known:
                    self._use(name, known[name], attributes.get(name, frozenset()))
                    break

    def _use(self, name: str, value: object, attributes: frozenset[str]) -> None:
        if isinstance(value, ModuleType):
            if _is_own_module(value):
                for attribute in sorted(attributes):
                    if hasattr(value, attribute):
                        self._use(f"{name}.{attribute}", getattr(value, attribute), frozenset())
        elif isinstance(value, type) or inspect.isroutine(value):
            if is_own(value):
                self.add(value)
            else:
                self.found.append(f"{name} is {getattr(value, '__module__', '')}.{getattr(value, '__qualname__', '')}")
        else:
            self.found.append(f"{name} = {self._constant(value, _DEPTH)}")

    def _constant(self, value: Any, depth: int) -> str:
        """Text of a value that is stable across processes."""
        if value is None or isinstance(value, bool | int | float | complex | str | bytes):
            return repr(value)
        if depth == 0:
            return type(value).__qualname__
        if isinstance(value, list | tuple):
            return f"{type(value).__qualname__}({', '.join(self._constant(item, depth - 1) for item in value)})"
        if isinstance(value, set | frozenset):
            return f"set({', '.join(sorted(self._constant(item, depth - 1) for item in value))})"
        if isinstance(value, Mapping):
            pairs = (f"{self._constant(k, depth - 1)}: {self._constant(v, depth - 1)}" for k, v in value.items())
            return f"{type(value).__qualname__}({', '.join(pairs)})"
        if isinstance(value, type) or inspect.isroutine(value):
            name = str(getattr(value, "__qualname__", type(value).__qualname__))
            if not is_own(value):
                return f"{getattr(value, '__module__', '')}.{name}"
            self.add(value)
            return name
        if isinstance(value, ModuleType):
            return value.__name__
        if is_own(type(value)):
            self.add(type(value))
            return f"{type(value).__qualname__}({self._constant(_state(value), depth - 1)})"
        return f"{type(value).__qualname__} {_pickled(value)}"


def _pickled(value: object) -> str:
    """Digest of an object of a package, such as a pattern or array; empty if it cannot be pickled."""
    try:
        return hashlib.sha256(pickle.dumps(value, protocol=4)).hexdigest()
    except Exception:
        return ""


def _state(value: object) -> dict[str, object]:
    slots = [name for class_ in type(value).__mro__ for name in getattr(class_, "__slots__", ())]
    slotted = {name: getattr(value, name) for name in slots if hasattr(value, name) and not name.startswith("__")}
    return dict(sorted((slotted | getattr(value, "__dict__", {})).items()))


def is_own(value: object) -> bool:
    """Return True if a class or function belongs to no installed package, to Python or to the product."""
    module = sys.modules.get(getattr(value, "__module__", "") or "")
    return module is not None and _is_own_module(module)


def own_modules(*sources: object) -> tuple[ModuleType, ...]:
    """The user's own modules from which the code of classes and functions comes, wherever they are.

    These are their modules, and further ones that these import; not installed packages, and not `__main__`.
    """
    modules: dict[str, ModuleType] = {}
    bases = [base for source in sources for base in getattr(source, "__mro__", (source,))]
    waiting = [sys.modules.get(getattr(base, "__module__", "") or "") for base in bases]
    while waiting:
        module = waiting.pop()
        if module is None or module.__name__ in modules or not _is_own_module(module):
            continue
        modules[module.__name__] = module
        package = module.__name__.rpartition(".")[0]
        waiting.append(sys.modules.get(package))
        for value in list(vars(module).values()):
            name = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None)
            if isinstance(name, str) and name not in modules:
                waiting.append(sys.modules.get(name))
    modules.pop("__main__", None)
    return tuple(modules.values())


def _is_own_module(module: ModuleType) -> bool:
    name = module.__name__
    if name == "__main__":
        return True
    file = getattr(module, "__file__", None)
    return name.partition(".")[0] not in _NOT_OWN and file is not None and not is_installed(file)


def _tree(value: Any) -> ast.AST | None:
    """The syntax tree of the source without docstrings; None if there is no source."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(value)))
    except (OSError, TypeError, SyntaxError, ValueError):
        return None
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef | ast.Module):
            first = node.body[0] if node.body else None
            if (
                isinstance(first, ast.Expr)
                and isinstance(first.value, ast.Constant)
                and isinstance(first.value.value, str)
            ):
                node.body = node.body[1:] or [ast.Pass()]
    return tree


def _names(tree: ast.AST) -> tuple[set[str], dict[str, frozenset[str]]]:
    """The names that a tree uses, and the attributes that it reads from them."""
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    attributes: dict[str, frozenset[str]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            attributes[node.value.id] = attributes.get(node.value.id, frozenset()) | {node.attr}
    return names, attributes


def _functions(value: object) -> Iterator[FunctionType]:
    if isinstance(value, FunctionType):
        yield value
    elif isinstance(value, type):
        for item in vars(value).values():
            inner = getattr(item, "__func__", getattr(item, "fget", getattr(item, "func", item)))
            if isinstance(inner, FunctionType):
                yield inspect.unwrap(inner)


def _scopes(value: object) -> Iterator[Mapping[str, object]]:
    """Scopes in which a name is resolved: enclosing variables, then the module."""
    for function in _functions(value):
        cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
        yield {name: cell.cell_contents for name, cell in cells if _filled(cell)}
        yield function.__globals__
    module = sys.modules.get(getattr(value, "__module__", "") or "")
    if module is not None:
        yield vars(module)


def _filled(cell: Any) -> bool:
    try:
        return cell.cell_contents is not None or True
    except ValueError:
        return False


def _codes(value: object) -> Iterator[str]:
    """Bytecode of functions without source."""
    for function in _functions(value):
        yield f"{function.__qualname__} {_code(function.__code__)} {function.__defaults__!r}"


def _code(code: CodeType) -> str:
    constants = [_code(item) if isinstance(item, CodeType) else repr(item) for item in code.co_consts]
    return f"{code.co_code.hex()} {constants} {code.co_names}"


def _names_of_codes(value: object) -> set[str]:
    codes = [code for function in _functions(value) for code in _nested(function.__code__)]
    return {name for code in codes for name in (*code.co_names, *code.co_freevars)}


def _nested(code: CodeType) -> Iterator[CodeType]:
    yield code
    for item in code.co_consts:
        if isinstance(item, CodeType):
            yield from _nested(item)
