"""All entries as Parquet, read back."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow.dataset as ds
import pytest

from compiled_plan.plans.errors import ExecutionError
from compiled_plan.plans.execution.state.reading.entries import export
from tests.plans.execution.state.reading.programs import HOUR, Looked
from tests.plans.execution.state.reading.test_figures import written


def exported(looked: Looked, sink: str, folder: Path) -> list[dict[str, Any]]:
    target = folder / "export"
    count = export(looked.reader, looked.operator(sink), str(target))
    rows: list[dict[str, Any]] = ds.dataset(str(target)).to_table().to_pylist()
    assert len(rows) == count
    return rows


def test_an_aggregate_has_a_row_for_each_key(looked: Looked, tmp_path: Path) -> None:
    rows = exported(looked, "by_two", tmp_path)
    keys = {(row["key"]["item"], row["key"]["d"]): row["rows"] for row in rows}
    assert keys == {
        ("nut", date(2024, 1, 1)): 2,
        ("nut", date(2024, 1, 3)): 1,
        ("bolt", date(2024, 1, 2)): 1,
        (None, None): 1,
        ('O\'Neil, "x"', date(2024, 1, 3)): 1,
    }
    then = datetime.fromtimestamp(written(looked.figures("by_two")) / 1000, UTC)
    assert {row["last_write"] for row in rows} == {then}
    assert {(row["expires"] - then).total_seconds() for row in rows} == {HOUR / 1000}
    assert len({row["key_text"] for row in rows}) == 5


@pytest.mark.wide
def test_a_join_has_a_row_for_each_row_of_each_side(looked: Looked, tmp_path: Path) -> None:
    rows = exported(looked, "left_join", tmp_path)
    left = [row for row in rows if row["entries"] == "input0"]
    right = [row for row in rows if row["entries"] == "input1"]
    assert sorted(row["key"]["id"] for row in left) == [1, 2, 3, 4, 5, 6]
    assert {row["input1_row"] for row in left} == {None}
    assert sorted(row["input1_row"]["place"] for row in right) == ["nut", "port", "yard"]
    # The right side never expires.
    assert {row["expires"] for row in right} == {None}
    assert all((row["expires"] - row["last_write"]).total_seconds() == 2 * HOUR / 1000 for row in left)


def test_rows_have_the_types_of_their_columns(looked: Looked, tmp_path: Path) -> None:
    rows = exported(looked, "ranked", tmp_path)
    assert {row["row"]["price"] for row in rows if row["key"]["item"] == "nut"} == {Decimal("9.50"), Decimal("7.25")}
    assert len(rows) == 5


def test_windows_have_a_row_each(looked: Looked, tmp_path: Path) -> None:
    rows = exported(looked, "tumbled", tmp_path)
    assert {(row["key"]["item"], row["firstEnd"]) for row in rows} == {
        ("nut", datetime(2024, 1, 1, 10, 40)),
        ('O\'Neil, "x"', datetime(2024, 1, 1, 10, 40)),
    }
    assert {row["aggregates"]["SUM(price)"] is None for row in rows} == {False}


@pytest.mark.wide
@pytest.mark.parametrize("sink", ["over_rows", "versions", "matched", "near", "sessions", "keyed", "normalized"])
def test_no_key_is_left_out(sink: str, looked: Looked, tmp_path: Path) -> None:
    rows = exported(looked, sink, tmp_path)
    assert len({row["key_text"] for row in rows}) == looked.figures(sink).keys


def test_a_folder_that_is_there_stays_as_it_is(looked: Looked, tmp_path: Path) -> None:
    (tmp_path / "there").write_text("mine")
    with pytest.raises(ExecutionError, match="there is a file or folder of that name"):
        export(looked.reader, looked.operator("ranked"), str(tmp_path / "there"))
    assert (tmp_path / "there").read_text() == "mine"
