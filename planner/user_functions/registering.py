"""Registration of a class, an object or a class name as a function of the catalog."""

from __future__ import annotations

import inspect
import re
from typing import Any

from compiled_plan.planner.catalog.functions import CatalogFunction
from compiled_plan.planner.catalog.tables import ObjectIdentifier
from compiled_plan.plans.errors import ProgramError, UnsupportedError
from compiled_plan.plans.functions.calls import Callables
from compiled_plan.plans.functions.definitions import (
    AsyncScalarFunction,
    FunctionHolder,
    TableAggregateFunction,
    UserDefinedFunction,
)
from compiled_plan.plans.functions.loading import import_function, reference_to


def catalog_function(
    name: ObjectIdentifier, implementation: object, *, temporary: bool = True, system: bool = False
) -> CatalogFunction:
    """A catalog function; infers its types and validates its methods.

    Args:
        name: its full name.
        implementation: a function class, an object of one, or `module.Class`.
        temporary: dropped when the session ends.
        system: belongs to no catalog.

    Raises:
        ProgramError: not a function, or its types cannot be inferred; names parameter, annotation and remedy.
    """
    chosen: Any = import_function(implementation) if isinstance(implementation, str) else implementation
    chosen = chosen.function if isinstance(chosen, FunctionHolder) else chosen
    is_instance = not isinstance(chosen, type)
    instance = chosen if is_instance else _instance(chosen, name.name)
    if not isinstance(instance, UserDefinedFunction):
        raise ProgramError(
            f"function {name.name}: {instance!r} is no function",
            remedy="give a class that derives from ScalarFunction, TableFunction or AggregateFunction, its object, or "
            "udf(f, result_type=...) of compiled_plan.pyflink.udf",
        )
    if isinstance(instance, TableAggregateFunction | AsyncScalarFunction):
        maker = "udtaf" if isinstance(instance, TableAggregateFunction) else "udf"
        raise UnsupportedError(
            f"function {name.name}: the types of {type(instance).__qualname__} are not declared",
            remedy=f"register {maker}({type(instance).__qualname__}(), result_type=...) of compiled_plan.pyflink.udf",
        )
    if not hasattr(type(instance), "KIND"):
        raise ProgramError(
            f"function {name.name}: {type(instance).__qualname__} is no kind of function",
            remedy="derive it from ScalarFunction, TableFunction or AggregateFunction",
        )
    reference = reference_to(instance, is_instance=is_instance, method="", signature="")
    python_name = implementation if isinstance(implementation, str) else f"{reference.module}.{reference.class_}"
    return CatalogFunction(name, Callables(instance), temporary, system, is_instance, python_name=python_name)


def _instance(class_: type, name: str) -> UserDefinedFunction:
    if not issubclass(class_, UserDefinedFunction):
        raise ProgramError(
            f"function {name}: class {class_.__qualname__} is no function class",
            remedy="derive it from ScalarFunction, TableFunction or AggregateFunction",
        )
    if inspect.isabstract(class_):
        raise ProgramError(f"function {name}: class {class_.__qualname__} is abstract", remedy="define its methods")
    try:
        return class_()
    except TypeError as fault:
        raise ProgramError(
            f"function {name}: class {class_.__qualname__} cannot be made without arguments: {fault}",
            remedy=f"register an object, {class_.__name__}(...), instead of the class",
        ) from None
    except Exception as fault:
        raise ProgramError(
            f"function {name}: making an object of class {class_.__qualname__} raised {type(fault).__name__}: {fault}",
            remedy="correct its __init__; what needs the worker's machine belongs into `open`",
        ) from fault


def path_of(name: str, system: bool = False) -> tuple[str, ...]:
    """The parts of a function's name, `f`, `db.f` or `catalog.db.f`; parts may be quoted in backticks.

    Raises:
        ProgramError: too many parts, or an empty one.
    """
    if system:
        return (name.strip("`"),)
    parts = tuple((quoted or plain).strip() for quoted, plain in re.findall(r"`([^`]+)`|([^.`]+)", name))
    if not 1 <= len(parts) <= 3 or not all(parts):
        raise ProgramError(f"{name!r} is no name of a function", remedy="write f, db.f or catalog.db.f")
    return parts
