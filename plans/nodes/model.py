"""Base of all objects in a plan's JSON: typed fields, read and written as in Flink."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cache
from typing import Annotated, ClassVar, TypeVar

from pydantic import BaseModel, ConfigDict, StrictBool, StrictInt, model_validator
from pydantic.alias_generators import to_camel
from pydantic_core import PydanticUndefined

from compiled_plan.plans.rex import JavaFunction, PythonFunction, RexNode, rex_to_json
from compiled_plan.plans.text.jsontext import Json
from compiled_plan.plans.types import LogicalType, type_to_json

T = TypeVar("T")
Int = StrictInt
Bool = StrictBool


class FieldMark(Enum):
    """Properties of a field besides its type."""

    ENFORCING = "enforcing"
    ALWAYS = "always"


class JoinSide(Enum):
    """Side that the indices in a field refer to, if it is not a fixed input."""

    ALL = "those of all inputs, one after another"
    EACH = "those of input n in item n"
    ELSEWHERE = "those of something that is no input: a table, the rows before another phase"


@dataclass(frozen=True, slots=True)
class Refers:
    """Mark of a field whose indices and expression references are columns; negative indices are none."""

    #: The input's number; or a `JoinSide`; or the name of the sibling field that holds the input's number.
    side: int | JoinSide | str


#: The field refers to columns of the first or only input, of the second, of all, of each, of no input; in a nested
#: object the first input is the one that the node's field refers to.
OfInput = Annotated[T, Refers(0)]
OfRight = Annotated[T, Refers(1)]
OfAll = Annotated[T, Refers(JoinSide.ALL)]
OfEach = Annotated[T, Refers(JoinSide.EACH)]
OfNone = Annotated[T, Refers(JoinSide.ELSEWHERE)]
#: The field shapes the node's state: state written with another value must not be read.
Enforcing = Annotated[T, FieldMark.ENFORCING]
#: Flink writes the field even if it has its default; other fields are omitted then. A field with a default may still be
#: absent or null in a plan: Flink's constructor accepts null, and older releases did not write it.
Always = Annotated[T, FieldMark.ALWAYS]
#: Flink writes the field as `null` if it has no value.
Nullable = Annotated[T | None, FieldMark.ALWAYS]


class PlanModel(BaseModel):
    """Base of every closed JSON object of a plan: immutable, no unknown fields, written in the order declared."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        populate_by_name=True,
        alias_generator=to_camel,
        arbitrary_types_allowed=True,
        defer_build=True,
        protected_namespaces=(),
    )

    #: Fields whose position in Flink's JSON differs from the declared one: name -> the field it follows.
    PLACED_AFTER: ClassVar[dict[str, str]] = {}

    @model_validator(mode="before")
    @classmethod
    def _null_is_absent(cls, data: Json) -> Json:
        """Read `null` as the default, as Jackson does for the arguments of Flink's constructors."""
        if not isinstance(data, dict) or all(value is not None for value in data.values()):
            return data
        optional = _optional(cls)
        return {key: value for key, value in data.items() if value is not None or key not in optional}

    @classmethod
    def field_order(cls) -> list[str]:
        """The fields in Flink's order, before `PLACED_AFTER` applies."""
        return list(cls.model_fields)

    def to_dict(self) -> dict[str, Json]:
        """The object as Flink writes it: in Flink's order, without unset fields."""
        return {
            alias: value_to_json(getattr(self, name))
            for name, alias, default, always in _writers(type(self))
            if always or ((value := getattr(self, name)) is not None and value != default)
        }


@cache
def _optional(model: type[PlanModel]) -> frozenset[str]:
    """JSON names of the fields with a default."""
    fields = model.model_fields.items()
    return frozenset(info.alias or name for name, info in fields if not info.is_required())


@cache
def _writers(model: type[PlanModel]) -> tuple[tuple[str, str, Json, bool], ...]:
    """Per field in Flink's order: Python name, JSON name, default, True if the default is written, too."""
    writers = []
    for name in _in_order(model):
        info = model.model_fields[name]
        default = PydanticUndefined if info.default_factory else info.default
        writers.append((name, info.alias or name, default, FieldMark.ALWAYS in info.metadata))
    return tuple(writers)


def _in_order(model: type[PlanModel]) -> list[str]:
    names = model.field_order()
    for name, anchor in model.PLACED_AFTER.items():
        names.remove(name)
        names.insert(names.index(anchor) + 1, name)
    return names


def value_to_json(value: object) -> Json:
    """A field value of a plan model as JSON."""
    match value:
        case None | bool() | int() | float() | str():
            return value
        case PlanModel():
            return value.to_dict()
        case RexNode():
            return rex_to_json(value)
        case PythonFunction() | JavaFunction():
            return value.to_dict()
        case LogicalType():
            return type_to_json(value)
        case tuple() | list():
            return [value_to_json(item) for item in value]
        case dict():
            return {key: value_to_json(item) for key, item in value.items()}
    raise TypeError(f"no JSON form for {type(value).__name__}")


def objects_in(value: object, kind: type[T]) -> Iterator[T]:
    """The objects of a class anywhere in a node, outermost ones only."""
    if isinstance(value, kind):
        yield value
    elif isinstance(value, PlanModel):
        for name in type(value).model_fields:
            yield from objects_in(getattr(value, name), kind)
    elif isinstance(value, tuple | list):
        for item in value:
            yield from objects_in(item, kind)
    elif isinstance(value, Mapping):
        yield from objects_in(list(value.values()), kind)
