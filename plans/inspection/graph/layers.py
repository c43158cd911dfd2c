"""Layout of a directed graph from left to right, in columns.

The steps are those of Sugiyama, Tagawa and Toda ("Methods for Visual Understanding of Hierarchical System Structures",
1981): columns by the longest path from a source, an order in each column that reduces crossings, then positions that
straighten edges. An edge across several columns gets a position in each of them, so that it passes between nodes.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean

#: Number of sweeps over the columns in each direction.
_SWEEPS = 6
#: Height of a node and of a passing edge, in rows.
_NODE, _EDGE = 1.0, 0.4

#: An item of a column: a node's id, or an edge (its number) that passes a column.
Place = tuple[str, int, int]
Pairs = Sequence[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Layers:
    """Coordinates of the nodes and edges of a drawing."""

    rank: Mapping[int, int]  # the column of each node, from 0
    row: Mapping[int, float]  # vertical position of each node, in rows; the smallest is 0
    order: Mapping[int, int]  # index of each node in its column, from 0
    via: tuple[tuple[float, ...], ...]  # for each edge its vertical positions in the columns between its ends, in rows


def layers_of(nodes: Sequence[int], edges: Pairs) -> Layers:
    """Lay out an acyclic graph; `nodes` are in topological order."""
    if not nodes:
        return Layers({}, {}, {}, ())
    rank = _ranks(nodes, edges)
    columns: list[list[Place]] = [[] for _ in range(max(rank.values()) + 1)]
    for node in nodes:
        columns[rank[node]].append(_node(node))
    before: dict[Place, list[Place]] = {}
    behind: dict[Place, list[Place]] = {}
    for number, (start, end) in enumerate(edges):
        path = [_node(start), *(("edge", number, at) for at in range(rank[start] + 1, rank[end])), _node(end)]
        for at, place in zip(range(rank[start] + 1, rank[end]), path[1:-1], strict=True):
            columns[at].append(place)
        for left, right in pairwise(path):
            behind.setdefault(left, []).append(right)
            before.setdefault(right, []).append(left)
    _order(columns, before, behind)
    row = _rows(columns, before, behind)
    order = {
        place[1]: at for column in columns for at, place in enumerate(place for place in column if place[0] == "node")
    }
    via = tuple(
        tuple(row["edge", number, at] for at in range(rank[start] + 1, rank[end]))
        for number, (start, end) in enumerate(edges)
    )
    return Layers(rank, {node: row[_node(node)] for node in nodes}, order, via)


def _node(node: int) -> Place:
    return ("node", node, 0)


def _ranks(nodes: Sequence[int], edges: Pairs) -> dict[int, int]:
    """The longest path from a source; then nodes are moved right, next to their targets, if nothing holds them back."""
    before: dict[int, list[int]] = {node: [] for node in nodes}
    behind: dict[int, list[int]] = {node: [] for node in nodes}
    for start, end in edges:
        before[end].append(start)
        behind[start].append(end)
    rank: dict[int, int] = {}
    for node in nodes:
        rank[node] = max((rank[source] + 1 for source in before[node]), default=0)
    for node in reversed(nodes):
        # A node with one consumer and at most one input may stand right before its consumer.
        if behind[node] and len(before[node]) <= 1 and all(len(behind[source]) == 1 for source in before[node]):
            rank[node] = min(rank[target] for target in behind[node]) - 1
    return rank


def _order(
    columns: list[list[Place]], before: Mapping[Place, Sequence[Place]], behind: Mapping[Place, Sequence[Place]]
) -> None:
    """Sort each column by the mean position of the neighbours, in sweeps; items without neighbours do not move."""
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
        positions = [at[neighbour] for neighbour in near.get(place, ())]
        return fmean(positions) if positions else own[place]

    return sorted(column, key=key)


def _crossings(columns: Sequence[Sequence[Place]], behind: Mapping[Place, Sequence[Place]]) -> int:
    """Number of edge crossings between adjacent columns."""
    count = 0
    for column, right in pairwise(columns):
        at = {place: number for number, place in enumerate(right)}
        ends = [at[end] for place in column for end in sorted(behind.get(place, ()), key=at.__getitem__)]
        # Count inversions by inserting into a sorted list.
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
    """Vertical position of each place: near its neighbours, in the order of its column, without overlap."""
    row: dict[Place, float] = {}
    for column in columns:
        row |= zip(column, _spread([0.0] * len(column), column), strict=True)

    def settle(order: Sequence[Sequence[Place]], near: Callable[[Place], Sequence[Place]]) -> None:
        for column in order:
            wanted = [
                fmean(row[neighbour] for neighbour in near(place)) if near(place) else row[place] for place in column
            ]
            row.update(zip(column, _spread(wanted, column), strict=True))

    for _ in range(_SWEEPS):
        settle(columns, lambda place: before.get(place, ()))
        settle(columns[::-1], lambda place: behind.get(place, ()))
    settle(columns, lambda place: (*before.get(place, ()), *behind.get(place, ())))
    top = min(row.values())
    return {place: round(at - top, 2) for place, at in row.items()}


def _spread(wanted: Sequence[float], column: Sequence[Place]) -> list[float]:
    """The rows nearest to those wanted (least squares) that keep order and distance: pooling of adjacent violators."""
    offsets: list[float] = []
    for at, place in enumerate(column):
        room = 0.0 if at == 0 else (_room(column[at - 1]) + _room(place)) / 2
        offsets.append(room + (offsets[-1] if offsets else 0.0))
    pools: list[tuple[float, int]] = []
    for want, offset in zip(wanted, offsets, strict=True):
        total, count = want - offset, 1
        while pools and pools[-1][0] / pools[-1][1] > total / count:
            upper_total, upper_count = pools.pop()
            total, count = total + upper_total, count + upper_count
        pools.append((total, count))
    bases = [total / count for total, count in pools for _ in range(count)]
    return [base + offset for base, offset in zip(bases, offsets, strict=True)]


def _room(place: Place) -> float:
    return _NODE if place[0] == "node" else _EDGE
