"""Plans of previews."""

from __future__ import annotations

import json
from collections.abc import Mapping

from compiled_plan.compiling.previews import preview_plan
from compiled_plan.service.common.outside import check_outside, compiling_within
from compiled_plan.service.common.places import Allowed, AllowedFields
from compiled_plan.service.workers.tasks.own_tests import check_java, own_case
from compiled_plan.service.workers.tasks.unmasking import fill
from compiled_plan.testing.sampling import sample_of


def preview(
    at: int | str,
    rows: int,
    text: str,
    settings: Mapping[str, str],
    old: str | None,
    allowed: AllowedFields,
    known: str,
    tests: str = "",
    test: str = "",
) -> str:
    """The plan of a preview.

    Args:
        at: the position of the cursor in the script, or a table of the script.
        rows: the maximum number of rows.
        tests: a file of tests.
        test: the test whose rows take the place of the sources; empty for the sources.
        text, settings, old, allowed, known: as for `compile_`.
    """
    case = own_case(tests, test) if test else None
    may, filled = Allowed(**allowed), fill(text, known, None if old is None else json.loads(old))
    with filled.unseen(), compiling_within(may):
        compiled = preview_plan({**settings, **(case.settings if case is not None else {})}, filled.text, at, rows)
    plan = compiled.to_json()
    document = json.loads(plan)
    check_outside(document, may)
    if case is not None:
        check_java(document, may)
        sample_of(case, compiled)
    filled.check(document)
    return plan
