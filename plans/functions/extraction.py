"""Types from Python annotations.

Source: FLIP-65, "New extraction"; what Python's classes become is R3's table: plain annotations are NOT NULL,
`X | None` is nullable.
"""

from __future__ import annotations

import datetime as dt
import inspect
import sys
import types
import typing
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from plans import types as t
from plans.errors import CompiledPlanError, ProgramError
from plans.functions.bridge import Bridged, bridge_to, has_fields, name_of, supports
from plans.functions.hints import DataTypeHint, class_hint
from plans.types.row import Row

NO_HINT = DataTypeHint()


@dataclass(frozen=True, slots=True)
class Place:
    """What is being extracted, for errors, and the classes that it is inside."""

    text: str
    classes: tuple[type, ...] = ()

    def inside(self, text: str, class_: type | None = None) -> Place:
        """A part of it."""
        return Place(f"{text} of {self.text}", self.classes if class_ is None else (*self.classes, class_))

    def error(self, annotation: Any, why: str, remedy: str) -> ProgramError:
        """The error that no type can be had."""
        return ProgramError(f"{self.text}: no SQL type for the annotation {shown(annotation)}: {why}", remedy=remedy)


def shown(annotation: Any) -> str:
    """An annotation as one writes it."""
    return annotation.__name__ if isinstance(annotation, type) and not typing.get_args(annotation) else str(annotation)


def extract(annotation: Any, place: Place, hint: DataTypeHint = NO_HINT) -> Bridged:
    """The type of a parameter, result or field.

    Args:
        annotation: the Python type, strings in it resolved.
        place: for errors.
        hint: what is around it and steers the extraction.

    Raises:
        ProgramError: there is none; names place, annotation and remedy.
    """
    if typing.get_origin(annotation) is typing.Annotated:
        inner, *notes = typing.get_args(annotation)
        own = next((note for note in notes if isinstance(note, DataTypeHint)), None)
        if own is None:
            own = next((DataTypeHint(note) for note in notes if isinstance(note, t.LogicalType)), None)
        return extract(inner, place, hint) if own is None else hinted(own.inside(hint), inner, place)
    if isinstance(annotation, typing.NewType):
        return extract(annotation.__supertype__, place, hint)
    origin = typing.get_origin(annotation)
    if origin in (typing.Union, types.UnionType):
        return _union(annotation, place, hint)
    forced = _raw(annotation, hint.force_raw_pattern)
    if forced is not None:
        return forced
    found = _plain(annotation, hint) or _container(annotation, origin, place, hint)
    if found is not None:
        return found
    if annotation is Decimal:
        return _decimal(annotation, place, hint)
    refused: Any = annotation if origin is None else origin
    refusal = _REFUSED.get(refused) if _hashable(refused) else None
    if refusal is None and _is_structured(annotation):
        try:
            return _structured(annotation, place, hint)
        except CompiledPlanError:
            raw = _raw(annotation, hint.allow_raw_pattern, hint.allow_raw_globally)
            if raw is None:
                raise
            return raw
    raw = _raw(annotation, hint.allow_raw_pattern, hint.allow_raw_globally)
    if raw is not None:
        return raw
    raise place.error(annotation, *(refusal or _UNKNOWN))


def hinted(hint: DataTypeHint, annotation: Any, place: Place) -> Bridged:
    """The type that a hint says for something of this annotation (`inspect.Parameter.empty` where there is none).

    Raises:
        ProgramError: a type that cannot be read, or that does not go with the class.
    """
    if not hint.names_type:
        if annotation is inspect.Parameter.empty:
            raise ProgramError(f"{place.text}: the hint names no type", remedy='write DataTypeHint("<type>")')
        found = extract(annotation, place, hint)
    elif _is_python(hint.value):
        found = extract(hint.value, place, replace(hint, value="", bridged_to=None))
    else:
        found = _declared(hint.value, annotation, place)
    if hint.bridged_to is not None:
        if found.converter is not None:
            return found
        return replace(bridge_to(found.type, hint.bridged_to, place.text), children=found.children)
    if annotation is inspect.Parameter.empty:
        return found
    return accepting(found, annotation, place)


