"""Programs of any number of operators in a chain, and the rows that they make."""

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
        query: the query of the view at a place, over the one below.
        step: the rows that it makes of those below; `t` has an `s` for each row of its own.
    """

    query: Callable[[int, str], str]
    step: Callable[[int, Rows], Rows]

    def program(self, count: int) -> str:
        """The views, and the INSERT of the last."""
        views = "".join(
            f"CREATE TEMPORARY VIEW v{at} AS {self.query(at, f'v{at - 1}' if at else 't')};\n" for at in range(count)
        )
        return f"{views}INSERT INTO o SELECT id, s FROM v{count - 1};"

    def rows(self, rows: Iterable[dict[str, Any]], count: int) -> Counter[str]:
        """What table `o` has in the end, as `left` gives it."""
        result = [(row["id"], row["s"]) for row in rows]
        for at in range(count):
            result = self.step(at, result)
        return counted({"id": key, "s": text} for key, text in result)


def _greatest(rows: Rows, by: int) -> Rows:
    """The greatest value of the other column, of each value of one."""
    greatest: dict[Any, tuple[int, str]] = {}
    for row in rows:
        greatest[row[by]] = max(greatest.get(row[by], row), row, key=lambda candidate: candidate[1 - by])
    return list(greatest.values())


def _aggregate(at: int, below: str) -> str:
    # By `id` and by `s` in turn: over a unique key an aggregate is none, and Flink leaves it out.
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
    # The other kinds keep the rows that there are.
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
    """Rows with how often each is there."""
    return Counter(json.dumps(row, sort_keys=True) for row in rows)


def left(changes: Iterable[dict[str, Any]]) -> Counter[str]:
    """The rows that changes, as format `debezium-json` writes them, leave."""
    counts: Counter[str] = Counter()
    for change in changes:
        counts.update(counted([change["after"]] if change["after"] is not None else []))
        counts.subtract(counted([change["before"]] if change["before"] is not None else []))
    return Counter({row: count for row, count in counts.items() if count})
