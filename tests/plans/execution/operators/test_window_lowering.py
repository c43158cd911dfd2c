"""Kernel parameters of windows, from plans of Flink."""

from __future__ import annotations

from typing import Any

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from compiled_plan.plans.errors import UnsupportedError
from compiled_plan.plans.execution.expressions import ExpressionContext
from compiled_plan.plans.execution.operators.base import (
    Flow,
    KeyedOperator,
    Lowering,
    has_event_time,
    is_keyed,
    is_stateless,
    lower_keyed,
)
from compiled_plan.plans.inspection.checked_plans import read_plan
from compiled_plan.plans.inspection.rules import check_runs
from compiled_plan.plans.plan import CompiledPlan
from tests.support.kernel.specs import kernel_parameters
from tests.support.plan_files import data_of

MINUTE = 60_000


def node_of(data: Any, type_: str) -> dict[str, Any]:
    result: dict[str, Any] = next(node for node in data["nodes"] if node["type"] == f"stream-exec-{type_}_1")
    return result


def lowered(data: Any, type_: str, zone: str = "UTC") -> tuple[KeyedOperator, bool]:
    """The operator of the node of a type, and whether it is in event time."""
    plan = CompiledPlan.from_dict(data)
    check_runs(plan)
    (node,) = (node for node in plan.nodes if node.type == f"stream-exec-{type_}_1")
    return lower_keyed(node, Lowering(plan, ExpressionContext(time_zone=zone))), has_event_time(node, plan)


def test_a_two_phase_aggregate_gets_the_columns_it_needs_and_the_time(session: SparkSession) -> None:
    operator, event_time = lowered(data_of("window/tumble_agg"), "global-window-aggregate")
    assert event_time
    assert operator.parameters.TYPE == "window-aggregate"
    plain = {"filter": -1, "distinct": False, "needRetract": False, "ignoreNulls": False, "python": None, "java": None}
    assert kernel_parameters(operator.parameters) == {
        "grouping": [0],
        "aggs": [
            {"function": "$COUNT$1", "args": [], **plain},
            {"function": "$SUM$1", "args": [1], **plain},
        ],
        "needRetraction": False,
        "properties": ["start", "end"],
        "window": {"type": "tumbling", "size": 5 * MINUTE, "offset": 0},
        "zone": None,
        "time": 2,
        "windowStart": None,
        "windowEnd": None,
        "dropNullTimes": False,
        "newestFirst": False,
    }
    port = operator.ports[0]
    assert [str(type_) for type_ in port.types] == ["VARCHAR(2147483647)", "INT", "BIGINT"]
    row = session.sql("SELECT 'u' AS usr, 1 AS dur, TIMESTAMP_NTZ'1970-01-01 00:07:00' AS ts")
    flow = Flow(F.lit(0), F.lit(0), F.lit(None), tuple(F.col(name) for name in row.columns))
    # A tumbling window is part of the key.
    (result,) = row.select(port.key(flow).alias("key"), F.array(*port.columns(flow)[2:]).alias("time")).collect()
    assert (result.key, result.time) == ("1:u,600000", [7 * MINUTE])


def test_windows_that_overlap_share_a_key(session: SparkSession) -> None:
    operator, _ = lowered(data_of("window/hop_agg"), "global-window-aggregate")
    assert kernel_parameters(operator.parameters)["window"] == {
        "type": "hopping",
        "size": 10 * MINUTE,
        "slide": 5 * MINUTE,
        "offset": 0,
    }
    assert kernel_parameters(operator.parameters)["newestFirst"]
    flow = Flow(F.lit(0), F.lit(0), F.lit(None), (F.lit("p"), F.lit(1), F.lit("2024-01-01").cast("timestamp_ntz")))
    (row,) = session.range(1).select(operator.ports[0].key(flow).alias("key")).collect()
    assert row.key == "=p"


def test_cumulative_windows_and_offsets() -> None:
    assert (
        kernel_parameters(lowered(data_of("cumulate"), "global-window-aggregate")[0].parameters)["window"]["type"]
        == "cumulative"
    )
    operator, _ = lowered(data_of("window/tumble_offset"), "global-window-aggregate")
    assert kernel_parameters(operator.parameters)["window"] == {
        "type": "tumbling",
        "size": 5 * MINUTE,
        "offset": 2 * MINUTE,
    }


def test_sessions() -> None:
    operator, event_time = lowered(data_of("window/session_no_partition"), "window-aggregate")
    assert (operator.parameters.TYPE, event_time) == ("session-aggregate", True)
    assert kernel_parameters(operator.parameters)["window"] == {"gap": 2 * MINUTE}


def test_windows_of_group_by() -> None:
    operator, event_time = lowered(data_of("group_window_hop"), "group-window-aggregate")
    assert (operator.parameters.TYPE, event_time) == ("window-aggregate", True)
    assert kernel_parameters(operator.parameters)["dropNullTimes"]
    assert not kernel_parameters(operator.parameters)["newestFirst"]
    assert kernel_parameters(operator.parameters)["properties"] == ["start", "end", "rowtime", "proctime"]


