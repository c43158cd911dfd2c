"""The built-in conversions of nested types: ARRAY, MAP, MULTISET, ROW, STRUCTURED."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from compiled_plan.plans.types import logical as t
from compiled_plan.plans.types.classes import constructor, field_value, is_named_tuple
from compiled_plan.plans.types.conversions.builtin import PACKAGED
from compiled_plan.plans.types.conversions.data_type import CLASSES, DataType
from compiled_plan.plans.types.converter import ClassLoader, Convert
from compiled_plan.plans.types.mutable_row import MutableRow, names_in
from compiled_plan.plans.types.row import Row

#: Classes and the functions that convert their objects; the first match applies.
Choices = list[tuple[type, Convert]]


@dataclasses.dataclass(frozen=True, slots=True)
class Spot:
    """Location of a conversion, for errors: the column, and the operation or function (empty for none)."""

    column: str = ""
    place: str = ""

    def inside(self, name: str) -> Spot:
        """The location of a component: a field, an element."""
        return Spot(f"{self.column}.{name}" if self.column else name, self.place)

    def __str__(self) -> str:
        return ", ".join(part for part in (self.place, f"column {self.column}" if self.column else "") if part)


@dataclasses.dataclass(frozen=True, slots=True)
class Compiled:
    """Both directions of a conversion; NULL stays NULL, and both raise DataError with column, type and value.

    `plain`: output values are unchanged, so that no conversion is necessary.
    """

    to_internal: Convert
    to_external: Convert
    plain: bool = False


Built = tuple[Choices, "Convert | None"]


def children(
    data_type: DataType, spot: Spot, loader: ClassLoader, convert: Callable[[DataType, Spot, ClassLoader], Compiled]
) -> tuple[Compiled, ...]:
    """The conversions of a type's components, compiled by `convert`."""
    type_ = data_type.logical_type
    names = type_.names if isinstance(type_, t.FieldsType) else _PARTS.get(type(type_), ())
    return tuple(
        convert(child, spot.inside(name), loader) for name, child in zip(names, data_type.children, strict=True)
    )


_PARTS: dict[type[t.LogicalType], tuple[str, ...]] = {
    t.ArrayType: ("element",),
    t.MultisetType: ("element",),
    t.MapType: ("key", "value"),
}


def _array(data_type: DataType, inner: tuple[Compiled, ...], loader: ClassLoader) -> Built:
    inward, outward = inner[0].to_internal, inner[0].to_external
    plain = inner[0].plain

    def into(value: Any) -> list[object]:
        return [inward(item) for item in value]

    outer = data_type.conversion_class
    choices: Choices = [(list, into), (tuple, into), (_ArrayLike, into)]
    if outer is list:
        return choices, None if plain else (lambda value: [outward(item) for item in value])
    make: Callable[[list[object]], object] = outer
    for packaged in PACKAGED[t.ArrayType]:
        if packaged.fits(outer):
            make = partial(_called, packaged.to_external, outer)
    return choices, lambda value: make([outward(item) for item in value])


def _called(convert: Callable[[object, object], object], class_: type, value: object) -> object:
    return convert(value, class_)


class _ArrayLikeMeta(type):
    def __instancecheck__(cls, instance: object) -> bool:
        """Return True for sequences except texts, and for numpy arrays."""
        if isinstance(instance, str | bytes | bytearray | memoryview):
            return False
        return isinstance(instance, Sequence) or hasattr(instance, "__array__")


class _ArrayLike(metaclass=_ArrayLikeMeta):
    """Sequences except texts, and numpy arrays; for isinstance."""


_ArrayLike.__name__ = "Sequence"


def _map(data_type: DataType, inner: tuple[Compiled, ...], loader: ClassLoader) -> Built:
    key, value = inner

    def into(items: Mapping[object, object]) -> dict[object, object]:
        return {_hashable(key.to_internal(k)): value.to_internal(v) for k, v in items.items()}

    def out(items: dict[object, object]) -> dict[object, object]:
        return {_hashable(key.to_external(k)): value.to_external(v) for k, v in items.items()}

    return [(dict, into), (Mapping, into)], None if key.plain and value.plain else out


def _multiset(data_type: DataType, inner: tuple[Compiled, ...], loader: ClassLoader) -> Built:
    element, outer = inner[0], data_type.conversion_class

    def into(items: Mapping[object, int]) -> dict[object, int]:
        return {_hashable(element.to_internal(item)): _count(number) for item, number in items.items()}

    def counted(items: Sequence[object]) -> dict[object, int]:
        return dict(Counter(_hashable(element.to_internal(item)) for item in items))

    def out(items: dict[object, int]) -> object:
        counts = {_hashable(element.to_external(item)): number for item, number in items.items()}
        if outer is list:
            return [item for item, number in counts.items() for _ in range(number)]
        return counts if outer is dict else Counter(counts)

    return [(dict, into), (Mapping, into), (list, counted)], None if outer is dict and element.plain else out