def accepting(found: Bridged, annotation: Any, place: Place) -> Bridged:
    """The type, its values of the class that the annotation asks for.

    Raises:
        ProgramError: values of the type cannot be what the annotation says.
    """
    classes, any_ = _classes(annotation)
    if any_ or found.converter is not None or found.class_ is not None:
        return found
    if isinstance(found.type, t.RawType):
        return found if found.type.serializer == t.PICKLE else _unfit(found, annotation, place)
    for class_ in classes:
        if supports(found.type, class_) or class_ in (Sequence, Mapping):
            return replace(bridge_to(found.type, class_, place.text), children=found.children)
    return _unfit(found, annotation, place)


def _unfit(found: Bridged, annotation: Any, place: Place) -> Bridged:
    raise ProgramError(
        f"{place.text}: values of type {found.type} are not what the annotation {shown(annotation)} says",
        remedy="correct the annotation or the hint, or annotate it with `object`",
    )


def _classes(annotation: Any) -> tuple[list[type], bool]:
    """The classes that an annotation names, and whether it allows everything."""
    if typing.get_origin(annotation) is typing.Annotated:
        annotation = typing.get_args(annotation)[0]
    if isinstance(annotation, typing.NewType):
        annotation = annotation.__supertype__
    if annotation in (Any, object, inspect.Parameter.empty) or isinstance(annotation, typing.TypeVar):
        return [], True
    origin = typing.get_origin(annotation)
    if origin in (typing.Union, types.UnionType):
        parts = [_classes(part) for part in typing.get_args(annotation) if part is not type(None)]
        return [class_ for classes, _ in parts for class_ in classes], any(free for _, free in parts)
    found = origin or annotation
    return ([found], False) if isinstance(found, type) else ([], True)


def _declared(value: Any, annotation: Any, place: Place) -> Bridged:
    if isinstance(value, str):
        if value.strip().upper() in ("RAW", "ANY"):
            classes, _ = _classes(annotation)
            if not classes:
                raise ProgramError(
                    f"{place.text}: DataTypeHint({value!r}) on what has no class", remedy="annotate it with its class"
                )
            return _raw_of(classes[0], _is_optional(annotation))
        try:
            return Bridged(t.parse_type(value))
        except CompiledPlanError as fault:
            raise ProgramError(f"{place.text}: {fault.message}", where=fault.where, remedy=fault.remedy) from None
    if isinstance(value, Bridged):
        return value
    return from_data_type(value, place.text)


def from_data_type(value: Any, where: str = "a data type") -> Bridged:
    """A logical type, or a data type with its class, as a `Bridged`.

    Raises:
        ProgramError: it is neither.
    """
    if isinstance(value, Bridged):
        return value
    if isinstance(value, str):
        return Bridged(t.parse_type(value))
    if isinstance(value, t.LogicalType):
        return Bridged(value, converter=next(iter(dict(value.conversions).values()), None))
    logical = getattr(value, "logical_type", None)
    if not isinstance(logical, t.LogicalType):
        raise ProgramError(
            f"{where}: {value!r} is no data type", remedy='write a type in SQL, such as "DECIMAL(5, 2)", or DataTypes'
        )
    bridge = getattr(value, "bridge", None)
    known: dict[Any, Any] = dict(logical.conversions)
    converter = getattr(value, "converter", None) or known.get(bridge)
    if converter is None and logical.conversions:
        bridge, converter = next(iter(logical.conversions))
    return Bridged(logical, bridge, tuple(map(from_data_type, getattr(value, "children", ()))), converter)


def _is_python(value: Any) -> bool:
    """Whether a hint's value is a Python type to extract from, and not a type in SQL or a data type."""
    if isinstance(value, str | t.LogicalType | Bridged) or hasattr(value, "logical_type"):
        return False
    return isinstance(value, type) or typing.get_origin(value) is not None


# --- what classes are ------------------------------------------------------------------------------------------------

_NUMPY: dict[str, t.LogicalType] = {
    "bool": t.BOOLEAN,
    "bool_": t.BOOLEAN,
    "int8": t.TINYINT,
    "int16": t.SMALLINT,
    "int32": t.INT,
    "int64": t.BIGINT,
    "float32": t.FLOAT,
    "float64": t.DOUBLE,
}
_SIMPLE: dict[Any, t.LogicalType] = {
    str: t.STRING,
    bool: t.BOOLEAN,
    int: t.BIGINT,
    float: t.DOUBLE,
    bytes: t.BYTES,
    bytearray: t.BYTES,
    dt.date: t.DATE,
}