def test_windows_of_processing_time_lie_on_the_clock_of_the_zone() -> None:
    data = data_of("group_window_session_proctime")
    node_of(data, "group-window-aggregate")["configuration"].pop("table.local-time-zone")
    operator, event_time = lowered(data, "group-window-aggregate", zone="Asia/Kolkata")
    assert (operator.parameters.TYPE, event_time) == ("session-aggregate", False)
    assert kernel_parameters(operator.parameters)["zone"] == "Asia/Kolkata"
    assert kernel_parameters(operator.parameters)["time"] is None


def test_windows_of_a_number_of_rows() -> None:
    data = data_of("group_window_hop")
    node_of(data, "group-window-aggregate")["window"] |= {"isTimeWindow": False, "size": 3, "slide": 2}
    operator, _ = lowered(data, "group-window-aggregate")
    assert operator.parameters.TYPE == "count-window-aggregate"
    assert kernel_parameters(operator.parameters)["window"] == {"size": 3, "slide": 2}


def test_windows_that_rows_carry() -> None:
    data = data_of("window/tumble_agg")
    windowing = node_of(data, "local-window-aggregate")["windowing"]
    time = windowing.pop("timeAttributeIndex")
    windowing |= {"strategy": "WindowAttached", "windowStart": time, "windowEnd": time}
    operator, _ = lowered(data, "global-window-aggregate")
    assert kernel_parameters(operator.parameters)["window"] == {"type": "attached"}
    assert (
        kernel_parameters(operator.parameters)["windowStart"],
        kernel_parameters(operator.parameters)["windowEnd"],
    ) == (2, 3)


def test_a_global_aggregate_needs_its_local_one() -> None:
    data = data_of("window/tumble_agg")
    local, exchange = node_of(data, "local-window-aggregate"), node_of(data, "exchange")
    before = next(edge["source"] for edge in data["edges"] if edge["target"] == local["id"])
    data["nodes"].remove(local)
    data["edges"] = [edge for edge in data["edges"] if local["id"] not in (edge["source"], edge["target"])]
    data["edges"].append({"source": before, "target": exchange["id"], "shuffle": {"type": "FORWARD"}})
    for edge in data["edges"]:
        edge.setdefault("shuffleMode", "PIPELINED")
    _, findings = read_plan(data)
    assert any("not a local window aggregate" in finding.message for finding in findings)


def test_only_sessions_of_a_table_function_keep_state() -> None:
    data = data_of("window/window_topn_direct")
    node = node_of(data, "window-table-function")
    plan = CompiledPlan.from_dict(data)
    aligned = plan.node(node["id"])
    assert (is_keyed(aligned), is_stateless(aligned), aligned.uid) == (False, True, None)
    node["windowing"]["window"] = {"type": "SessionWindow", "gap": "PT5M", "partition_key_indices": [0]}
    operator, event_time = lowered(data, "window-table-function")
    assert (operator.parameters.TYPE, event_time, kernel_parameters(operator.parameters)["time"]) == (
        "session-rows",
        True,
        4,
    )
    assert CompiledPlan.from_dict(data).node(node["id"]).keeps_state


def test_top_n_and_deduplication() -> None:
    operator, event_time = lowered(data_of("window/window_topn_direct"), "window-rank")
    assert event_time
    assert kernel_parameters(operator.parameters) == {
        "windowEnds": [3],
        "zone": None,
        "orderBy": [{"index": 1, "ascending": False, "nullsLast": True}],
        "start": 1,
        "end": 2,
        "outputRowNumber": False,
    }
    operator, _ = lowered(data_of("window/window_dedup_first"), "window-deduplicate")
    assert kernel_parameters(operator.parameters) == {
        "windowEnds": [4],
        "zone": None,
        "orderColumn": 2,
        "keepLast": False,
    }


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"rankType": "RANK"}, "RANK in a window top-n"),
        ({"rankRange": {"type": "Variable", "endIndex": 1}}, "without a constant end"),
    ],
)
def test_a_top_n_that_is_refused(change: dict[str, Any], why: str) -> None:
    data = data_of("window/window_topn_direct")
    node_of(data, "window-rank").update(change)
    with pytest.raises(UnsupportedError, match=why):
        lowered(data, "window-rank")


def test_a_join(session: SparkSession) -> None:
    operator, event_time = lowered(data_of("window/window_join_full"), "window-join")
    assert event_time
    assert {
        name: kernel_parameters(operator.parameters)[name]
        for name in ("joinType", "windowEnds", "filterNulls", "condition")
    } == {
        "joinType": "FULL",
        "windowEnds": [3, 3],
        "filterNulls": [True],
        "condition": None,
    }
    times = [F.lit(text).cast("timestamp_ntz") for text in ("1970-01-01 00:00:00", "1970-01-01 00:00:01")]
    flow = Flow(F.lit(0), F.lit(0), F.lit(None), (F.lit("u"), F.lit("p"), *times))
    keys = [port.key(flow).alias(f"k{at}") for at, port in enumerate(operator.ports)]
    (row,) = session.range(1).select(*keys).collect()
    assert row.k0 == row.k1 == "1:u,0,1000000"
