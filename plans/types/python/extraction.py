"""Extraction of types from Python annotations: plain ones are NOT NULL, `X | None` is nullable.

Source: FLIP-65, "New extraction".
"""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from compiled_plan.plans import types as t
from compiled_plan.plans.errors import CompiledPlanError, ProgramError
from compiled_plan.plans.types.classes import unreadable, use_class
from compiled_plan.plans.types.python.bridge import Bridged, bridge_to, name_of, supports
from compiled_plan.plans.types.python.fields import is_structured, structured_fields
from compiled_plan.plans.types.python.plain import plain
from compiled_plan.plans.types.python.refusals import REFUSED, UNKNOWN, is_hashable, refused_of_numpy
from compiled_plan.plans.types.python.type_hints import ON_CLASS, DataTypeHint, class_hint

NO_HINT = DataTypeHint()


@dataclass(frozen=True, slots=True)
class Place:
    """Location of an extraction, for errors, and the enclosing classes."""

    text: str
    classes: tuple[object, ...] = ()

    def inside(self, text: str, class_: object = None) -> Place:
        """The location of a component."""
        return Place(f"{text} of {self.text}", self.classes if class_ is None else (*self.classes, class_))

    def error(self, annotation: object, why: str, remedy: str) -> ProgramError:
        """The error of a failed extraction."""
        if annotation is inspect.Parameter.empty:
            if self.text.startswith("the result of "):
                remedy = "write its type after the parameters, `-> int`, or output=... in a function_hint"
            return ProgramError(f"{self.text} has no annotation, and so no SQL type", remedy=remedy)
        return ProgramError(f"{self.text}: no SQL type for the annotation {shown(annotation)}: {why}", remedy=remedy)


def shown(annotation: object) -> str:
    """An annotation as source text."""
    if annotation is inspect.Parameter.empty:
        return "(none)"
    return annotation.__name__ if isinstance(annotation, type) and not typing.get_args(annotation) else str(annotation)


def extract(annotation: object, place: Place, hint: DataTypeHint = NO_HINT) -> Bridged:
    """Extract the type of a parameter, result or field from its resolved annotation, with the enclosing hint's options.

    Raises ProgramError with place, annotation and remedy if it has no type.
    """
    if typing.get_origin(annotation) is typing.Annotated:
        inner, *notes = typing.get_args(annotation)
        own = next(filter(None, map(_note, notes)), None)
        return extract(inner, place, hint) if own is None else hinted(own.inside(hint), inner, place)
    if isinstance(annotation, typing.NewType):
        return extract(annotation.__supertype__, place, hint)
    if _is_data_type(annotation):
        return from_data_type(annotation, place.text)
    origin = typing.get_origin(annotation)
    if origin in (typing.Union, types.UnionType):
        return _union(annotation, place, hint)
    # The patterns match classes, not arrays of them.
    forced = None if origin in _ARRAYS else _raw(annotation, hint.force_raw_pattern)
    if forced is not None:
        return forced
    above = vars(origin or annotation).get(ON_CLASS) if isinstance(origin or annotation, type) else None
    if above is not None and above.names_type:
        return hinted(above.inside(hint), annotation, place)
    try:
        return _unforced(annotation, origin, place, hint)
    except CompiledPlanError:
        raw = _raw(annotation, hint.allow_raw_pattern, hint.allow_raw_globally)
        if raw is None:
            raise
        return raw


def _note(note: object) -> DataTypeHint | None:
    """The hint in a note of `Annotated`, which may also be a bare type; None for other notes."""
    if isinstance(note, DataTypeHint):
        return note
    return DataTypeHint(note) if _is_data_type(note) else None


def _is_data_type(value: object) -> bool:
    if isinstance(value, type):
        return False
    return isinstance(value, t.LogicalType | Bridged) or isinstance(getattr(value, "logical_type", None), t.LogicalType)


def _unforced(annotation: Any, origin: object, place: Place, hint: DataTypeHint) -> Bridged:
    bridged = plain(annotation, hint) or _container(annotation, origin, place, hint)
    if bridged is not None:
        return bridged
    if annotation is Decimal:
        return _decimal(annotation, place, hint)
    if isinstance(annotation, typing.TypeVar):
        raise place.error(
            annotation, "it is a type variable that nothing says", "write what it stands for: Pair[int], Base[str]"
        )
    if isinstance(annotation, str):
        raise place.error(repr(annotation), "it is a text", f"write Annotated[..., DataTypeHint({annotation!r})]")
    refused: Any = annotation if origin is None else origin
    refusal = REFUSED.get(refused) if is_hashable(refused) else None
    refusal = refusal or refused_of_numpy(refused)
    if refusal is None and is_structured(refused):
        return _structured(annotation, refused, place, hint)
    raise place.error(annotation, *(refusal or UNKNOWN))


