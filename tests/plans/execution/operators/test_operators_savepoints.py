"""Columns with a processing time in rows that continue Flink's state."""

from __future__ import annotations

from tests.plans.execution.savepoint.test_rank import sink
from tests.support.kernel.harness import Change, Harness, Savepoint, Step, short


def test_a_stored_row_has_the_time_of_its_last_write(harness: Harness) -> None:
    types = ["STRING", "TIMESTAMP", "TIMESTAMP"]
    spec = sink(inputTypes=[types], outputTypes=types, upsertKey=[0])
    rows = {"state": "values", "key": ["a"], "value": [["a", None, None]], "written": 1000}
    step = Step(2000, [Change("+I", ("b", None, None), key="a"), Change("-D", ("b", None, None), key="a")])
    (answer,) = harness.run(spec, [step], savepoint=Savepoint([rows], facts={"proctimes": [[1]]}))
    assert short(answer.out)[1] == "+U(a, 1970-01-01T00:00:01Z, null)"
