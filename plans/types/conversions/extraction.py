"""Data types from Python's annotations and classes, as user functions have them."""

from __future__ import annotations

from typing import Annotated, Any, get_args, get_origin

from compiled_plan.plans.types.conversions.data_type import DataType
from compiled_plan.plans.types.python.bridge import Bridged
from compiled_plan.plans.types.python.extraction import Place, extract


def data_type_of(annotation: Any) -> DataType:
    """The data type of a Python class or annotation, NOT NULL unless it says `| None`; ProgramError for others."""
    if get_origin(annotation) is Annotated:
        given = next((note for note in get_args(annotation)[1:] if isinstance(note, DataType)), None)
        if given is not None:
            return given
    return _of_bridged(extract(annotation, Place("the data type")))


def _of_bridged(found: Bridged) -> DataType:
    children = tuple(map(_of_bridged, found.parts))
    return DataType(found.type, found.class_, found.converter, children)
