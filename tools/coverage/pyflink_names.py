"""List PyFlink's public names as JSON on stdout; run by the Python of an installed apache-flink, which it inspects.

`refused` has the names that PyFlink itself cannot use, with its error: classes whose Java class is not in Flink's
distribution, and inherited methods that the Java object of a class lacks. Classes that PyFlink marks as internal are no
names of its API.
"""

from __future__ import annotations

import ast
import enum
import importlib
import inspect
import itertools
import json
import pkgutil
import textwrap
from collections.abc import Iterator
from typing import Any

#: The mark of internal classes in their documentation; others have the decorator `Internal`.
_INTERNAL = "Internal Use Only"


def is_internal(cls: type) -> bool:
    """Return True if PyFlink marks the class itself as internal."""
    decorators = vars(cls).get("__stability_decorators", ())
    return _INTERNAL in (cls.__doc__ or "") or "Internal" in {decorator.__name__ for decorator in decorators}


def members(cls: type) -> list[str]:
    """The public attributes of a class that PyFlink's own classes define."""
    names = set()
    for base in cls.__mro__:
        if base.__module__.startswith("pyflink"):
            names |= {name for name in vars(base) if not name.startswith("_")}
    if issubclass(cls, enum.Enum):
        return sorted(cls.__members__)
    return sorted(names)


def public(module: Any) -> dict[str, list[str]]:
    """The public names of a module, with the attributes of classes."""
    names = {}
    for name in sorted(module.__all__):
        value = getattr(module, name)
        if not inspect.ismodule(value) and not (inspect.isclass(value) and is_internal(value)):
            names[name] = members(value) if inspect.isclass(value) else []
    return names


def java_classes(cls: type) -> Iterator[str]:
    """The full names of the Java classes in the constructor of a class: `gateway.jvm.org.apache...`."""
    if constructor := vars(cls).get("__init__"):
        for node in ast.walk(ast.parse(textwrap.dedent(inspect.getsource(constructor)))):
            if isinstance(node, ast.Attribute):
                _, jvm, name = ast.unparse(node).partition(".jvm.")
                if jvm and name.startswith("org.") and name.rpartition(".")[2][:1].isupper():
                    yield name


def missing(jvm: Any, name: str) -> str:
    """PyFlink's error for a Java class that is not in Flink's distribution; empty if it is there."""
    package = importlib.import_module("py4j.java_gateway").JavaPackage
    value = jvm
    for part in name.split("."):
        value = getattr(value, part)
    if isinstance(value, package):
        try:
            value()
        except TypeError as error:
            return str(error)
    return ""


def calls(function: Any) -> Iterator[tuple[Any, ...]]:
    """Arguments to try a method with."""
    lit = importlib.import_module("pyflink.table.expressions").lit
    string = importlib.import_module("pyflink.table").DataTypes.STRING()
    values = (lit("a"), lit(1), "a", 1, string, lit(1).seconds)
    parameters = inspect.signature(function).parameters.values()
    # Variable arguments are tried with one value.
    required = [item for item in parameters if item.default is item.empty and item.kind is not item.VAR_KEYWORD]
    yield from itertools.product(values, repeat=len(required))


def failure(instance: Any, name: str, arguments: tuple[Any, ...]) -> Exception | None:
    """The error of a call or the access to a property; None if there is none."""
    try:
        value = getattr(instance, name)
        if callable(value):
            value(*arguments)
    except Exception as error:
        return error
    return None


def lost(instance: Any, controls: tuple[Any, ...], names: list[str]) -> Iterator[tuple[str, str]]:
    """The inherited methods that work for objects of the base class, and fail here for want of a method in Java."""
    for name in names:
        attribute = inspect.getattr_static(type(controls[0]), name, None)
        if attribute is not None:
            works = _working(controls, name, is_method=inspect.isfunction(attribute))
            error = None if works is None else failure(instance, name, works)
            message = next((line for line in str(error).splitlines() if "does not exist" in line), "")
            if message:
                yield name, message.partition("Py4JException: ")[2]


def _working(controls: tuple[Any, ...], name: str, *, is_method: bool) -> tuple[Any, ...] | None:
    """Arguments with which one of the objects has the method; None if none were found."""
    for control in controls:
        for arguments in calls(getattr(control, name)) if is_method else [()]:
            if failure(control, name, arguments) is None:
                return arguments
    return None


def refusals(modules: dict[str, dict[str, list[str]]]) -> dict[str, str]:
    """Names that PyFlink cannot use, with its error."""
    table = importlib.import_module("pyflink.table")
    t_env = table.TableEnvironment.create(table.EnvironmentSettings.in_streaming_mode())
    jvm = importlib.import_module("pyflink.java_gateway").get_gateway().jvm
    refused: dict[str, str] = {}
    for module, names in modules.items():
        for name, attributes in names.items():
            value = getattr(importlib.import_module(module), name)
            if inspect.isclass(value):
                for error in filter(None, (missing(jvm, java) for java in java_classes(value))):
                    paths = (name, *(f"{name}.{attribute}" for attribute in attributes))
                    refused |= {f"{module}.{path}": error for path in paths}
    t_env.execute_sql(
        "CREATE TABLE t (ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) WITH ('connector' = 'datagen')"
    )
    (watermark,) = t_env.from_path("t").get_resolved_schema().get_watermark_specs()
    expression, place = watermark.get_watermark_expression(), "pyflink.table.resolved_expression"
    for name, error in lost(expression, _controls(), modules[place]["ResolvedExpression"]):
        refused[f"{place}.ResolvedExpression.{name}"] = error
    return refused


def _controls() -> tuple[Any, ...]:
    expressions = importlib.import_module("pyflink.table.expressions")
    return expressions.col("ts"), expressions.lit(1)


def main() -> None:
    """Print the public names of the Table API and of what it shares with the DataStream API."""
    modules = {}
    for package in map(importlib.import_module, ("pyflink.table", "pyflink.common")):
        inner = (f"{package.__name__}.{info.name}" for info in pkgutil.iter_modules(package.__path__))
        for name in (package.__name__, *inner):
            module = importlib.import_module(name)
            if hasattr(module, "__all__"):
                modules[name] = public(module)
    version = importlib.import_module("pyflink.version").__version__
    print(json.dumps({"version": version, "modules": modules, "refused": refusals(modules)}))


if __name__ == "__main__":
    main()
