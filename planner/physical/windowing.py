"""Windows in the form of plans and of descriptions.

Source: Flink 2.3's plans.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from compiled_plan.planner.algebra.windows import ByTime, Property, Window, Windowing, WindowKind
from compiled_plan.planner.options.settings import Settings
from compiled_plan.planner.physical.base import make, unsupported
from compiled_plan.planner.physical.describe import names_text
from compiled_plan.planner.physical.traits import MiniBatchMode
from compiled_plan.plans.nodes import windows as w
from compiled_plan.plans.nodes.window import EMIT_REMEDY
from compiled_plan.plans.text.durations import format_duration, format_iso_duration
from compiled_plan.plans.types import TimestampBase
from compiled_plan.plans.types.temporal import is_rowtime

#: The name of an aggregate's window in plans.
ALIAS = "w$"

_TIME_ZONE = "table.local-time-zone"
#: Options that make a window emit before its end, and again after it.
_EMISSIONS = ("table.exec.emit.early-fire.enabled", "table.exec.emit.late-fire.enabled")


def time_zone(settings: Settings) -> dict[str, str]:
    """The options that window nodes store."""
    return settings.subset(_TIME_ZONE)


def check_emission(settings: Settings) -> None:
    """Raise if windows are to emit before their end, or again after it.

    Raises:
        UnsupportedError: names the option.
    """
    for option in _EMISSIONS:
        if settings.boolean(option):
            raise unsupported(f"{option} = true", where=f"SET '{option}'", remedy=EMIT_REMEDY)


# --- plans ----------------------------------------------------------------------------------------------------------


def _iso(milliseconds: int | None) -> str | None:
    return None if milliseconds is None else format_iso_duration(milliseconds)


def plan_window(window: Window) -> w.Window:
    """A window in the form of plans."""
    return _PLAN_WINDOWS[window.kind](window)


_PLAN_WINDOWS: dict[WindowKind, Callable[[Window], w.Window]] = {
    WindowKind.TUMBLE: lambda window: make(w.TumblingWindow)(
        size=format_iso_duration(window.size), offset=_iso(window.offset)
    ),
    WindowKind.HOP: lambda window: make(w.HoppingWindow)(
        size=format_iso_duration(window.size), slide=format_iso_duration(window.step or 0), offset=_iso(window.offset)
    ),
    WindowKind.CUMULATE: lambda window: make(w.CumulativeWindow)(
        max_size=format_iso_duration(window.size),
        step=format_iso_duration(window.step or 0),
        offset=_iso(window.offset),
    ),
    WindowKind.SESSION: lambda window: make(w.SessionWindow)(
        gap=format_iso_duration(window.size), partition_key_indices=window.partition
    ),
}


def plan_windowing(windowing: Windowing) -> w.TimeAttributeWindowing | w.WindowAttachedWindowing:
    """The windowing strategy in the form of plans."""
    window, rowtime = plan_window(windowing.window), is_rowtime(windowing.time)
    if isinstance(windowing, ByTime):
        return make(w.TimeAttributeWindowing)(
            window=window,
            time_attribute_type=windowing.time,
            time_attribute_index=windowing.index,
            is_rowtime=rowtime,
        )
    return make(w.WindowAttachedWindowing)(
        window=window,
        time_attribute_type=windowing.time,
        window_start=windowing.start,
        window_end=windowing.end,
        is_rowtime=rowtime,
    )


def plan_properties(
    properties: Sequence[tuple[str, Property]], time: TimestampBase
) -> tuple[w.NamedWindowProperty, ...]:
    """Window properties in the form of plans."""
    return tuple(
        make(w.NamedWindowProperty)(
            name=name,
            property=make(w.WindowProperty)(
                kind=property_.value, reference=make(w.WindowReference)(name=ALIAS, type=time)
            ),
        )
        for name, property_ in properties
    )


# --- descriptions ---------------------------------------------------------------------------------------------------


def window_text(window: Window, of: str, names: Sequence[str]) -> str:
    """A window as text, `TUMBLE(time_col=[ts], size=[10 min])`; `of` names the column that assigns rows to it."""
    size, step = format_duration(window.size), format_duration(window.step or 0)
    parts = [of]
    match window.kind:
        case WindowKind.TUMBLE:
            parts.append(f"size=[{size}]")
        case WindowKind.HOP:
            parts += [f"size=[{size}]", f"slide=[{step}]"]
        case WindowKind.CUMULATE:
            parts += [f"max_size=[{size}]", f"step=[{step}]"]
        case WindowKind.SESSION:
            parts.append(f"gap=[{size}]")
    if window.offset is not None:
        parts.append(f"offset=[{format_duration(window.offset)}]")
    if window.partition:
        parts.append(f"partition keys=[{names_text(window.partition, names)}]")
    return f"{window.kind.value}({', '.join(parts)})"


def windowing_text(windowing: Windowing, names: Sequence[str]) -> str:
    """The windowing strategy as text, with these column names."""
    if isinstance(windowing, ByTime):
        return window_text(windowing.window, f"time_col=[{names[windowing.index]}]", names)
    of = f"win_start=[{names[windowing.start]}], win_end=[{names[windowing.end]}]"
    return window_text(windowing.window, of, names)


def batches_of(windowing: Windowing) -> MiniBatchMode:
    """The mini-batches that a window operator requires."""
    return MiniBatchMode.ROWTIME if is_rowtime(windowing.time) else MiniBatchMode.PROCTIME
