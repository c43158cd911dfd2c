"""Rules for OVER aggregates."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from compiled_plan.plans.inspection.diff.judging import Edited, Judgement, verdict
from compiled_plan.plans.inspection.diff.lists import listed
from compiled_plan.plans.inspection.diff.model import Verdict
from compiled_plan.plans.inspection.lineage.meaning import Meaning
from compiled_plan.plans.inspection.lineage.rules.over import COLUMN_OVER
from compiled_plan.plans.inspection.lineage.shifts import Shift

_OVER = ("over-aggregate",)


@verdict("aggregates", of=_OVER)
def aggregates(edited: Edited) -> Iterator[Judgement]:
    """Sums stand beside the rows of a frame: what was never taken in must not be taken out."""
    items = edited.list
    if added := items.added:
        if _column_over(edited):
            why = (
                f"{listed(added)} is computed of the rows that are kept; results of rows from before come with the next"
            )
            yield edited.finding(Verdict.PARTIAL, why, listed=True)
        elif all(_reach(frame) is not None for frame in _frames(edited)):
            # Made of the rows of the frame, which are kept; columns that these lack are said of the columns.
            yield edited.finding(Verdict.FULL, listed=True)
        else:
            why = f"{listed(added)} begins empty: for keys that are there already it lacks the rows from before"
            yield edited.finding(Verdict.PARTIAL, why, listed=True)
    elif computed := items.shifted(Shift.FINER | Shift.COMPUTED):
        why = f"what {listed(computed)} took in before was rounded to the old type"
        yield edited.finding(Verdict.PARTIAL, why, listed=True)
    else:
        yield edited.finding(Verdict.FULL, listed=True)


@verdict("frame", of=_OVER)
def frame(edited: Edited) -> Iterator[Judgement]:
    """Rows that have left the frame are gone."""
    old, new = (each.items[0].meaning if each and each.items else None for each in (edited.old, edited.new))
    reach = [_reach(each) for each in (old, new)]
    units = [each.plain if each is not None else None for each in (old, new)]
    if reach[0] is None or reach[1] is None or units[0] != units[1]:
        yield edited.finding(Verdict.INCOMPATIBLE, "which rows are in the new frame is not known")
    elif reach[1] > reach[0]:
        why = (
            "rows that have left the old frame when the next one of their key comes are gone: results lack them until "
            "the new frame holds new rows alone"
        )
        yield edited.finding(Verdict.PARTIAL, why)
    elif units[1] == "ROWS":
        why = "one row leaves the frame for each that comes: it would stay as long as it was"
        yield edited.finding(Verdict.INCOMPATIBLE, why)
    else:
        yield edited.finding(Verdict.FULL, given="results over the longer frame were given, and stay")


def _column_over(edited: Edited) -> bool:
    return edited.pair.values("operator") == (COLUMN_OVER, COLUMN_OVER)


def _frames(edited: Edited) -> Iterator[Meaning | None]:
    name = replace(edited.present, subject="frame").name
    for found in edited.pair.property(name):
        yield found.items[0].meaning if found is not None and found.items else None


def _reach(frame: Meaning | None) -> float | None:
    """How far a frame reaches back in rows or ms; None for all rows before."""
    bound = frame.parts[0] if frame is not None and frame.parts else None
    if bound is None or bound.head != "bound":
        return None
    number = bound.parts[0].plain[0] if bound.parts[0].head == "literal" else None
    return float(number) if isinstance(number, int | float | str) and _is_number(number) else 0.0


def _is_number(value: object) -> bool:
    try:
        float(str(value))
    except ValueError:
        return False
    return True
