"""The way to a row of a sink: what each operator upstream holds for a key of the sink."""

from __future__ import annotations

import pytest

from compiled_plan.plans.errors import CheckpointError
from compiled_plan.plans.execution.state.reading.model import PathReport, PathStep
from compiled_plan.plans.execution.state.reading.paths import path_report
from tests.plans.execution.state.reading.programs import MATERIALIZED, Looked


def path(looked: Looked, sink: str, **key: str) -> PathReport:
    return path_report(looked.reader, sink, key)


def by_kind(report: PathReport) -> dict[str, PathStep]:
    return {step.kind: step for step in report.steps}


def test_an_operator_keyed_by_the_key_of_the_sink(looked: Looked) -> None:
    report = path(looked, "aggregate", a="nut")
    assert report.sink == "default_catalog.default_database.aggregate"
    (step,) = report.steps
    assert (step.kind, step.by_key, step.count) == ("group-aggregate", True, 1)
    assert step.columns == ({"a": "item"},)
    assert step.keys == looked.states("aggregate", item="nut")
    assert not path(looked, "aggregate", a="screw").steps[0].keys


def test_the_leading_columns_of_a_key(looked: Looked) -> None:
    (step,) = path(looked, "by_two", a="nut").steps
    assert (step.by_key, step.count) == (True, 2), "days of the item"


def test_an_operator_keyed_by_other_columns_is_searched(looked: Looked) -> None:
    (step,) = path(looked, "inner_join", a="nut").steps
    assert (step.by_key, step.count, step.columns) == (False, 3, ({"a": "item"}, {}))
    assert all('"nut"' in entry for entry in step.entries)
    (step,) = path(looked, "inner_join", b="port").steps
    assert (step.count, step.columns) == (1, ({}, {"b": "place"}))


def test_a_key_reaches_both_sides_of_a_join_by_it(looked: Looked) -> None:
    step = by_kind(path(looked, "versions", a="nut"))["temporal-join"]
    assert (step.by_key, step.columns) == (True, ({"a": "item"}, {"a": "item"}))


def test_all_operators_on_the_way_from_the_sink_on(looked: Looked) -> None:
    report = path(looked, MATERIALIZED, b="nut")
    assert [step.kind for step in report.steps] == ["sink-upsert-materializer", "group-aggregate"]
    materializer, aggregate = report.steps
    assert (materializer.by_key, materializer.count) == (False, 1), "its key is the count"
    assert (aggregate.by_key, aggregate.count) == (True, 1)


def test_a_computed_column_ends_the_way(looked: Looked) -> None:
    (step,) = path(looked, "aggregate", b="5").steps
    assert (step.by_key, step.columns, step.count) == (False, ({},), 0)


def test_null_and_texts_with_quotes(looked: Looked) -> None:
    assert path(looked, "aggregate", a="NULL").steps[0].count == 1
    assert path(looked, "inner_join", a="NULL").steps[0].count == 1
    assert path(looked, "inner_join", a='O\'Neil, "x"').steps[0].count == 1


def test_the_watermark_of_the_micro_batch(looked: Looked) -> None:
    report = path(looked, "tumbled", a="nut")
    assert report.watermark is not None
    step = by_kind(report)["window-aggregate"]
    assert step.by_key
    (key,) = [key for key in step.keys if key.timer is not None and key.timer > report.watermark]
    assert "nut" in key.key, "the window until 10:40 waits for the watermark"


@pytest.mark.parametrize(
    ("sink", "key", "says"),
    [
        ("totals", {"a": "x"}, "writes no table totals"),
        ("aggregat", {"a": "x"}, "did you mean"),
        ("aggregate", {"item": "x"}, "has no column item"),
    ],
)
def test_what_is_not_there_is_refused(looked: Looked, sink: str, key: dict[str, str], says: str) -> None:
    with pytest.raises(CheckpointError, match=says):
        path(looked, sink, **key)
