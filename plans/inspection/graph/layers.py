"""Where the nodes of a directed graph stand when it is drawn from left to right, in columns.

The steps are those of Sugiyama, Tagawa and Toda ("Methods for Visual Understanding of Hierarchical System Structures",
1981): columns by the longest way from a source, an order in each column that avoids crossings, then places that keep
edges straight. An edge over several columns gets a place in each of them, so that it passes between nodes.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean

#: How often the columns are gone through in each direction.
_SWEEPS = 6
#: The room of a node and that of an edge that passes by, in rows.
_NODE, _EDGE = 1.0, 0.4

#: A place in a column: a node's id, or an edge (its number) that passes a column.
Place = tuple[str, int, int]
Pairs = Sequence[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Layers:
    """A drawing."""

    rank: Mapping[int, int]  # the column of each node, from 0
    row: Mapping[int, float]  # how far down each node stands, in rows; the least is 0
    order: Mapping[int, int]  # which one of its column each node is, from 0
    via: tuple[tuple[float, ...], ...]  # for each edge the rows at which it passes the columns between its ends


def layers_of(nodes: Sequence[int], edges: Pairs) -> Layers:
    """Lay out a graph without cycles, whose nodes stand behind those that they have edges from."""
    if not nodes:
        return Layers({}, {}, {}, ())
    rank = _ranks(nodes, edges)
    columns: list[list[Place]] = [[] for _ in range(max(rank.values()) + 1)]
    for node in nodes:
        columns[rank[node]].append(_node(node))
    before: dict[Place, list[Place]] = {}
    behind: dict[Place, list[Place]] = {}
    for number, (start, end) in enumerate(edges):
        way = [_node(start), *(("edge", number, at) for at in range(rank[start] + 1, rank[end])), _node(end)]
        for at, place in zip(range(rank[start] + 1, rank[end]), way[1:-1], strict=True):
            columns[at].append(place)
        for one, other in pairwise(way):
            behind.setdefault(one, []).append(other)
            before.setdefault(other, []).append(one)
    _order(columns, before, behind)
    row = _rows(columns, before, behind)
    order = {
        place[1]: at for column in columns for at, place in enumerate(each for each in column if each[0] == "node")
    }
    via = tuple(
        tuple(row["edge", number, at] for at in range(rank[start] + 1, rank[end]))
        for number, (start, end) in enumerate(edges)
    )
    return Layers(rank, {node: row[_node(node)] for node in nodes}, order, via)


def _node(node: int) -> Place:
    return ("node", node, 0)


def _ranks(nodes: Sequence[int], edges: Pairs) -> dict[int, int]:
    """The longest way from a source; then each as far to the right as those behind it allow, if nothing is before."""
    before: dict[int, list[int]] = {node: [] for node in nodes}
    behind: dict[int, list[int]] = {node: [] for node in nodes}
    for start, end in edges:
        before[end].append(start)
        behind[start].append(end)
    rank: dict[int, int] = {}
    for node in nodes:
        rank[node] = max((rank[each] + 1 for each in before[node]), default=0)
    for node in reversed(nodes):
        # A node with one way out and at most one in may stand right before what reads it.
        if behind[node] and len(before[node]) <= 1 and all(len(behind[each]) == 1 for each in before[node]):
            rank[node] = min(rank[each] for each in behind[node]) - 1
    return rank


def _order(
    columns: list[list[Place]], before: Mapping[Place, Sequence[Place]], behind: Mapping[Place, Sequence[Place]]
) -> None:
    """Sort each column by the mean place of the neighbours, to and fro; what has none stays where it is."""
    best, least = [list(column) for column in columns], _crossings(columns, behind)
    for _ in range(_SWEEPS):
        for at in range(1, len(columns)):
            columns[at] = _sorted(columns[at], columns[at - 1], before)
        for at in range(len(columns) - 2, -1, -1):
            columns[at] = _sorted(columns[at], columns[at + 1], behind)
        count = _crossings(columns, behind)
        if count < least:
            best, least = [list(column) for column in columns], count
    columns[:] = best


def _sorted(column: list[Place], beside: Sequence[Place], near: Mapping[Place, Sequence[Place]]) -> list[Place]:
    at = {place: number / max(len(beside) - 1, 1) for number, place in enumerate(beside)}
    own = {place: number / max(len(column) - 1, 1) for number, place in enumerate(column)}

    def key(place: Place) -> float:
        found = [at[each] for each in near.get(place, ())]
        return fmean(found) if found else own[place]

    return sorted(column, key=key)


def _crossings(columns: Sequence[Sequence[Place]], behind: Mapping[Place, Sequence[Place]]) -> int:
    """How many pairs of edges cross between neighbouring columns."""
    count = 0
    for column, right in pairwise(columns):
        at = {place: number for number, place in enumerate(right)}
        ends = [at[end] for place in column for end in sorted(behind.get(place, ()), key=at.__getitem__)]
        # Inversions, by inserting into a sorted list.
        count += _inversions(ends)
    return count


def _inversions(numbers: Sequence[int]) -> int:
    seen: list[int] = []
    count = 0
    for number in numbers:
        count += len(seen) - bisect_right(seen, number)
        insort(seen, number)
    return count


def _rows(
    columns: Sequence[Sequence[Place]], before: Mapping[Place, Sequence[Place]], behind: Mapping[Place, Sequence[Place]]
) -> dict[Place, float]:
    """How far down each place is: near its neighbours, in the order of its column, with room between."""
    row: dict[Place, float] = {}
    for column in columns:
        row |= zip(column, _spread([0.0] * len(column), column), strict=True)

    def settle(order: Sequence[Sequence[Place]], near: Callable[[Place], Sequence[Place]]) -> None:
        for column in order:
            wanted = [fmean(row[each] for each in near(place)) if near(place) else row[place] for place in column]
            row.update(zip(column, _spread(wanted, column), strict=True))

    for _ in range(_SWEEPS):
        settle(columns, lambda place: before.get(place, ()))
        settle(columns[::-1], lambda place: behind.get(place, ()))
    settle(columns, lambda place: (*before.get(place, ()), *behind.get(place, ())))
    top = min(row.values())
    return {place: round(at - top, 2) for place, at in row.items()}


def _spread(wanted: Sequence[float], column: Sequence[Place]) -> list[float]:
    """The rows nearest to those wanted (by squares) that keep order and room: pooling of adjacent violators."""
    offsets: list[float] = []
    for at, place in enumerate(column):
        room = 0.0 if at == 0 else (_room(column[at - 1]) + _room(place)) / 2
        offsets.append(room + (offsets[-1] if offsets else 0.0))
    pools: list[tuple[float, int]] = []
    for want, offset in zip(wanted, offsets, strict=True):
        total, count = want - offset, 1
        while pools and pools[-1][0] / pools[-1][1] > total / count:
            other, others = pools.pop()
            total, count = total + other, count + others
        pools.append((total, count))
    bases = [total / count for total, count in pools for _ in range(count)]
    return [base + offset for base, offset in zip(bases, offsets, strict=True)]


def _room(place: Place) -> float:
    return _NODE if place[0] == "node" else _EDGE
