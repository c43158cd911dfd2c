"""Data types from Python's annotations and classes, as user functions have them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_args, get_origin

from plans.types.data_types import DataType

if TYPE_CHECKING:
    from plans.functions.bridge import Bridged


def data_type_of(annotation: Any) -> DataType:
    """The data type of a Python class or annotation; NOT NULL unless it says `| None`.

    Raises:
        ProgramError: it stands for no type; says what to write.
    """
    from typing import Annotated

    from plans.functions.extraction import Place, extract

    if get_origin(annotation) is Annotated:
        given = next((note for note in get_args(annotation)[1:] if isinstance(note, DataType)), None)
        if given is not None:
            return given
    return _of_bridged(extract(annotation, Place("the data type")))


def _of_bridged(found: Bridged) -> DataType:
    children = tuple(map(_of_bridged, found.parts))
    return DataType(found.type, found.class_, found.converter, children)
