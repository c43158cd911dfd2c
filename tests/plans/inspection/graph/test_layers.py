from __future__ import annotations

import random
import time
from itertools import pairwise

import pytest

from compiled_plan.plans.inspection.graph.layers import layers_of

DIAMOND = ([1, 2, 3, 4], [(1, 2), (1, 3), (2, 4), (3, 4)])


def test_a_node_is_right_of_what_it_reads() -> None:
    found = layers_of(*DIAMOND)
    assert found.rank == {1: 0, 2: 1, 3: 1, 4: 2}
    assert found.row[1] == found.row[4] == (found.row[2] + found.row[3]) / 2
    assert abs(found.row[2] - found.row[3]) >= 1


def test_a_source_stands_beside_what_reads_it() -> None:
    found = layers_of([1, 2, 3, 9, 4], [(1, 2), (2, 3), (3, 4), (9, 4)])
    assert found.rank[9] == found.rank[4] - 1


def test_an_edge_over_several_columns_passes_between_nodes() -> None:
    found = layers_of([1, 2, 3, 4], [(1, 2), (2, 3), (3, 4), (1, 4)])
    assert [len(each) for each in found.via] == [0, 0, 0, 2]
    for at, row in enumerate(found.via[3], 1):
        (node,) = (each for each in found.rank if found.rank[each] == at)
        assert abs(found.row[node] - row) >= 0.7


def test_two_inputs_of_one_node_and_no_node() -> None:
    assert layers_of([1, 2], [(1, 2), (1, 2)]).via == ((), ())
    assert layers_of([], []).rank == {}


def test_no_crossing_where_none_is_needed() -> None:
    found = layers_of([1, 2, 3, 4, 5, 6], [(1, 6), (2, 5), (3, 4)])
    order = sorted([1, 2, 3], key=lambda each: found.row[each])
    assert [found.row[end] for end in ({1: 6, 2: 5, 3: 4}[each] for each in order)] == sorted(
        found.row[end] for end in (4, 5, 6)
    )


@pytest.mark.parametrize("seed", range(20))
def test_of_random_graphs_nodes_keep_their_room(seed: int) -> None:
    chance = random.Random(seed)
    nodes = list(range(chance.randint(2, 60)))
    edges = [(start, end) for end in nodes[1:] for start in chance.sample(range(end), min(end, chance.randint(0, 2)))]
    found = layers_of(nodes, edges)
    assert all(found.rank[start] < found.rank[end] for start, end in edges)
    for rank in set(found.rank.values()):
        column = sorted((node for node in nodes if found.rank[node] == rank), key=lambda each: found.order[each])
        assert [found.order[node] for node in column] == list(range(len(column)))
        assert all(found.row[two] - found.row[one] >= 0.99 for one, two in pairwise(column))
    assert min(found.row.values()) >= 0


def test_two_hundred_nodes_take_no_time() -> None:
    nodes = list(range(200))
    edges = [(max(0, end - back), end) for end in nodes[1:] for back in (1, 7)]
    begin = time.process_time()
    layers_of(nodes, edges)
    assert time.process_time() - begin < 2
