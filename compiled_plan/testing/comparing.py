"""Comparison of expected and actual rows: changes in order by key, tables in any order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

from compiled_plan.plans.types import RowType
from compiled_plan.testing.values import comparable, shown, written_value

#: The kinds of changes after which a row is there.
ADDS = ("+I", "+U")


@dataclass(frozen=True, slots=True)
class Change:
    """A row with its kind of change; values are internal."""

    kind: str
    row: tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Difference:
    """Expected and actual rows of a table.

    Args:
        table: the table, as in the test.
        lines: one line per row: its mark (` ` equal, `-` missing, `+` extra) and text.
        columns: remarks on columns that differ in similar rows.
    """

    table: str
    lines: tuple[tuple[str, str], ...]
    columns: tuple[str, ...] = ()


def table_of(changes: Sequence[Change], row_type: RowType, key: Sequence[int]) -> list[Change]:
    """The rows that changes result in, by key if there is one, otherwise by all columns."""
    rows: dict[Hashable, list[tuple[object, ...]]] = {}
    for change in changes:
        whole = comparable(change.row, row_type)
        of_key = rows.setdefault(tuple(whole[at] for at in key) if key else whole, [])
        if change.kind in ADDS:
            if key:
                of_key.clear()
            of_key.append(change.row)
        elif change.kind == "-D" or not key or _last(of_key, row_type) == whole:
            del of_key[-1:]
    return [Change("+I", row) for left in rows.values() for row in left]


def _last(rows: Sequence[tuple[object, ...]], row_type: RowType) -> object:
    return comparable(rows[-1], row_type) if rows else None


def differences(
    table: str,
    expected: Sequence[Change],
    actual: Sequence[Change],
    row_type: RowType,
    key: Sequence[int],
    *,
    in_order: bool,
) -> Difference | None:
    """Compare rows; None if they are equal.

    Args:
        table: the name of the table, for the result.
        key: the columns of the primary key: changes of one key have an order, of different ones none.
        in_order: compare kinds and that order, too.
    """
    want, got = (_keyed(rows, row_type, key, in_order) for rows in (expected, actual))
    if want == got:
        return None
    missing, extra = Counter(_rows(expected, row_type)), Counter(_rows(actual, row_type))
    lines: list[tuple[str, str]] = []
    if missing == extra:
        lines = [("-", _text(change, row_type, in_order)) for change in expected]
        lines += [("+", _text(change, row_type, in_order)) for change in actual]
        return Difference(table, tuple(lines), ("the rows are equal, their order within a key is not",))
    left = missing & extra
    lost: list[Change] = []
    for change, row in zip(expected, _rows(expected, row_type), strict=True):
        mark = " " if left[row] > 0 else "-"
        left[row] -= 1
        lines.append((mark, _text(change, row_type, in_order)))
        lost += [change] if mark == "-" else []
    left, surplus = missing & extra, list[Change]()
    for change, row in zip(actual, _rows(actual, row_type), strict=True):
        if left[row] > 0:
            left[row] -= 1
            continue
        lines.append(("+", _text(change, row_type, in_order)))
        surplus.append(change)
    return Difference(table, tuple(lines), tuple(_columns(lost, surplus, row_type)))


def _keyed(rows: Sequence[Change], row_type: RowType, key: Sequence[int], in_order: bool) -> object:
    if not (in_order and key):
        return Counter(_rows(rows, row_type))
    by_key: dict[Hashable, list[Hashable]] = {}
    for whole in _rows(rows, row_type):
        by_key.setdefault(tuple(whole[1][at] for at in key), []).append(whole)
    return by_key


def _rows(rows: Sequence[Change], row_type: RowType) -> list[tuple[str, Any]]:
    return [(change.kind, comparable(change.row, row_type)) for change in rows]


def _columns(lost: Sequence[Change], surplus: Sequence[Change], row_type: RowType) -> list[str]:
    """By missing row, the columns in which the most similar extra row differs."""
    remarks, rest = [], list(surplus)
    for change in lost:
        near = max(rest, key=lambda candidate: _alike(change, candidate, row_type), default=None)
        if near is None or not _alike(change, near, row_type):
            continue
        rest.remove(near)
        parts = [f"kind: expected {change.kind}, got {near.kind}"] if change.kind != near.kind else []
        for at, field in enumerate(row_type.fields):
            if comparable(change.row[at], field.type) != comparable(near.row[at], field.type):
                want, got = (shown(written_value(row[at], field.type)) for row in (change.row, near.row))
                parts.append(f"{field.name}: expected {want}, got {got}")
        remarks.append("; ".join(parts))
    return remarks


def _alike(left: Change, right: Change, row_type: RowType) -> int:
    equal = sum(
        comparable(a, field.type) == comparable(b, field.type)
        for a, b, field in zip(left.row, right.row, row_type.fields, strict=True)
    )
    return 2 * equal + (left.kind == right.kind) if equal or len(row_type.fields) == 1 else 0


def _text(change: Change, row_type: RowType, kinds: bool) -> str:
    row = row_text(change, row_type)
    return f"{change.kind} {row}" if kinds else row


def row_text(change: Change, row_type: RowType) -> str:
    """A row as flow YAML."""
    return shown(written_value(change.row, row_type))
