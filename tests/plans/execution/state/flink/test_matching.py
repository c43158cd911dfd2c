"""Operators of a savepoint by node: uids of sources, sinks with output to commit."""

from __future__ import annotations

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.execution.state.flink.matching import candidate_uids, pending_sinks
from compiled_plan.plans.execution.state.flink.savepoint.head import OperatorList, SavepointHead, SavepointOperator
from compiled_plan.plans.nodes.scan import TableSourceScan
from compiled_plan.plans.plan import CompiledPlan

_TOPIC = "'topic' = 't', 'properties.bootstrap.servers' = 'localhost:9092'"
_UPSERTS = f"'connector' = 'upsert-kafka', {_TOPIC}, 'key.format' = 'json', 'value.format' = 'json'"
_TABLES = {
    "orders": f"(k STRING) WITH ('connector' = 'kafka', {_TOPIC}, 'format' = 'json')",
    "shops": f"(k STRING, PRIMARY KEY (k) NOT ENFORCED) WITH ({_UPSERTS})",
    "files": "(k STRING) WITH ('connector' = 'filesystem', 'path' = '/files', 'format' = 'json')",
    "totals": f"(k STRING, n BIGINT, PRIMARY KEY (k) NOT ENFORCED) WITH ({_UPSERTS})",
}
#: The committer of a sink that commits nothing, in a savepoint of Flink 2.3.
_EMPTY = "AAAAAgAAADy5HyUsAAAAAQAAAAEAAAAsAAAAAAAAAAEAAAABAAAAAgAAAAEAAAAUAAAAAAAAAAAAAAAAAAAAAAAAAAA="


def compiled() -> CompiledPlan:
    tables = "".join(f"CREATE TABLE {name} {text};" for name, text in _TABLES.items())
    rows = " UNION ALL ".join(f"SELECT k FROM {name}" for name in ("orders", "shops", "files"))
    return TableEnvironment().compile_script(
        f"{tables} INSERT INTO totals SELECT k, COUNT(*) FROM ({rows}) GROUP BY k;"
    )


def test_sources_of_kafka_have_a_transformation_of_their_own() -> None:
    plan = compiled()
    uids = {node: uid for uid, node in candidate_uids(plan).items()}
    scans = {
        node.scan_table_source.table.name: uids[node.id] for node in plan.nodes if isinstance(node, TableSourceScan)
    }
    assert {table: uid.partition("_")[2] for table, uid in scans.items()} == {
        "orders": "kafka",
        "shops": "kafka",
        "files": "source",
    }


def head(committer: str) -> SavepointHead:
    state = OperatorList("streaming_committer_raw_states", "SPLIT_DISTRIBUTE", "BYTES", ((committer,),))
    operator = SavepointOperator("1", None, "Sink Committer: totals", 1, 128, (), (state,), None, (), 0, 0)
    return SavepointHead(1, "file:/savepoint", 1, None, 0, (operator,))


def test_a_committer_without_output_leaves_nothing_to_commit() -> None:
    assert pending_sinks(compiled(), head(_EMPTY)) == frozenset()
    assert len(pending_sinks(compiled(), head("AAAA"))) == 1
