"""Windows: sizes, and assignment of rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from compiled_plan.plans.errors import PlanError
from compiled_plan.plans.findings import Fault
from compiled_plan.plans.nodes.fields import TypeJson, wrapped
from compiled_plan.plans.nodes.model import Always, Bool, Int, OfInput, PlanModel
from compiled_plan.plans.nodes.rules import Columns, Path, index, indices, rowtime, timestamp
from compiled_plan.plans.text.durations import parse_iso_duration
from compiled_plan.plans.types import BIGINT, LogicalType, TimeKind, TimestampBase, TimestampLtzType, TimestampType
from compiled_plan.plans.types.likeness import alike


def _checked(text: str) -> str:
    try:
        parse_iso_duration(text)
    except PlanError as fault:
        raise wrapped(fault) from None
    return text


#: A duration as Flink writes it in windows, `PT5M`.
IsoDuration = Annotated[str, AfterValidator(_checked)]


class TumblingWindow(PlanModel):
    """Windows of one size without gaps or overlap."""

    type: Always[Literal["TumblingWindow"]] = "TumblingWindow"
    size: IsoDuration
    offset: IsoDuration | None = None


class HoppingWindow(PlanModel):
    """Windows of one size that start every `slide`."""

    type: Always[Literal["HoppingWindow"]] = "HoppingWindow"
    size: IsoDuration
    slide: IsoDuration
    offset: IsoDuration | None = None


class CumulativeWindow(PlanModel):
    """Windows that grow by `step` up to `max_size`."""

    type: Always[Literal["CumulativeWindow"]] = "CumulativeWindow"
    max_size: IsoDuration
    step: IsoDuration
    offset: IsoDuration | None = None


class SessionWindow(PlanModel):
    """Windows that end after `gap` without a row of the same partition."""

    type: Always[Literal["SessionWindow"]] = "SessionWindow"
    gap: IsoDuration
    partition_key_indices: OfInput[tuple[Int, ...]] = Field(alias="partition_key_indices")


Window = Annotated[TumblingWindow | HoppingWindow | CumulativeWindow | SessionWindow, Field(discriminator="type")]


class TimeAttributeWindowing(PlanModel):
    """Rows are assigned to windows by their time attribute."""

    strategy: Always[Literal["TimeAttribute"]] = "TimeAttribute"
    window: Window
    time_attribute_type: TypeJson
    time_attribute_index: OfInput[Int]
    is_rowtime: Bool


class WindowAttachedWindowing(PlanModel):
    """Rows carry their window's start and end as columns."""

    strategy: Always[Literal["WindowAttached"]] = "WindowAttached"
    window: Window
    time_attribute_type: TypeJson
    window_start: OfInput[Int]
    window_end: OfInput[Int]
    is_rowtime: Bool


class SliceAttachedWindowing(PlanModel):
    """Rows carry the end of their slice as a column, in milliseconds."""

    strategy: Always[Literal["SliceAttached"]] = "SliceAttached"
    window: Window
    time_attribute_type: TypeJson
    slice_end: OfInput[Int]
    is_rowtime: Bool


Windowing = Annotated[
    TimeAttributeWindowing | WindowAttachedWindowing | SliceAttachedWindowing, Field(discriminator="strategy")
]


class WindowReference(PlanModel):
    """The name of a window and the type of its time attribute."""

    name: str
    type: TypeJson


class WindowProperty(PlanModel):
    """Kind of a window column."""

    kind: Literal["WindowStart", "WindowEnd", "Rowtime", "Proctime"]
    reference: WindowReference


class NamedWindowProperty(PlanModel):
    """An output column with a property of the window."""

    name: str
    property: WindowProperty


class TimeField(PlanModel):
    """The time attribute of a GROUP BY window."""

    field_name: str
    field_index: OfInput[Int]
    input_index: Int
    field_type: TypeJson


class TumblingGroupWindow(PlanModel):
    """`GROUP BY TUMBLE(...)`; counts rows if `is_time_window` is false."""

    kind: Always[Literal["TUMBLING"]] = "TUMBLING"
    alias: WindowReference
    time_field: TimeField
    is_time_window: Bool
    size: IsoDuration | Int


class SlidingGroupWindow(PlanModel):
    """Window of `GROUP BY HOP(...)`."""

    kind: Always[Literal["SLIDING"]] = "SLIDING"
    alias: WindowReference
    time_field: TimeField
    is_time_window: Bool
    size: IsoDuration | Int
    slide: IsoDuration | Int


class SessionGroupWindow(PlanModel):
    """Window of `GROUP BY SESSION(...)`."""

    kind: Always[Literal["SESSION"]] = "SESSION"
    alias: WindowReference
    time_field: TimeField
    gap: IsoDuration


GroupWindow = Annotated[TumblingGroupWindow | SlidingGroupWindow | SessionGroupWindow, Field(discriminator="kind")]