def _plain(annotation: Any, hint: DataTypeHint) -> Bridged | None:
    """The types of classes without parts, NOT NULL."""
    if not isinstance(annotation, type):
        return None
    second = hint.default_second_precision
    if annotation in _SIMPLE:
        return Bridged(_SIMPLE[annotation].not_null(), annotation if annotation is bytearray else None)
    if annotation is dt.time:
        return Bridged(t.TimeType(precision=0 if second is None else second, nullable=False))
    if annotation is dt.timedelta:
        digits = 6 if second is None else second
        return Bridged(t.DayTimeIntervalType(resolution=f"SECOND({digits})", nullable=False))
    name = name_of(annotation)
    if annotation is dt.datetime or name.endswith("NaiveDatetime"):
        return Bridged(t.TimestampType(precision=6 if second is None else second, nullable=False))
    if name == "pydantic.types.AwareDatetime":
        return Bridged(t.TimestampLtzType(precision=6 if second is None else second, nullable=False))
    if name.startswith("pandas.") and name.endswith(".Timestamp"):
        return Bridged(t.TimestampType(precision=9 if second is None else second, nullable=False), annotation)
    if name == "dateutil.relativedelta.relativedelta":
        year = 4 if hint.default_year_precision is None else hint.default_year_precision
        resolution = f"YEAR({year}) TO MONTH" if year else "MONTH"
        return Bridged(t.YearMonthIntervalType(resolution=resolution, nullable=False), annotation)
    if name.startswith("numpy.") and name.removeprefix("numpy.") in _NUMPY:
        return Bridged(_NUMPY[name.removeprefix("numpy.")].not_null(), annotation)
    return None


def _container(annotation: Any, origin: Any, place: Place, hint: DataTypeHint) -> Bridged | None:
    arguments = typing.get_args(annotation)
    if origin in (list, Sequence):
        element = extract(arguments[0], place.inside("an element"), hint)
        return Bridged(t.ArrayType(element=element.type, nullable=False), None, (element,))
    if origin is tuple and len(arguments) == 2 and arguments[1] is Ellipsis:
        element = extract(arguments[0], place.inside("an element"), hint)
        return Bridged(t.ArrayType(element=element.type, nullable=False), tuple, (element,))
    if origin in (dict, Mapping):
        key, value = (extract(part, place.inside(what), hint) for part, what in zip(arguments, _MAP, strict=True))
        return Bridged(t.MapType(key=key.type, value=value.type, nullable=False), None, (key, value))
    return None


_MAP = ("a key", "a value")


def _union(annotation: Any, place: Place, hint: DataTypeHint) -> Bridged:
    parts = [part for part in typing.get_args(annotation) if part is not type(None)]
    if len(parts) != 1 or not _is_optional(annotation):
        raise place.error(annotation, "a value has one type", 'write one of them, or a hint: DataTypeHint("<type>")')
    return extract(parts[0], place, hint).with_nullability(True)


def _is_optional(annotation: Any) -> bool:
    return type(None) in typing.get_args(annotation)


def _decimal(annotation: Any, place: Place, hint: DataTypeHint) -> Bridged:
    if hint.default_decimal_precision is None and hint.default_decimal_scale is None:
        raise place.error(
            annotation,
            "a decimal needs a precision and a scale",
            'write Annotated[Decimal, DataTypeHint("DECIMAL(10, 2)")]',
        )
    scale = hint.default_decimal_scale or 0
    precision = 38 if hint.default_decimal_precision is None else hint.default_decimal_precision
    if scale > precision:
        raise place.error(annotation, f"the scale {scale} is beyond the precision {precision}", "write a smaller scale")
    return Bridged(t.DecimalType(precision=precision, scale=scale, nullable=False))


def _raw(annotation: Any, patterns: Sequence[str] | None, everything: bool | None = False) -> Bridged | None:
    if not isinstance(annotation, type) or annotation in (object, type(None)):
        return None
    name = name_of(annotation)
    return _raw_of(annotation, False) if everything or any(map(name.startswith, patterns or ())) else None


def _raw_of(class_: type, nullable: bool) -> Bridged:
    return Bridged(t.RawType(class_name=name_of(class_), serializer=t.PICKLE, nullable=nullable), class_)


