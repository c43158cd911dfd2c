from __future__ import annotations

from dataclasses import replace

import pytest

from compiled_plan.planner.algebra.kinds import JoinKind
from compiled_plan.planner.algebra.nodes import Filter, Hint, RelNode, Sink
from compiled_plan.planner.pipeline import plan
from compiled_plan.plans.errors import ProgramError
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.rex import Literal
from compiled_plan.plans.types import BIGINT, INT, STRING
from tests.planner.physical.builders import call, count_by, into, join, project, ref, scan, table

ORDERS = table("orders", order_id=INT, customer=STRING)
PAYS = table("pays", pay_id=INT, order_id=INT)
LEDGER = table("ledger", "debezium-json", ("entry",), entry=INT, branch=STRING, amt=INT)


def planned(*sinks: Sink, **config: str) -> CompiledPlan:
    compiled = plan(sinks, {key.replace("__", "."): value for key, value in config.items()})
    assert CompiledPlan.from_json(compiled.to_json()) == compiled
    return compiled


def kinds(compiled: CompiledPlan) -> list[str]:
    return [node.kind for node in compiled.nodes]


def the(compiled: CompiledPlan, kind: str) -> dict[str, object]:
    return next(node.to_dict() for node in compiled.nodes if node.kind == kind)


def ttls(compiled: CompiledPlan, kind: str) -> list[str]:
    return [entry["ttl"] for entry in the(compiled, kind)["state"]]  # type: ignore[index, union-attr, attr-defined]


def test_nodes_are_numbered_in_the_order_of_the_flow() -> None:
    compiled = planned(into(join(scan(ORDERS), scan(PAYS), "order_id", "order_id")))
    assert kinds(compiled) == ["table-source-scan", "exchange", "table-source-scan", "exchange", "join", "sink"]
    assert [node.id for node in compiled.nodes] == [1, 2, 3, 4, 5, 6]
    assert [(edge.source, edge.target) for edge in compiled.edges] == [(1, 2), (3, 4), (2, 5), (4, 5), (5, 6)]


def test_a_hint_sets_the_ttl_of_the_side_that_it_names() -> None:
    hints = (Hint("state_ttl", (("o", "3s"),)), Hint("STATE_TTL", (("o", "48h"),)))
    rel = replace(
        join(scan(ORDERS), scan(PAYS), "order_id", "order_id"),
        hints=hints,
        left_aliases=("o",),
        right_aliases=("p",),
    )
    assert ttls(plan([into(rel)], {"table.exec.state.ttl": "90min"}), "join") == ["2 d", "90 min"]


def test_a_bad_duration_names_the_option() -> None:
    with pytest.raises(ProgramError, match=r"table\.exec\.state\.ttl"):
        plan([into(scan(ORDERS))], {"table.exec.state.ttl": "forever"})


def test_an_aggregate_over_updates_retracts() -> None:
    counts = the(planned(into(count_by(scan(LEDGER), "branch"))), "group-aggregate")
    assert counts["needRetraction"] is True
    assert counts["aggCallNeedRetractions"] == [True]
    assert counts["generateUpdateBefore"] is True


@pytest.mark.parametrize(
    ("rel", "mode"),
    [
        (join(scan(ORDERS), scan(PAYS), "order_id", "order_id"), ["INSERT"]),
        (count_by(scan(ORDERS), "customer"), ["INSERT", "UPDATE_BEFORE", "UPDATE_AFTER"]),
        (
            join(scan(ORDERS), scan(PAYS), "order_id", "order_id", JoinKind.LEFT),
            ["INSERT", "UPDATE_BEFORE", "UPDATE_AFTER", "DELETE"],
        ),
    ],
)
def test_a_sink_says_which_changes_reach_it(rel: RelNode, mode: list[str]) -> None:
    assert the(planned(into(rel)), "sink")["inputChangelogMode"] == mode


def test_updates_into_an_append_only_table_are_refused() -> None:
    with pytest.raises(ProgramError, match=r"doesn't support consuming update changes.*GroupAggregate"):
        plan([into(count_by(scan(ORDERS), "customer"), "json")], {})


def test_outer_joins_into_an_append_only_table_are_refused() -> None:
    rel = join(scan(ORDERS), scan(PAYS), "order_id", "order_id", JoinKind.LEFT)
    with pytest.raises(ProgramError, match=r"update and delete changes.*LeftOuterJoin"):
        plan([into(rel, "json")], {})


def test_a_join_knows_the_keys_of_its_sides() -> None:
    actual = the(planned(into(join(count_by(scan(ORDERS), "customer"), scan(LEDGER), "customer", "branch"))), "join")
    assert actual["leftUpsertKeys"] == [[0]]
    assert actual["rightUpsertKeys"] == [[0]]
    assert "leftInputSpec=[JoinKeyContainsUniqueKey], rightInputSpec=[HasUniqueKey]" in str(actual["description"])