def window_faults(window: Window, path: Path) -> Iterator[Fault]:
    """Faults of windows without a length, and of steps that do not divide the size."""
    lengths = {
        name: getattr(window, name) for name in ("size", "slide", "step", "max_size", "gap") if hasattr(window, name)
    }
    sizes = {name: parse_iso_duration(text) for name, text in lengths.items()}
    for name, size in sizes.items():
        if size <= 0:
            shown = {"max_size": "maxSize"}.get(name, name)
            message = f"a window's {shown} of {lengths[name]} is no length of time"
            yield Fault((*path, shown), message, "write a duration above zero, such as PT5M", lengths[name])
            return
    for small, large, shown in (("slide", "size", "size"), ("step", "max_size", "maxSize")):
        if small in sizes and large in sizes and sizes[large] % sizes[small]:
            message = f"the {shown} {lengths[large]} is no multiple of the {small} {lengths[small]}"
            yield Fault((*path, shown), message, f"make it a multiple of {lengths[small]}", lengths[large])


def windowing_faults(
    windowing: Windowing, columns: Columns, path: Path, *, behind_local: bool = False
) -> Iterator[Fault]:
    """Faults of windows that are inconsistent with the columns that define them.

    After a local aggregate, rows carry only the end of a window, in milliseconds.
    """
    yield from window_faults(windowing.window, (*path, "window"))
    time = windowing.time_attribute_type
    if not isinstance(time, TimestampBase):
        message = f"the type of the time attribute is {time}"
        yield Fault((*path, "timeAttributeType"), message, "make it a TIMESTAMP or TIMESTAMP_LTZ", str(time))
        return
    if windowing.is_rowtime != (time.kind is TimeKind.ROWTIME):
        message = f"`isRowtime` is {str(windowing.is_rowtime).lower()} for a time attribute of type {time}"
        yield Fault((*path, "isRowtime"), message, "make them agree", windowing.is_rowtime)
    match windowing:
        case TimeAttributeWindowing():
            place = (*path, "timeAttributeIndex")
            check = rowtime if windowing.is_rowtime else timestamp
            wrong = list(check(windowing.time_attribute_index, columns, place))
            yield from wrong
            if not wrong and not alike(columns[windowing.time_attribute_index], time):
                message = (
                    f"column {windowing.time_attribute_index} is {columns[windowing.time_attribute_index]}, not {time}"
                )
                yield Fault(place, message, "correct the index or the type", windowing.time_attribute_index)
            if isinstance(windowing.window, SessionWindow):
                keys = windowing.window.partition_key_indices
                yield from indices(keys, columns, (*path, "window", "partition_key_indices"))
        case WindowAttachedWindowing() if behind_local:
            yield from _milliseconds(windowing.window_end, columns, (*path, "windowEnd"))
        case WindowAttachedWindowing():
            for name, at in (("windowStart", windowing.window_start), ("windowEnd", windowing.window_end)):
                yield from timestamp(at, columns, (*path, name))
        case SliceAttachedWindowing():
            yield from _milliseconds(windowing.slice_end, columns, (*path, "sliceEnd"))


def _milliseconds(at: int, columns: Columns, path: Path) -> Iterator[Fault]:
    yield from index(at, columns, path)
    if 0 <= at < len(columns) and not alike(columns[at], BIGINT):
        message = f"the end of a window is column {at} of type {columns[at]}, which is not BIGINT"
        yield Fault(path, message, "name the last column of the local aggregate", at)


def property_faults(properties: tuple[NamedWindowProperty, ...], time: LogicalType) -> Iterator[Fault]:
    """Faults of window columns whose type differs from the time attribute."""
    for at, item in enumerate(properties):
        type_ = item.property.reference.type
        if not alike(type_, time, kinds=True):
            place = ("namedWindowProperties", at, "property", "reference", "type")
            yield Fault(place, f"the window is one of {time}, not of {type_}", f"make it {time}", str(type_))


def property_types(properties: tuple[NamedWindowProperty, ...], time: LogicalType) -> Columns:
    """The types of window columns, on the clock of a time attribute's type."""
    return tuple(_PROPERTY_TYPES.get(item.property.kind, time) for item in properties)


_LOCAL, _PROCTIME = TimestampType(precision=3), TimestampLtzType(precision=3)
_PROPERTY_TYPES: dict[str, LogicalType] = {"WindowStart": _LOCAL, "WindowEnd": _LOCAL, "Proctime": _PROCTIME}


def group_window_faults(window: GroupWindow, columns: Columns, path: Path) -> Iterator[Fault]:
    """Faults of a window in GROUP BY that is inconsistent with its time attribute, or has no length."""
    field = window.time_field
    place = (*path, "timeField", "fieldIndex")
    wrong = list(timestamp(field.field_index, columns, place))
    yield from wrong
    if not wrong and not alike(columns[field.field_index], field.field_type, kinds=True):
        message = f"column {field.field_index} is {columns[field.field_index]}, and the field says {field.field_type}"
        yield Fault((*path, "timeField", "fieldType"), message, "correct the index or the type", str(field.field_type))
    timed = getattr(window, "is_time_window", True)
    for name in ("size", "slide", "gap"):
        length = getattr(window, name, None)
        if length is None:
            continue
        if isinstance(length, str) != timed:
            wanted = "a duration, such as PT5M" if timed else "a number of rows"
            yield Fault((*path, name), f"a window's {name} of {length!r} is not {wanted}", f"write {wanted}", length)
        elif (parse_iso_duration(length) if isinstance(length, str) else length) <= 0:
            yield Fault((*path, name), f"a window's {name} of {length} is no length", "write more than zero", length)
