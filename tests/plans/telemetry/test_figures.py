"""Figures of a run from its messages."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from compiled_plan.plans.inspection.graph.document import Graph, GraphEdge, GraphNode
from compiled_plan.plans.telemetry.figures import Window, edge_figures
from tests.support.progress_messages import BEGUN, batch


def test_rates_growth_and_time_of_operators() -> None:
    figures = Window(batch(number) for number in range(1, 311)).figures()
    assert figures is not None
    assert (figures.in_per_second, figures.out_per_second, figures.watermark_lag_ms) == (100, 30, 5000)
    join, aggregate = figures.operators
    assert (join.in_per_second, join.out_per_second, join.late) == ([60, 40], 50, 2)
    assert (join.rows_per_hour, join.bytes_per_hour) == (36_000, 3_600_000)
    assert (join.busy, join.busiest, aggregate.busiest) == (0.2, True, False)
    assert join.hot_keys[0].share == 0.75
    assert figures.sources[0].per_second == 100
    assert (figures.state_bytes, figures.bytes_per_hour) == (620_000, 7_200_000)


@pytest.mark.parametrize(("seconds", "growth"), [(60, None), (290, None), (310, 0.0), (2000, 0.0)])
def test_state_that_fills_up_to_its_ttl_does_not_grow(seconds: int, growth: float | None) -> None:
    # A TTL of 30 seconds; 2000 micro-batches are more than a window keeps.
    messages = (batch(number, stateRows=10 * min(number, 30)) for number in range(1, seconds + 1))
    figures = Window(messages).figures()
    assert figures is not None
    assert figures.operators[0].rows_per_hour == growth


def test_growth_is_unknown_while_the_clock_is_behind_the_first_micro_batch() -> None:
    figures = Window([batch(1000), batch(900)]).figures()
    assert figures is not None
    assert figures.operators[0].rows_per_hour is None


def test_growth_is_known_of_short_micro_batches() -> None:
    def short(number: int) -> dict[str, Any]:
        at = BEGUN + timedelta(seconds=number / 5)
        return batch(number) | {"at": at.isoformat(timespec="milliseconds")}

    figures = Window(short(number) for number in range(1, 3000)).figures()
    assert figures is not None
    assert figures.operators[0].rows_per_hour == 180_000


def test_percentiles_are_measured_values_and_a_backlog_delays() -> None:
    messages = [batch(number) | {"batchMillis": 100 * number} for number in range(1, 11)]
    figures = Window(messages).figures()
    assert figures is not None
    assert (figures.batch_ms.p50, figures.batch_ms.p99) == (500, 1000)
    fast = Window(batch(number) for number in range(1, 6)).figures()
    slow = Window([*(batch(number) for number in range(1, 5)), batch(5, lag=900)]).figures()
    assert fast is not None and fast.delay_ms is not None and slow is not None and slow.delay_ms is not None
    # Before it is read a row waits for the previous micro-batch, the pause, and its own; ten times with a backlog.
    assert fast.delay_ms.p99 == 1500
    assert slow.delay_ms.p99 == 15_000
    assert slow.lag == 900
    assert slow.last_delay_ms == 15_000


def test_a_slow_micro_batch_stays_the_last_delay_for_15_seconds() -> None:
    def last_delay(batches: int) -> float | None:
        messages = (batch(number) | {"batchMillis": 9000 if number == 5 else 500} for number in range(1, batches + 1))
        figures = Window(messages).figures()
        assert figures is not None
        return figures.last_delay_ms

    # A row that came when the slow one was planned waits for it, the pause, and the next one.
    assert (last_delay(6), last_delay(20), last_delay(21)) == (10_000, 10_000, 1500)


def test_an_idle_run_has_no_rates_and_a_start_begins_anew() -> None:
    window = Window(batch(number) for number in range(1, 31))
    idle = window.figures((BEGUN + timedelta(minutes=5)).timestamp())
    assert idle is not None
    assert (idle.in_per_second, idle.operators[0].busy, idle.operators[0].in_per_second) == (0, 0, [0, 0])
    window.take({"event": "start"})
    assert window.figures() is None


def test_messages_of_earlier_releases_have_fewer_figures() -> None:
    old = {key: value for key, value in batch(7).items() if key != "slots"}
    named = ("uid", "rowsIn", "rowsOut", "stateRows", "stateBytes")
    old["operators"] = [{name: old["operators"][0][name] for name in named}]
    figures = Window([old]).figures()
    assert figures is not None
    assert (figures.operators[0].busy, figures.operators[0].in_per_second, figures.operators[0].late) == (None, [], 0)


@pytest.mark.parametrize("sinks", [1, 2])
def test_edges_have_the_rate_that_an_end_counts(sinks: int) -> None:
    def node(id_: int, role: str = "operator", uid: str = "") -> GraphNode:
        return GraphNode.model_construct(id=id_, role=role, uid=uid)

    def edge(source: int, target: int, port: int = 0) -> GraphEdge:
        return GraphEdge.model_construct(source=source, target=target, port=port)

    nodes = [
        node(1, "source"),
        node(2),
        node(3, uid="join-1"),
        node(4),
        node(5),
        *(node(6 + n, "sink") for n in range(sinks)),
    ]
    edges = [edge(1, 2), edge(2, 3, 1), edge(3, 4), edge(4, 5), *(edge(5, 6 + n) for n in range(sinks))]
    figures = Window(batch(number) for number in range(1, 31)).figures()
    assert figures is not None
    graph = Graph.model_construct(nodes=nodes, edges=edges)
    rates = {(rate.source, rate.target): rate.per_second for rate in edge_figures(graph, figures)}
    # Between two operators without counters the rate is unknown, as are those of several sinks.
    assert rates == {(1, 2): 100, (2, 3): 40, (3, 4): 50} | ({(5, 6): 30} if sinks == 1 else {})
