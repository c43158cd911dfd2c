"""Joins and top-n by window columns, evaluated per window.

Source: Flink's pages "Window JOIN", "Window Top-N", "Window Deduplication"; Flink 2.3's plans.
"""

from __future__ import annotations

from dataclasses import replace

from compiled_plan.planner.algebra.expressions import conjunction, conjuncts, is_call
from compiled_plan.planner.algebra.nodes import Join, Rank, RelNode
from compiled_plan.planner.algebra.windows import Attached, WindowDeduplicate, WindowJoin, WindowRank
from compiled_plan.planner.rules.helpers.window_columns import WindowColumns, Windows
from compiled_plan.plans.errors import UnsupportedError
from compiled_plan.plans.rex import InputRef, RexNode
from compiled_plan.plans.types.temporal import is_attribute, is_rowtime


def as_window_join(rel: Join, windows: Windows) -> WindowJoin | None:
    """A join with equal starts and equal ends of the same windows; None for another join.

    Raises:
        UnsupportedError: the windows are of processing time.
    """
    left, right = windows.of(rel.left), windows.of(rel.right)
    if left is None or right is None or not _same_windows(left, right):
        return None
    width = len(rel.left.row_type.fields)
    starts, ends, rest = None, None, []
    for part in conjuncts(rel.condition):
        pair = _pair(part, width)
        if pair is not None and pair[0] in left.starts and pair[1] in right.starts:
            starts = starts or pair
        elif pair is not None and pair[0] in left.ends and pair[1] in right.ends:
            ends = ends or pair
        else:
            # Rows of one window compare their times directly.
            rest.append(part)
    if starts is None or ends is None:
        return None
    if not is_rowtime(left.time):
        raise UnsupportedError(
            "a window join in processing time is not supported",
            remedy="make the windows over a column that has a WATERMARK",
        )
    return WindowJoin(
        rel.left,
        rel.right,
        rel.kind,
        conjunction(rest),
        Attached(left.window, left.time, starts[0], ends[0]),
        Attached(right.window, right.time, starts[1], ends[1]),
    )


def _same_windows(left: WindowColumns, right: WindowColumns) -> bool:
    same = replace(left.window, partition=()) == replace(right.window, partition=())
    return same and (type(left.time), left.time.kind) == (type(right.time), right.time.kind)


def _pair(part: RexNode, width: int) -> tuple[int, int] | None:
    """The columns that an equality compares, one of each side."""
    if not (is_call(part, "$=$1") or is_call(part, "$IS NOT DISTINCT FROM$1")):
        return None
    left, right = part.children()
    if not isinstance(left, InputRef) or not isinstance(right, InputRef):
        return None
    low, high = sorted((left.index, right.index))
    return (low, high - width) if low < width <= high else None


def as_window_rank(rel: Rank, windows: Windows) -> RelNode | None:
    """A top-n per start and end of a window; None for another top-n.

    Raises:
        UnsupportedError: the windows are of processing time; the limit is a column.
    """
    shown = windows.of(rel.input)
    partition = frozenset(rel.partition)
    if shown is None or not shown.has_bounds(partition):
        return None
    start, end = min(shown.starts & partition), min(shown.ends & partition)
    windowing = Attached(shown.window, shown.time, start, end)
    operation = "window top-n"
    keys = tuple(index for index in rel.partition if index not in shown.every)
    row = rel.input.row_type
    first = rel.order[0] if len(rel.order) == 1 else None
    by_time = first is not None and is_attribute(row.types[first.index])
    deduplicates = by_time and rel.rank_column is None and (rel.start, rel.end) == (1, 1)
    if deduplicates and rel.function == "ROW_NUMBER":
        operation = "window deduplication"
    if not is_rowtime(shown.time):
        raise UnsupportedError(
            f"a {operation} in processing time is not supported",
            remedy="make the windows over a column that has a WATERMARK",
        )
    if rel.end_column is not None:
        raise UnsupportedError(
            "a window top-n whose number of rows is a column is not supported", remedy="write the number out"
        )
    if deduplicates and rel.function == "ROW_NUMBER" and first is not None:
        return WindowDeduplicate(rel.input, keys, first.index, not first.ascending, windowing)
    return WindowRank(rel.input, keys, rel.order, rel.start, rel.end, windowing, rel.columns, rel.function)
