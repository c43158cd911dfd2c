"""Fields of classes that become structured types."""

from __future__ import annotations

import inspect
import typing
from typing import Any

from compiled_plan.plans.errors import ProgramError
from compiled_plan.plans.types.classes import accessors, field_names, unassigned
from compiled_plan.plans.types.python.annotations import annotations_of, bind_variables, type_arguments
from compiled_plan.plans.types.python.bridge import has_fields


def is_structured(class_: object) -> bool:
    """Return True if objects of a class have typed fields."""
    return has_fields(class_) and not hasattr(class_, "__total__") and bool(structured_fields(class_))


def structured_fields(annotation: object) -> dict[str, object]:
    """The fields of a class in the order of its constructor, with their annotations; empty if it has none.

    Raises ProgramError if its constructor does not take all of them.
    """
    class_: Any = typing.get_origin(annotation) or annotation
    names = field_names(class_) or ()
    if not names:
        return {}
    missing = unassigned(class_)
    if missing:
        raise ProgramError(
            f"class {class_.__qualname__} is no structured type: its constructor does not take the field "
            f"{', '.join(f'`{name}`' for name in missing)}",
            remedy="let the constructor take all fields by their names, or annotate with ClassVar what is no field",
        )
    bound = type_arguments(annotation)
    hints = dict(annotations_of(class_))
    if not set(names) <= set(hints):
        # A plain class: the types are those of its constructor's parameters, or of its getters' results.
        constructor = getattr(class_, "__init__", None)
        if inspect.isfunction(constructor):
            hints = annotations_of(constructor) | hints
        for name in set(names) - set(hints):
            getter = accessors(class_).get(name)
            if getter is not None and inspect.isfunction(getter.get):
                hints[name] = annotations_of(getter.get).get("return", inspect.Parameter.empty)
    return {name: bind_variables(hints.get(name, inspect.Parameter.empty), bound) for name in names}
