"""Changes to tables."""

from __future__ import annotations

from compiled_plan.plans.execution.chunks import Chunk
from compiled_plan.plans.types import parse_type, row_of
from compiled_plan.results.changelog import ChangelogTable, as_changes, as_table

NAN = float("nan")


def test_remaining_rows_are_in_the_order_of_their_last_change() -> None:
    first, second = Chunk([0, 0, 0], [[1, 2, 1]]), Chunk([1, 2, 3], [[1, 3, 2]])
    assert as_table([first, second], 1).columns == [[1, 3]]


def test_the_last_of_equal_rows_is_removed() -> None:
    assert as_table([Chunk([0, 0, 0, 3], [["x", "y", "x", "x"]])], 1).columns == [["x", "y"]]


def test_equal_values_of_different_types_are_different_rows() -> None:
    rows = [1, True, 0.0, -0.0, NAN, [1], {"a": 1}, {"a": True}]
    for gone in range(len(rows)):
        left = as_table([Chunk([0] * len(rows), [rows]), Chunk([3], [[rows[gone]]])], 1).columns[0]
        assert list(map(repr, left)) == [repr(row) for at, row in enumerate(rows) if at != gone]


def test_retracting_a_missing_row_has_no_effect() -> None:
    assert as_table([Chunk([3, 0], [[1, 1]])], 1).columns == [[1]]


def test_changes_have_an_additional_column() -> None:
    row_type, chunks = as_changes(row_of(("a",), (parse_type("INT"),)), [Chunk([0, 3], [[1, 2]])])
    assert str(row_type) == "ROW<`op` VARCHAR(2) NOT NULL, `a` INT>"
    assert chunks == [Chunk([0, 0], [["+I", "-D"], [1, 2]])]
    own, _ = as_changes(row_of(("_op", "op"), (parse_type("INT"),) * 2), ())
    assert own.names == ("__op", "_op", "op")


def test_an_updated_row_stays_at_its_place() -> None:
    table = ChangelogTable(in_place=True)
    table.apply(Chunk([0, 0, 0], [["a", "b", "c"], [1, 1, 1]]))
    table.apply(Chunk([1, 1, 2, 2, 3], [["a", "b", "a", "b", "c"], [1, 1, 2, 2, 1]]))
    assert table.rows() == [("a", 2), ("b", 2)] and len(table) == 2
    table.apply(Chunk([1], [["a"], [2]]))
    assert table.rows() == [("b", 2)] and len(table) == 1
    table.apply(Chunk([2, 0], [["a", "d"], [3, 1]]))
    assert table.rows() == [("a", 3), ("b", 2), ("d", 1)]


def test_a_table_keeps_its_last_rows() -> None:
    table = ChangelogTable(in_place=True, most=2)
    table.apply(Chunk([0, 0, 0, 3], [[1, 2, 3, 1]]))
    assert table.rows() == [(2,), (3,)]
    table.apply(Chunk([1, 0, 2], [[2, 4, 5]]))
    assert table.rows() == [(4,), (5,)]
