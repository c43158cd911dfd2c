"""Windows: their sizes, and how a row is assigned to them."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from plans.durations import parse_iso_duration
from plans.errors import PlanError
from plans.nodes.base import Always, Bool, Int, PlanModel
from plans.nodes.fields import TypeJson, wrapped


def _checked(text: str) -> str:
    try:
        parse_iso_duration(text)
    except PlanError as fault:
        raise wrapped(fault) from None
    return text


#: A length of time as Flink writes it in windows, `PT5M`.
IsoDuration = Annotated[str, AfterValidator(_checked)]


class TumblingWindow(PlanModel):
    """Windows of one size, one after another."""

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
    partition_key_indices: tuple[Int, ...] = Field(alias="partition_key_indices")


Window = Annotated[TumblingWindow | HoppingWindow | CumulativeWindow | SessionWindow, Field(discriminator="type")]


class TimeAttributeWindowing(PlanModel):
    """A row's windows follow from its time attribute."""

    strategy: Always[Literal["TimeAttribute"]] = "TimeAttribute"
    window: Window
    time_attribute_type: TypeJson
    time_attribute_index: Int
    is_rowtime: Bool


class WindowAttachedWindowing(PlanModel):
    """A row carries its window's start and end as columns."""

    strategy: Always[Literal["WindowAttached"]] = "WindowAttached"
    window: Window
    time_attribute_type: TypeJson
    window_start: Int
    window_end: Int
    is_rowtime: Bool


class SliceAttachedWindowing(PlanModel):
    """A row carries the end of its slice as a column, in milliseconds."""

    strategy: Always[Literal["SliceAttached"]] = "SliceAttached"
    window: Window
    time_attribute_type: TypeJson
    slice_end: Int
    is_rowtime: Bool


Windowing = Annotated[
    TimeAttributeWindowing | WindowAttachedWindowing | SliceAttachedWindowing, Field(discriminator="strategy")
]


class WindowReference(PlanModel):
    """The name of a window and the type of its time attribute."""

    name: str
    type: TypeJson


class WindowProperty(PlanModel):
    """What a window column shows."""

    kind: Literal["WindowStart", "WindowEnd", "Rowtime", "Proctime"]
    reference: WindowReference


class NamedWindowProperty(PlanModel):
    """An output column that shows a property of the window."""

    name: str
    property: WindowProperty


class TimeField(PlanModel):
    """The time attribute of a GROUP BY window."""

    field_name: str
    field_index: Int
    input_index: Int
    field_type: TypeJson


class TumblingGroupWindow(PlanModel):
    """`GROUP BY TUMBLE(...)`; a count of rows where `is_time_window` is false."""

    kind: Always[Literal["TUMBLING"]] = "TUMBLING"
    alias: WindowReference
    time_field: TimeField
    is_time_window: Bool
    size: IsoDuration | Int


class SlidingGroupWindow(PlanModel):
    """`GROUP BY HOP(...)`."""

    kind: Always[Literal["SLIDING"]] = "SLIDING"
    alias: WindowReference
    time_field: TimeField
    is_time_window: Bool
    size: IsoDuration | Int
    slide: IsoDuration | Int


class SessionGroupWindow(PlanModel):
    """`GROUP BY SESSION(...)`."""

    kind: Always[Literal["SESSION"]] = "SESSION"
    alias: WindowReference
    time_field: TimeField
    gap: IsoDuration


GroupWindow = Annotated[TumblingGroupWindow | SlidingGroupWindow | SessionGroupWindow, Field(discriminator="kind")]