def hinted(hint: DataTypeHint, annotation: object, place: Place) -> Bridged:
    """The type of a hint for an object with this annotation (`inspect.Parameter.empty` for none).

    Raises ProgramError for a type that cannot be parsed, or that is incompatible with the class.
    """
    if not hint.names_type:
        if annotation is inspect.Parameter.empty:
            raise ProgramError(f"{place.text}: the hint names no type", remedy='write DataTypeHint("<type>")')
        bridged = extract(annotation, place, hint)
    elif _is_python(hint.value):
        bridged = extract(hint.value, place, replace(hint, value="", bridged_to=None))
    else:
        bridged = _declared(hint.value, annotation, place)
    if hint.bridged_to is not None:
        if bridged.converter is not None:
            return bridged
        return replace(bridge_to(bridged.type, hint.bridged_to, place.text), children=bridged.children)
    if annotation is inspect.Parameter.empty:
        return bridged
    return accepting(bridged, annotation, place)


def accepting(bridged: Bridged, annotation: object, place: Place) -> Bridged:
    """The type with values of the annotation's class. Raises ProgramError if they are incompatible."""
    classes, any_ = _classes(annotation)
    if any_ or bridged.converter is not None or bridged.class_ is not None:
        return bridged
    if isinstance(bridged.type, t.RawType):
        return bridged if bridged.type.serializer == t.PICKLE else _unfit(bridged, annotation, place)
    for class_ in classes:
        if supports(bridged.type, class_) or class_ in (Sequence, Mapping):
            return replace(bridge_to(bridged.type, class_, place.text), children=bridged.children)
    return _unfit(bridged, annotation, place)


def _unfit(bridged: Bridged, annotation: object, place: Place) -> Bridged:
    raise ProgramError(
        f"{place.text}: values of type {bridged.type} are not what the annotation {shown(annotation)} says",
        remedy="correct the annotation or the hint, or annotate it with `object`",
    )


def _classes(annotation: object) -> tuple[list[type], bool]:
    """The classes that an annotation names, and True if it accepts any class."""
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
    plain_class = origin or annotation
    return ([plain_class], False) if isinstance(plain_class, type) else ([], True)


def _declared(value: object, annotation: object, place: Place) -> Bridged:
    if isinstance(value, str):
        if value.strip().upper() in ("RAW", "ANY"):
            classes, _ = _classes(annotation)
            if not classes:
                raise ProgramError(
                    f"{place.text}: DataTypeHint({value!r}) on what has no class", remedy="annotate it with its class"
                )
            return _raw_of(classes[0], _is_optional(annotation))
        try:
            return _known(Bridged(t.parse_type(value)), place.text)
        except CompiledPlanError as fault:
            message = fault.message.removeprefix(f"{place.text}: ")
            raise ProgramError(f"{place.text}: {message}", where=fault.where, remedy=fault.remedy) from None
    if isinstance(value, Bridged):
        return value
    return from_data_type(value, place.text)


def _known(bridged: Bridged, where: str) -> Bridged:
    """Refuse types without values: Flink parses TIMESTAMP WITH TIME ZONE, but does not implement it."""
    todo = [bridged.type]
    while todo:
        type_ = todo.pop()
        if isinstance(type_, t.TimestampTzType):
            raise ProgramError(
                f"{where}: {type_.text()} is not a type that Flink supports",
                remedy=f"write TIMESTAMP_LTZ({type_.precision}), a point in time",
            )
        todo.extend(type_.children())
    return bridged


