"""Rules for joins that keep rows: regular, of many inputs, by interval, temporal, in windows."""

from __future__ import annotations

from collections.abc import Iterator

from compiled_plan.plans.inspection.diff.judging import Edited, Judgement, Pair, verdict
from compiled_plan.plans.inspection.diff.model import Verdict
from compiled_plan.plans.inspection.lineage.shifts import Shift

#: Joins that look for matches once the time has come: rows that were joined are gone, or carry no count of matches.
_BY_TIME = ("temporal-join", "window-join")
_ALL = ("join", "multi-join", "interval-join", *_BY_TIME)
#: By type, the sides whose rows come out without a match, too.
_PADDED = {"INNER": (), "LEFT": ("left",), "RIGHT": ("right",), "FULL": ("left", "right")}


@verdict("join type", of=_ALL)
def join_type(edited: Edited) -> Iterator[Judgement]:
    """Padded rows of the past are not given again, and not taken back."""
    old, new = edited.values
    if old not in _PADDED or new not in _PADDED:
        why = f"what is kept for {old} says which rows matched, and {new} gives other rows"
        yield edited.finding(Verdict.INCOMPATIBLE, why)
        return
    came = [side for side in _PADDED[new] if side not in _PADDED[old]]
    went = [side for side in _PADDED[old] if side not in _PADDED[new]]
    parts = []
    if came:
        rows = f"rows of the {' and of the '.join(came)} side from before"
        if edited.pair.new.kind in _BY_TIME:
            parts.append(f"{rows} that found nothing were dropped, and do not come out")
        elif edited.pair.new.kind == "interval-join":
            parts.append(f"{rows} that found nothing and are gone do not come out")
        else:
            parts.append(
                f"{rows} count as without a match that was never given: those without one do not come out, and the "
                "next match of one takes back a padded row that nobody got"
            )
    if went:
        parts.append(f"padded rows of the {' and of the '.join(went)} side that came out before stay")
    yield edited.finding(Verdict.PARTIAL, "; ".join(parts))


@verdict("join types", of=("multi-join",))
def join_types(edited: Edited) -> Iterator[Judgement]:
    """As with two inputs, if only inner joins become outer ones or the other way round."""
    why = "padded rows of the past are not given, and those that came out stay"
    same = len(edited.values[0]) == len(edited.values[1])
    yield edited.finding(Verdict.PARTIAL if same else Verdict.INCOMPATIBLE, why if same else "other inputs are joined")


@verdict("condition", of=_ALL)
def condition(edited: Edited) -> Iterator[Judgement]:
    """An inner join looks for matches anew with every row; others have counted them by the old condition."""
    items = edited.list
    if not items.added and not items.dropped and not items.shift & (Shift.FINER | Shift.COMPUTED):
        yield edited.finding(Verdict.FULL, listed=True)
    elif edited.pair.new.kind in _BY_TIME:
        yield edited.finding(Verdict.PARTIAL, "what came out by the old condition stays", listed=True)
    elif _is_inner(edited.pair):
        why = "pairs of rows that came out by the old condition stay, and those that it kept apart do not come"
        yield edited.finding(Verdict.PARTIAL, why, listed=True)
    else:
        why = "how many matches each row has was counted by the old condition"
        yield edited.finding(Verdict.INCOMPATIBLE, why, listed=True)


def _is_inner(pair: Pair) -> bool:
    of_two = all(type_ in (None, "INNER") for type_ in pair.values("join type"))
    return of_two and all(type_ == "INNER" for types in pair.values("join types") for type_ in types or ())


@verdict("null keys", of=_ALL)
def null_keys(edited: Edited) -> Iterator[Judgement]:
    """Rows whose key is NULL were kept or not."""
    _, new = edited.values
    why = (
        "rows from before whose key is NULL were not kept, and find nobody"
        if not all(new)
        else "what rows whose key is NULL gave before stays"
    )
    yield edited.finding(Verdict.PARTIAL, why)


@verdict("unique keys", of=("join", "multi-join"))
def unique_keys(edited: Edited) -> Iterator[Judgement]:
    """A row takes the place of the one of its key where there is one."""
    if not edited.pair.appends(edited.present.input):
        # What takes rows back keeps each key once, whether anybody says so or not.
        yield edited.finding(Verdict.FULL)
        return
    gained = bool(edited.new and edited.new.items)
    why = (
        "rows from before that have one key in common are all kept"
        if gained
        else "of rows from before that had a key in common only the last one is kept"
    )
    yield edited.finding(Verdict.PARTIAL, why)


@verdict("times", of=("interval-join", "temporal-join"))
def times(edited: Edited) -> Iterator[Judgement]:
    """Rows are kept by their times."""
    if not edited.list.added and not edited.list.dropped:
        yield edited.finding(Verdict.FULL, listed=True)
    else:
        yield edited.finding(Verdict.INCOMPATIBLE, "rows are kept by the old time", listed=True)


@verdict("bounds", of=("interval-join",))
def bounds(edited: Edited) -> Iterator[Judgement]:
    """Rows are kept for as long as the bounds say."""
    (old_low, old_high), (new_low, new_high) = edited.values
    wider = new_low < old_low or new_high > old_high
    narrower = new_low > old_low or new_high < old_high
    stays = "pairs of rows that the new bounds keep apart came out before, and stay"
    if not _is_inner(edited.pair):
        stays = f"{stays}: those rows do not come out without a match as well"
    if wider:
        why = "rows that were too old for the old bounds are gone, and pairs of rows from before do not come"
        yield edited.finding(Verdict.PARTIAL, f"{why}; {stays}" if narrower else why)
    else:
        yield edited.finding(Verdict.FULL, given=stays)