_UNKNOWN = (
    "it is no class with a SQL type",
    'write a type: Annotated[..., DataTypeHint("<type>")]; DataTypeHint("RAW") passes the object as it is',
)
_BARE = "its elements have no type"
_REFUSED: dict[Any, tuple[str, str]] = {
    inspect.Parameter.empty: ("there is none", "annotate it, or say its type in a function_hint"),
    Any: ("it may be anything", "write the type, DataTypeHint(input_group=ANY) for a parameter of any type"),
    object: ("it may be anything", "write the type, DataTypeHint(input_group=ANY) for a parameter of any type"),
    type(None): ("it is no value", "annotate what it gives"),
    None: ("it is no value", "annotate what it gives"),
    list: (_BARE, "write list[int]"),
    Sequence: (_BARE, "write list[int]"),
    tuple: (
        "a tuple has no names of fields",
        'write a NamedTuple or dataclass, or a hint: DataTypeHint("ROW<a INT, b STRING>")',
    ),
    dict: (_BARE, "write dict[str, int]"),
    Mapping: (_BARE, "write dict[str, int]"),
    set: ("SQL has no sets", 'write list[int], or a hint: DataTypeHint("MULTISET<INT>")'),
    frozenset: ("SQL has no sets", 'write list[int], or a hint: DataTypeHint("MULTISET<INT>")'),
    Row: ("a row's fields need names and types", 'write a hint: DataTypeHint("ROW<a INT, b STRING>")'),
    complex: ("SQL has no complex numbers", "write a dataclass of two floats"),
}
for _name in ("Counter",):
    _REFUSED[getattr(typing.cast(Any, __import__("collections")), _name)] = (
        "a MULTISET needs to be said",
        'write a hint: Annotated[Counter, DataTypeHint("MULTISET<STRING>")]',
    )


def _hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


# --- structured types ------------------------------------------------------------------------------------------------


def _is_structured(annotation: Any) -> bool:
    if not has_fields(annotation) or hasattr(annotation, "__total__"):
        return False
    return bool(structured_fields(annotation))


def structured_fields(class_: type) -> dict[str, Any]:
    """The fields of a class in the order of its constructor, with their annotations; none where it has none."""
    from plans.types.conversions.classes import field_names

    names = field_names(class_) or ()
    hints = dict(annotations_of(class_))
    if not set(names) <= set(hints):
        # A plain class: the parameters of its constructor say the types.
        made = getattr(class_, "__init__", None)
        if inspect.isfunction(made):
            hints = annotations_of(made) | hints
    return {name: hints.get(name, inspect.Parameter.empty) for name in names}


def _structured(class_: type, place: Place, hint: DataTypeHint) -> Bridged:
    from plans.types.conversions.classes import use_class

    if class_ in place.classes:
        raise place.error(class_, "it holds itself, and so has no end", "leave the field out, or make it RAW")
    own = class_hint(class_)
    options = hint if own is None else own.inside(hint)
    parts = [
        (name, extract(annotation, place.inside(f"field `{name}` of {class_.__name__}", class_), options))
        for name, annotation in structured_fields(class_).items()
    ]
    fields = tuple(t.Field(name, found.type) for name, found in parts)
    type_ = t.StructuredType(class_name=use_class(class_), fields=fields, nullable=False)
    return Bridged(type_, class_, tuple(found for _, found in parts))


# --- annotations as objects ------------------------------------------------------------------------------------------


def annotations_of(target: Any) -> dict[str, Any]:
    """The annotations of a function or class, texts in them resolved.

    Names that are neither in the module nor built in are looked up in the functions that are running: a class may be
    local to one of them.

    Raises:
        ProgramError: a name that nothing has.
    """
    missing: NameError
    try:
        return typing.get_type_hints(target, include_extras=True)
    except NameError as fault:
        missing = fault
    except TypeError:
        return {}
    for names in _running():
        try:
            return typing.get_type_hints(target, localns=names, include_extras=True)
        except NameError as fault:
            missing = fault
    what = getattr(target, "__qualname__", str(target))
    raise ProgramError(f"{what}: an annotation cannot be read: {missing}", remedy="import what it names in its module")


def _running() -> Iterator[dict[str, Any]]:
    frame = sys._getframe(1)
    everything: dict[str, Any] = {}
    while frame is not None:
        everything = frame.f_locals | everything
        yield everything
        frame = frame.f_back  # type: ignore[assignment]