def from_data_type(value: object, where: str = "a data type") -> Bridged:
    """Convert a type string, a logical type or a data type to a `Bridged`. Raises ProgramError for other values."""
    if isinstance(value, Bridged):
        return value
    if isinstance(value, str):
        try:
            bridged = Bridged(t.parse_type(value))
        except CompiledPlanError as fault:
            raise ProgramError(f"{where}: {fault.message}", where=fault.where, remedy=fault.remedy) from None
        return _known(bridged, where)
    if isinstance(value, t.LogicalType):
        _known(Bridged(value), where)
        return Bridged(value, converter=next(iter(dict(value.conversions).values()), None))
    logical = getattr(value, "logical_type", None)
    if not isinstance(logical, t.LogicalType):
        raise ProgramError(
            f"{where}: {value!r} is no data type", remedy='write a type in SQL, such as "DECIMAL(5, 2)", or DataTypes'
        )
    _known(Bridged(logical), where)
    bridge = getattr(value, "bridge", None)
    known: dict[object, object] = dict(logical.conversions)
    converter = getattr(value, "converter", None) or known.get(bridge)
    if converter is None and logical.conversions:
        bridge, converter = next(iter(logical.conversions))
    return Bridged(logical, bridge, tuple(map(from_data_type, getattr(value, "children", ()))), converter)


def _is_python(value: object) -> bool:
    """Return True if a hint's value is a Python type to extract from, not an SQL type or a data type."""
    if isinstance(value, str | t.LogicalType | Bridged) or hasattr(value, "logical_type"):
        return False
    return isinstance(value, type) or typing.get_origin(value) is not None


# --- types of classes ------------------------------------------------------------------------------------------------


def _container(annotation: object, origin: object, place: Place, hint: DataTypeHint) -> Bridged | None:
    arguments = typing.get_args(annotation)
    if origin in (list, Sequence):
        element = extract(arguments[0], place.inside("an element"), hint)
        return Bridged(t.ArrayType(element=element.type, nullable=False), None, (element,))
    if origin is tuple and len(arguments) == 2 and arguments[1] is Ellipsis:
        element = extract(arguments[0], place.inside("an element"), hint)
        return Bridged(t.ArrayType(element=element.type, nullable=False), tuple, (element,))
    if origin in (dict, Mapping):
        if len(arguments) != 2:
            raise place.error(annotation, "a map has keys and values", "write dict[str, int]")
        key, value = (extract(part, place.inside(role), hint) for part, role in zip(arguments, _MAP, strict=True))
        return Bridged(t.MapType(key=key.type, value=value.type, nullable=False), None, (key, value))
    return None


_MAP = ("a key", "a value")
_ARRAYS = (list, Sequence, tuple)


def _union(annotation: object, place: Place, hint: DataTypeHint) -> Bridged:
    parts = [part for part in typing.get_args(annotation) if part is not type(None)]
    if len(parts) != 1 or not _is_optional(annotation):
        raise place.error(annotation, "a value has one type", 'write one of them, or a hint: DataTypeHint("<type>")')
    return extract(parts[0], place, hint).with_nullability(True)


def _is_optional(annotation: object) -> bool:
    return type(None) in typing.get_args(annotation)


def _decimal(annotation: object, place: Place, hint: DataTypeHint) -> Bridged:
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


def _raw(annotation: object, patterns: Sequence[str] | None, everything: bool | None = False) -> Bridged | None:
    class_ = typing.get_origin(annotation) or annotation
    class_ = object if class_ is Any else class_
    if not isinstance(class_, type) or class_ in (type(None), inspect.Parameter.empty):
        return None
    name = name_of(class_)
    return _raw_of(class_, False) if everything or any(map(name.startswith, patterns or ())) else None


def _raw_of(class_: type, nullable: bool) -> Bridged:
    return Bridged(t.RawType(class_name=name_of(class_), serializer=t.PICKLE, nullable=nullable), class_)


# --- structured types ------------------------------------------------------------------------------------------------


def _structured(annotation: object, class_: type, place: Place, hint: DataTypeHint) -> Bridged:
    if annotation in place.classes:
        raise place.error(class_, "it holds itself, and so has no end", "leave the field out, or make it RAW")
    hidden = unreadable(class_)
    if hidden:
        raise ProgramError(
            f"class {class_.__qualname__} is no structured type: its constructor takes "
            f"{', '.join(f'`{name}`' for name in hidden)}, which is no field",
            remedy="keep it in an attribute of that name, or define a property or a getter (`get_name`) for it",
        )
    own = class_hint(class_)
    options = hint if own is None else own.inside(hint)
    parts = [
        (name, extract(part, place.inside(f"field `{name}` of {class_.__name__}", annotation), options))
        for name, part in structured_fields(annotation).items()
    ]
    fields = tuple(t.Field(name, part.type) for name, part in parts)
    type_ = t.StructuredType(class_name=use_class(class_), fields=fields, nullable=False)
    return Bridged(type_, class_, tuple(part for _, part in parts))
