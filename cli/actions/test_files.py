"""The files of tests, and their changes."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from compiled_plan.cli.common.terminal import fail
from compiled_plan.plans.errors import CompiledPlanError
from compiled_plan.testing.cases import Case, cases_in, files_in, no_tests

_POLL_SECONDS = 0.3


def chosen_cases(places: Sequence[str], names: str, debug: bool) -> tuple[list[Case], bool]:
    """The chosen tests, and True if a file was refused."""
    cases: list[Case] = []
    refused = False
    for place in places:
        try:
            files = files_in(place)
            if not files:
                raise no_tests(place)
            for file in files:
                cases += cases_in(file)
        except CompiledPlanError as fault:
            fail(fault, debug=debug)
            refused = True
    chosen = [case for case in cases if names.lower() in f"{case.document.path} {case.name}".lower()]
    if cases and not chosen:
        fail(no_tests(" and ".join(places), names), debug=debug)
        refused = True
    return chosen, refused


def wait_for_change(places: Sequence[str], cases: Sequence[Case], before: Mapping[Path, int]) -> None:
    """Wait until a file of the tests, or one that they name, has other times than before."""
    while times_of(places, cases) == before:
        time.sleep(_POLL_SECONDS)


def times_of(places: Sequence[str], cases: Sequence[Case]) -> dict[Path, int]:
    """Times of the last change of the files of tests and of those that they name, in ns."""
    named = [file for case in cases for file in case.files]
    files = {*(file for place in places for file in files_in(place)), *map(Path, named)}
    return {file: file.stat().st_mtime_ns for file in files if file.exists()}
