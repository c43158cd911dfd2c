"""Programs with any number of chained operators, and their results."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

Rows = list[tuple[int, str]]


@dataclass(frozen=True, slots=True)
class Chain:
    """A view over a view over ..., from table `t` (`id`, `x`, `s`) to table `o` (`id`, `s`).

    Args:
        query: the query of the view at a position, over the view below.
        step: the rows that the view makes of those below; every row of `t` has its own `s`.
    """

    query: Callable[[int, str], str]
    step: Callable[[int, Rows], Rows]

    def program(self, count: int) -> str:
        """The views, and the INSERT from the last one."""
        views = "".join(
            f"CREATE TEMPORARY VIEW v{at} AS {self.query(at, f'v{at - 1}' if at else 't')};\n" for at in range(count)
        )
        return f"{views}INSERT INTO o SELECT id, s FROM v{count - 1};"

    def rows(self, rows: Iterable[dict[str, Any]], count: int) -> Counter[str]:
        """The final rows of table `o`, as `left` returns them."""
        result = [(row["id"], row["s"]) for row in rows]
        for at in range(count):
            result = self.step(at, result)
        return counted({"id": key, "s": text} for key, text in result)


def _greatest(rows: Rows, by: int) -> Rows:
    """Per value of column `by`, the row with the greatest value of the other column."""
    greatest: dict[Any, tuple[int, str]] = {}
    for row in rows:
        greatest[row[by]] = max(greatest.get(row[by], row), row, key=lambda candidate: candidate[1 - by])
    return list(greatest.values())


def _aggregate(at: int, below: str) -> str:
    # By `id` and by `s` in turn: over a unique key Flink removes the aggregate.
    columns, key = (f"MAX(id) + {at} AS id, s", "s") if at % 2 else ("id, MAX(s) AS s", "id")
    return f"SELECT {columns} FROM {below} GROUP BY {key}"


def _aggregated(at: int, rows: Rows) -> Rows:
    greatest = _greatest(rows, by=at % 2)
    return [(key + at, text) for key, text in greatest] if at % 2 else greatest


_KINDS = (
    "SELECT id + 1 AS id, s FROM {below} WHERE id <> -{at}",
    "SELECT s, MAX(id) AS id FROM {below} GROUP BY s",
    "SELECT id, s FROM {below} UNION ALL SELECT id, s FROM t WHERE id < 0",
    "SELECT a.id, a.s FROM {below} AS a JOIN t AS b ON a.s = b.s AND b.id >= 0",
    "SELECT id, LOWER(s) AS s FROM (SELECT id, UPPER(s) AS s FROM {below}) WHERE id > -{at} - 1",
)


def _mixed(at: int, rows: Rows) -> Rows:
    # The other kinds of view keep their input rows.
    match at % len(_KINDS):
        case 0:
            return [(key + 1, text) for key, text in rows if key != -at]
        case 1:
            return _greatest(rows, by=1)
    return rows


#: Aggregates over aggregates.
AGGREGATES = Chain(_aggregate, _aggregated)
#: Filters, aggregates, unions, joins and projections in turn.
MIXED = Chain(lambda at, below: _KINDS[at % len(_KINDS)].format(at=at, below=below), _mixed)


def counted(rows: Iterable[dict[str, Any]]) -> Counter[str]:
    """Rows with their counts."""
    return Counter(json.dumps(row, sort_keys=True) for row in rows)


def left(changes: Iterable[dict[str, Any]]) -> Counter[str]:
    """The rows that remain after the changes that format `debezium-json` wrote."""
    counts: Counter[str] = Counter()
    for change in changes:
        counts.update(counted([change["after"]] if change["after"] is not None else []))
        counts.subtract(counted([change["before"]] if change["before"] is not None else []))
    return Counter({row: count for row, count in counts.items() if count})
