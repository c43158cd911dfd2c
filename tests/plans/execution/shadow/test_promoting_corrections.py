"""Corrections of a promotion: a shadow compares the tables beside the old run, and again what has changed since."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from compiled_plan.plans.errors import CheckpointError, UnsupportedError
from compiled_plan.plans.execution.shadow.report import ShadowReport
from compiled_plan.plans.execution.state.upgrade.corrections import Correction
from compiled_plan.plans.execution.state.upgrade.rewinding import rewind
from compiled_plan.plans.execution.state.upgrade.rollback import roll_back
from compiled_plan.plans.plan import CompiledPlan
from tests.plans.execution.shadow.test_promoting import promoted
from tests.plans.execution.state.checkpoint.places import Place
from tests.plans.execution.state.upgrade.test_corrections import (
    BY_TOWN,
    CHANGES,
    TOTALS,
    compiled,
    corrected,
    difference,
    from_scratch,
    place,
    rows,
    sale,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["place"]
#: Rows of the time after the comparison: of keys that were equal, that differed, and that are new.
LATER: Mapping[str, Any] = {
    "sales": [sale("x", 10), sale("y", 1, "open"), sale("z", 2, "open", 5), sale("w", 8), sale("u", 3, "open")],
    "shops": [{"shop": "w", "town": "b"}, {"shop": "u", "town": "e"}],
}


def started(place: Place, plan: CompiledPlan) -> list[Correction]:
    """Start a plan without options; return the corrections that it has sent."""
    run, corrections = place.started(plan), list[Correction]()
    run.start.on_corrected = corrections.append
    run.execute()
    return corrections


def promote(place: Place, old: CompiledPlan, new: CompiledPlan) -> None:
    """Promote a corrected program; the old run reads more rows meanwhile."""

    def run_on(report: ShadowReport) -> None:
        if report.rounds == 1:
            place.add(dict(LATER))
            place.run(old)

    report = promoted(place, new, run_on, upgrade="correct")
    assert (report.rows_in > 0, report.promoted) == (True, 2), report


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.sampled(2)
def test_tables_are_as_after_a_run_from_scratch(place: Place, change: str) -> None:
    old, new = CHANGES[change]
    name = "towns" if old is BY_TOWN else "totals"
    place.run(compiled(place, old))
    place.add({"sales": [sale("x", 4), sale("y", 6, "open", 9), sale("v", 1)], "shops": [{"shop": "v", "town": "c"}]})
    place.run(compiled(place, old))
    promote(place, compiled(place, old), compiled(place, new))
    before, fresh = rows(place.folder, name), rows(place.folder, name, from_scratch(place, new))
    (correction,) = started(place, compiled(place, new))
    assert rows(place.folder, name) == fresh != before
    counts = (correction.equal, correction.inserted, correction.updated, correction.deleted)
    assert (counts, correction.sent) == (difference(before, fresh), True)
    place.add({"sales": [sale("x", 10), sale("q", 20, "open")], "shops": [{"shop": "q", "town": "d"}]})
    assert started(place, compiled(place, new)) == []
    assert place.heads() == [(1, "start"), (2, "promote")]
    assert rows(place.folder, name) == rows(place.folder, name, from_scratch(place, new))


def test_a_rollback_is_corrected_by_the_old_program(place: Place) -> None:
    old, new = (compiled(place, statement) for statement in CHANGES["an added filter"])
    place.run(old)
    promote(place, old, new)
    before = rows(place.folder, "totals")
    for next_step in (lambda: rewind(place.spark, str(place.checkpoint), "1/0"), lambda: promoted(place, new)):
        with pytest.raises(CheckpointError, match="was interrupted before it had corrected"):
            next_step()
    started(place, new)
    after = rows(place.folder, "totals")
    roll_back(place.spark, str(place.checkpoint))
    (correction,) = corrected(place, old)
    assert correction.rows == 3
    assert rows(place.folder, "totals") == before != after


@pytest.mark.wide
def test_rows_that_a_rewind_has_left_are_taken_back(place: Place) -> None:
    """The copy of the checkpoint does not have its earlier generations."""
    old, new = (compiled(place, statement) for statement in CHANGES["an added filter"])
    place.run(old)
    place.add({"sales": [sale("x", 100), sale("v", 1)]})
    place.run(old)
    rewind(place.spark, str(place.checkpoint), "0")
    (place.folder / "sales" / "2.json").unlink()
    assert promoted(place, old, upgrade="correct").promoted == 3
    assert [correction.rows for correction in started(place, old)] == [2]
    assert promoted(place, new, upgrade="correct").promoted == 4
    assert [correction.rows for correction in started(place, new)] == [1]
    assert rows(place.folder, "totals") == {"x": (3,), "z": (7,)}


def test_tables_that_the_old_run_does_not_write_are_refused(place: Place) -> None:
    place.run(compiled(place, TOTALS))
    both = f"EXECUTE STATEMENT SET BEGIN {TOTALS}; {BY_TOWN}; END"
    with pytest.raises(UnsupportedError, match=r"--promote cannot correct .*towns") as refused:
        promoted(place, compiled(place, both), upgrade="correct")
    assert "stop the old run" in str(refused.value)
    assert place.heads() == [(1, "start")]