def _count(number: object) -> int:
    if isinstance(number, bool) or not isinstance(number, int) or number < 0:
        raise ValueError(f"{number!r} is no count")
    return number


def _hashable(value: object) -> object:
    """A hashable copy of a value: lists become tuples."""
    return tuple(map(_hashable, value)) if isinstance(value, list) else value


def _fields(data_type: DataType, inner: tuple[Compiled, ...], loader: ClassLoader) -> Built:
    type_ = data_type.logical_type
    assert isinstance(type_, t.FieldsType)
    names = type_.names
    inward = tuple(item.to_internal for item in inner)
    known = frozenset(names)

    def convert(values: Sequence[object]) -> tuple[object, ...]:
        return tuple([f(value) for f, value in zip(inward, values, strict=True)])

    def by_position(value: Any) -> tuple[object, ...]:
        if len(value) != len(names):
            raise ValueError(f"it has {len(value)} fields, the type {len(names)}: {', '.join(names)}")
        return convert(value)

    def by_name(value: Mapping[str, object]) -> tuple[object, ...]:
        unknown = [str(name) for name in value if name not in known]
        if unknown:
            raise ValueError(f"the type has no field {unknown[0]}; it has {', '.join(names)}")
        return convert([value.get(name) for name in names])

    def of_row(value: Row | MutableRow) -> tuple[object, ...]:
        held = names_in(value)
        return by_name(dict(zip(held, value, strict=True))) if held and held != names else by_position(value)

    def of_object(value: object) -> tuple[object, ...]:
        values = []
        for name in names:
            try:
                values.append(field_value(value, name))
            except AttributeError:
                raise ValueError(f"it has no field {name}; the type has {', '.join(names)}") from None
        return convert(values)

    choices: Choices = [
        (Row, of_row),
        (MutableRow, of_row),
        (_NamedTuple, of_object),
        (tuple, by_position),
        (list, by_position),
    ]
    choices += [(dict, by_name), (Mapping, by_name), (_Record, of_object)]
    class_ = data_type.conversion_class
    if class_ not in CLASSES[t.RowType]:
        choices.insert(0, (class_, of_object))
    return choices, _record_out(class_, names, tuple(item.to_external for item in inner), all(i.plain for i in inner))


def _record_out(class_: type, names: tuple[str, ...], outward: tuple[Convert, ...], plain: bool) -> Convert | None:
    make: Callable[[Sequence[object]], object]
    if class_ is tuple:
        if plain:
            return None
        make = tuple
    elif class_ is list:
        make = list
    elif class_ is dict:

        def make(values: Sequence[object]) -> object:
            return dict(zip(names, values, strict=True))

    elif class_ is Row:

        def make(values: Sequence[object]) -> object:
            return Row.of(values, names)

    elif class_ is MutableRow:

        def make(values: Sequence[object]) -> object:
            return MutableRow(*values)

    else:
        make = constructor(class_, names)
    if plain:
        return make
    return lambda values: make([f(value) for f, value in zip(outward, values, strict=True)])


class _NamedTupleMeta(type):
    def __instancecheck__(cls, instance: object) -> bool:
        return is_named_tuple(type(instance))


class _NamedTuple(metaclass=_NamedTupleMeta):
    """Objects of NamedTuple classes; for isinstance."""


class _RecordMeta(type):
    def __instancecheck__(cls, instance: object) -> bool:
        """Return True for objects of dataclasses and of other user-defined classes with fields."""
        return dataclasses.is_dataclass(instance) or hasattr(instance, "__dict__")


class _Record(metaclass=_RecordMeta):
    """Objects of classes with fields; for isinstance."""


_NamedTuple.__name__, _Record.__name__ = "NamedTuple", "a class with these fields"


def _null(data_type: DataType, inner: tuple[Compiled, ...], loader: ClassLoader) -> Built:
    return [], None


BUILDERS: dict[type[t.LogicalType], Callable[[DataType, tuple[Compiled, ...], ClassLoader], Built]] = {
    t.ArrayType: _array,
    t.MapType: _map,
    t.MultisetType: _multiset,
    t.RowType: _fields,
    t.StructuredType: _fields,
    t.NullType: _null,
}
