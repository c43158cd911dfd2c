from __future__ import annotations

import random
import time
from itertools import pairwise

import pytest

from compiled_plan.plans.inspection.graph.layers import layers_of

DIAMOND = ([1, 2, 3, 4], [(1, 2), (1, 3), (2, 4), (3, 4)])


def test_a_node_is_right_of_what_it_reads() -> None:
    layers = layers_of(*DIAMOND)
    assert layers.rank == {1: 0, 2: 1, 3: 1, 4: 2}
    assert layers.row[1] == layers.row[4] == (layers.row[2] + layers.row[3]) / 2
    assert abs(layers.row[2] - layers.row[3]) >= 1


def test_a_source_stands_beside_what_reads_it() -> None:
    layers = layers_of([1, 2, 3, 9, 4], [(1, 2), (2, 3), (3, 4), (9, 4)])
    assert layers.rank[9] == layers.rank[4] - 1


def test_an_edge_over_several_columns_passes_between_nodes() -> None:
    layers = layers_of([1, 2, 3, 4], [(1, 2), (2, 3), (3, 4), (1, 4)])
    assert [len(via) for via in layers.via] == [0, 0, 0, 2]
    for at, row in enumerate(layers.via[3], 1):
        (node,) = (node for node in layers.rank if layers.rank[node] == at)
        assert abs(layers.row[node] - row) >= 0.7


def test_two_inputs_of_one_node_and_no_node() -> None:
    assert layers_of([1, 2], [(1, 2), (1, 2)]).via == ((), ())
    assert layers_of([], []).rank == {}


def test_no_crossing_where_none_is_needed() -> None:
    layers = layers_of([1, 2, 3, 4, 5, 6], [(1, 6), (2, 5), (3, 4)])
    order = sorted([1, 2, 3], key=lambda node: layers.row[node])
    assert [layers.row[end] for end in ({1: 6, 2: 5, 3: 4}[node] for node in order)] == sorted(
        layers.row[end] for end in (4, 5, 6)
    )


@pytest.mark.parametrize("seed", range(20))
def test_of_random_graphs_nodes_keep_their_room(seed: int) -> None:
    chance = random.Random(seed)
    nodes = list(range(chance.randint(2, 60)))
    edges = [(start, end) for end in nodes[1:] for start in chance.sample(range(end), min(end, chance.randint(0, 2)))]
    layers = layers_of(nodes, edges)
    assert all(layers.rank[start] < layers.rank[end] for start, end in edges)
    for rank in set(layers.rank.values()):
        column = sorted((node for node in nodes if layers.rank[node] == rank), key=lambda node: layers.order[node])
        assert [layers.order[node] for node in column] == list(range(len(column)))
        assert all(layers.row[two] - layers.row[one] >= 0.99 for one, two in pairwise(column))
    assert min(layers.row.values()) >= 0


def test_two_hundred_nodes_are_placed_quickly() -> None:
    nodes = list(range(200))
    edges = [(max(0, end - back), end) for end in nodes[1:] for back in (1, 7)]
    begin = time.process_time()
    layers_of(nodes, edges)
    assert time.process_time() - begin < 2