def test_an_upsert_sink_on_the_key_needs_no_old_rows() -> None:
    sink = into(count_by(scan(ORDERS), "customer"), "", ("customer",), connector="blackhole")
    compiled = planned(sink)
    assert the(compiled, "group-aggregate")["generateUpdateBefore"] is False
    assert the(compiled, "sink")["inputChangelogMode"] == ["INSERT", "UPDATE_AFTER"]
    assert the(compiled, "sink")["inputUpsertKey"] == [0]


def test_an_upsert_sink_on_another_key_needs_a_conflict_clause_and_then_keeps_state() -> None:
    sink = into(count_by(scan(ORDERS), "customer"), "", ("n",), connector="blackhole")
    with pytest.raises(ProgramError, match="not the query's upsert key"):
        plan([sink], {})
    compiled = planned(replace(sink, on_conflict="DEDUPLICATE"))
    assert the(compiled, "sink")["requireUpsertMaterialize"] is True
    assert ttls(compiled, "sink") == ["0 ms"]
    assert the(compiled, "group-aggregate")["generateUpdateBefore"] is True


def test_consumers_with_different_changelog_modes_get_separate_aggregates() -> None:
    counts = count_by(scan(ORDERS), "customer")
    upsert = into(counts, "", ("customer",), connector="blackhole")
    retract = replace(into(counts), table=table("other", "debezium-json", customer=STRING, n=BIGINT))
    compiled = planned(upsert, retract)
    assert kinds(compiled).count("group-aggregate") == 2
    assert kinds(compiled).count("table-source-scan") == 1


def test_duplicate_events_are_normalized_by_key() -> None:
    compiled = plan(
        [into(scan(LEDGER))], {"table.exec.source.cdc-events-duplicate": "true", "table.exec.state.ttl": "1d"}
    )
    assert kinds(compiled) == ["table-source-scan", "drop-update-before", "exchange", "changelog-normalize", "sink"]
    assert the(compiled, "changelog-normalize")["uniqueKeys"] == [0]
    assert ttls(compiled, "changelog-normalize") == ["1 d"]


def test_one_subtree_read_twice_is_one_operator() -> None:
    counts = count_by(scan(ORDERS, "a"), "customer")
    again = count_by(scan(ORDERS, "b"), "customer")
    compiled = planned(into(project(join(counts, again, "n", "n"), "customer", "customer0")))
    assert kinds(compiled).count("group-aggregate") == 1
    assert kinds(compiled).count("exchange") == 2


def test_two_inserts_into_one_table_are_one_sink() -> None:
    sink = into(scan(ORDERS))
    compiled = planned(sink, replace(sink, input=scan(table("more", order_id=INT, customer=STRING))))
    assert kinds(compiled) == ["table-source-scan", "table-source-scan", "union", "sink"]


def test_the_multi_join_option_merges_joins_on_one_key() -> None:
    third = table("third", order_id=INT, v=STRING)
    inner = join(scan(ORDERS), scan(PAYS), "order_id", "order_id")
    chain = join(project(inner, "order_id", "customer"), scan(third), "order_id", "order_id", JoinKind.LEFT)
    assert kinds(planned(into(chain))).count("join") == 2
    compiled = plan([into(chain)], {"table.optimizer.multi-join.enabled": "true", "table.exec.state.ttl": "1 h"})
    node = the(compiled, "multi-join")
    assert node["joinTypes"] == ["INNER", "INNER", "LEFT"]
    assert ttls(compiled, "multi-join") == ["1 h", "1 h", "1 h"]
    assert kinds(compiled)[-2:] == ["calc", "sink"]


def test_joins_on_different_keys_stay_apart() -> None:
    third = table("third", customer=STRING, v=STRING)
    chain = join(join(scan(ORDERS), scan(PAYS), "order_id", "order_id"), scan(third), "customer", "customer")
    compiled = plan([into(chain)], {"table.optimizer.multi-join.enabled": "true"})
    assert kinds(compiled).count("join") == 2


def test_a_filter_goes_into_the_normalizing_of_a_changelog_that_it_reads_alone() -> None:
    def rich(rel: RelNode) -> Filter:
        return Filter(rel, call(">", ref(rel, "amt"), Literal(5, INT.not_null())))

    config = {"table.exec.source.cdc-events-duplicate": "true"}
    compiled = plan([into(rich(scan(LEDGER)))], config)
    assert "filterCondition" in the(compiled, "changelog-normalize")
    assert "calc" not in kinds(compiled)
    plain_sink = replace(into(scan(LEDGER)), table=table("other", "debezium-json", entry=INT, branch=STRING, amt=INT))
    compiled = plan([into(rich(scan(LEDGER))), plain_sink], config)
    assert "filterCondition" not in the(compiled, "changelog-normalize")
    assert kinds(compiled).count("changelog-normalize") == 1
