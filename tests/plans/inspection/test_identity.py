from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.errors import CompiledPlanError
from compiled_plan.plans.inspection.identity import derived_uids, inherit_uids, keeps_state, renamed, with_uids
from compiled_plan.plans.inspection.lineage.matching import How
from compiled_plan.plans.plan import CompiledPlan
from tests.conformance.cases import cases, categories, same_plan
from tests.support.plan_files import ALL, data_of, text_of

CASE = "join/three_way_inner"


@pytest.mark.parametrize("step", [5, pytest.param(1, marks=pytest.mark.wide)])
def test_every_stateful_operator_has_a_unique_uid(step: int) -> None:
    """In one plan in five, and in all in `make test-wide`."""
    for path in ALL[::step]:
        plan = with_uids(CompiledPlan.read_file(path))
        for node in plan.nodes:
            assert (node.uid is not None) == keeps_state(node), node
        uids = [node.uid for node in plan.nodes if node.uid]
        assert len(uids) == len(set(uids))


def test_uids_name_kind_tables_and_fingerprint() -> None:
    uids = list(derived_uids(CompiledPlan.from_json(text_of("join/state_ttl_hint_join"))).values())
    assert len(uids) == 1
    assert re.fullmatch(r"join-[a-z_]+-[a-z_]+-[0-9a-f]{10}", uids[0])


def test_uids_do_not_depend_on_node_ids() -> None:
    data = data_of(CASE)
    text = json.dumps(data)
    for node in data["nodes"]:
        node["id"] += 1000
    for edge in data["edges"]:
        edge["source"] += 1000
        edge["target"] += 1000
    first, second = CompiledPlan.from_json(text), CompiledPlan.from_dict(data)
    assert list(derived_uids(first).values()) == list(derived_uids(second).values())


def test_uids_change_with_enforcing_fields_only() -> None:
    data = data_of("join/state_ttl_hint_join")
    before = list(derived_uids(CompiledPlan.from_dict(data)).values())
    join = next(node for node in data["nodes"] if node["type"] == "stream-exec-join_1")
    join["description"] = "another"
    join["state"][0]["ttl"] = "7 d"
    assert list(derived_uids(CompiledPlan.from_dict(data)).values()) == before
    join["joinSpec"]["joinType"] = "LEFT"
    assert list(derived_uids(CompiledPlan.from_dict(data)).values()) != before


def test_operators_that_are_equal_in_everything_are_numbered() -> None:
    data = data_of("join/state_ttl_hint_join")
    twin = {node["id"]: {**node, "id": node["id"] + 500} for node in data["nodes"]}
    data["nodes"] += twin.values()
    data["edges"] += [{**e, "source": e["source"] + 500, "target": e["target"] + 500} for e in data["edges"]]
    first, second = derived_uids(CompiledPlan.from_dict(data)).values()
    assert second == f"{first}-2"


def test_uids_of_the_file_are_kept() -> None:
    data = data_of("join/state_ttl_hint_join")
    join = next(node for node in data["nodes"] if node["type"] == "stream-exec-join_1")
    join["uid"] = "my-join"
    assert list(derived_uids(CompiledPlan.from_dict(data)).values()) == ["my-join"]


FILES = "'connector' = 'filesystem', 'path' = '{folder}/{name}', 'format' = '{format}'"
COLUMNS = {
    "orders": "id INT, customer STRING, amount INT, kind INT",
    "items": "id INT, price INT",
    "people": "name STRING, boss STRING",
    **dict.fromkeys(("s1", "s2", "s3"), "k STRING, n BIGINT"),
}
SUM = "SELECT customer, SUM(amount) FROM orders GROUP BY customer"
COUNT = "SELECT customer, COUNT(*) FROM orders GROUP BY customer"
JOIN = "SELECT o.customer, CAST(i.price AS BIGINT) FROM orders AS o JOIN items AS i ON o.id = i.id"


@cache
def compiled(*statements: str, folder: str = "/data", before: str = "") -> CompiledPlan:
    """The plan of queries, each into the sink of its number, or of whole statements."""
    tables = "".join(
        f"CREATE TABLE {name} ({columns}) WITH ("
        + FILES.format(folder=folder, name=name, format="debezium-json" if name[0] == "s" else "json")
        + ");\n"
        for name, columns in COLUMNS.items()
    )
    whole = [
        f"{statement};" if statement.startswith("INSERT") else f"INSERT INTO s{at}\n{statement};"
        for at, statement in enumerate(statements, 1)
    ]
    return TableEnvironment().compile_script(f"{tables}{before}EXECUTE STATEMENT SET BEGIN\n{''.join(whole)}\nEND;")


def uids(plan: CompiledPlan) -> list[str]:
    return [node.uid for node in plan.nodes if node.uid is not None]


def by_sink(plan: CompiledPlan) -> dict[str, list[str]]:
    """By sink name, the uids of all operators upstream."""

    def above(node: int) -> list[str]:
        uids_above = [uid for input_ in plan.inputs(node) for uid in above(input_.id)]
        own = plan.node(node).uid
        return uids_above + ([own] if own else [])

    return {node.dynamic_table_sink.table.path[-1]: above(node.id) for node in plan.sinks}  # type: ignore[attr-defined]


UNCHANGED = {
    "alias": (SUM, "SELECT o.customer AS who, SUM(o.amount) AS total FROM orders AS o GROUP BY o.customer"),
    "view": (SUM, "SELECT c, SUM(a) FROM (SELECT customer AS c, amount AS a FROM orders) GROUP BY c"),
    "a filter on what comes out": (SUM, f"{SUM} HAVING SUM(amount) > 3"),
    "another column of a join": (JOIN, JOIN.replace("i.price", "i.price + o.kind")),
    "another order of conjuncts": (
        f"{JOIN} WHERE o.kind = 1 AND o.amount > 2",
        f"{JOIN} WHERE o.amount > 2 AND 1 = o.kind",
    ),
}


@pytest.mark.parametrize("name", UNCHANGED)
def test_harmless_changes_keep_the_uid(name: str) -> None:
    old, new = UNCHANGED[name]
    assert uids(compiled(old)) == uids(compiled(new))


CHANGED = {
    "key": (SUM, SUM.replace("customer", "CAST(kind AS STRING)")),
    "argument": (SUM, SUM.replace("amount", "kind")),
    "function": (SUM, COUNT),
    "filter in front": (SUM, SUM.replace("orders", "orders WHERE kind = 1")),
    "condition": (JOIN, f"{JOIN} AND o.amount < i.price"),
    "kind of join": (JOIN, JOIN.replace("JOIN", "LEFT JOIN")),
}


@pytest.mark.parametrize("name", CHANGED)
def test_changes_of_an_operator_change_its_uid(name: str) -> None:
    old, new = CHANGED[name]
    assert not set(uids(compiled(old))) & set(uids(compiled(new)))


def test_where_tables_lie_and_the_statements_beside_it_play_no_part() -> None:
    alone = uids(compiled(SUM))
    assert uids(compiled(SUM, folder="s3a://prod")) == alone
    assert by_sink(compiled(SUM, COUNT, JOIN))["s1"] == alone


def test_a_filter_far_above_leaves_the_operators_below_the_next_one() -> None:
    counts = "SELECT customer AS c, kind, COUNT(*) AS n FROM orders {} GROUP BY customer, kind"
    chain = f"SELECT c, MAX(n) FROM ({counts}) GROUP BY c"
    first, second = uids(compiled(chain.format("")))
    assert uids(compiled(chain.format("WHERE amount > 1"))) != [first, second]
    assert uids(compiled(chain.format("WHERE amount > 1")))[1] == second


PAIRS = {
    "two aggregates": (SUM, COUNT),
    "two filters": (SUM.replace("orders", "orders WHERE kind = 1"), SUM.replace("orders", "orders WHERE kind = 2")),
    "two joins of other conditions": (JOIN, f"{JOIN} AND o.amount > i.price"),
    "equal above different filters": tuple(
        f"SELECT c, MAX(n) FROM (SELECT customer AS c, kind, COUNT(*) AS n FROM orders WHERE amount > {least} "
        "GROUP BY customer, kind) GROUP BY c"
        for least in (1, 2)
    ),
}


@pytest.mark.parametrize("name", PAIRS)
def test_swapped_statements_leave_each_operator_its_uid(name: str) -> None:
    first, second = (f"INSERT INTO s{at} {query}" for at, query in enumerate(PAIRS[name], 1))
    plan, swapped = compiled(first, second), compiled(second, first)
    assert by_sink(plan) == by_sink(swapped)
    assert not set(by_sink(plan)["s1"]) & set(by_sink(plan)["s2"])


def test_equal_operators_are_distinguished_by_their_sinks() -> None:
    """Different TTLs keep two equal aggregates from being merged."""
    hinted = "SELECT /*+ STATE_TTL('orders' = '{} s') */ customer, SUM(amount) FROM orders GROUP BY customer"
    first, second = (f"INSERT INTO s{at} {hinted.format(at)}" for at in (1, 2))
    plan, swapped = compiled(first, second), compiled(second, first)
    assert len(set(uids(plan))) == 2
    assert by_sink(plan) == by_sink(swapped)
    assert {uid[:-6] for uid in uids(plan)} == {f"{uids(compiled(first))[0]}-"}


def test_the_sides_of_a_self_join_are_told_apart_by_side() -> None:
    side = "SELECT /*+ STATE_TTL('orders' = '{} h') */ customer AS c, MAX(amount) AS m FROM orders GROUP BY customer"
    query = "SELECT a.c, CAST(b.m AS BIGINT) FROM ({}) AS a JOIN ({}) AS b ON a.m = b.m"
    uids_by_ttl = []
    for hours in ((1, 2), (2, 1)):
        plan = compiled(query.format(*(side.format(hour) for hour in hours)))
        aggregates = [node for node in plan.nodes if node.kind == "group-aggregate"]
        uids_by_ttl.append({node.state_entries[0].ttl_ms: node.uid for node in aggregates})
    assert len(set(uids_by_ttl[0].values())) == 2
    hour = 3_600_000
    assert uids_by_ttl[0] == {hour: uids_by_ttl[1][2 * hour], 2 * hour: uids_by_ttl[1][hour]}


def test_a_join_with_itself_and_a_union_of_equal_branches() -> None:
    joined = "SELECT a.name, CAST(1 AS BIGINT) FROM people AS a JOIN people AS b ON a.boss = b.name"
    (uid,) = uids(compiled(joined))
    assert uid.startswith("join-people-")
    turned = "SELECT b.name, CAST(1 AS BIGINT) FROM people AS a JOIN people AS b ON a.name = b.boss"
    assert uids(compiled(turned)) != [uid]
    union = f"SELECT customer, COUNT(*) FROM (SELECT * FROM ({SUM}) UNION ALL SELECT * FROM ({SUM})) GROUP BY customer"
    assert len(uids(compiled(union))) == len(set(uids(compiled(union)))) == 2


def test_equal_branches_of_a_union_are_told_apart_by_what_is_left_their_ttls() -> None:
    side = (
        "SELECT * FROM (SELECT /*+ STATE_TTL('orders' = '{} h') */ customer, SUM(amount) FROM orders GROUP BY customer)"
    )
    uids_by_ttl = []
    for hours in ((1, 2), (2, 1)):
        plan = compiled(" UNION ALL ".join(side.format(hour) for hour in hours))
        aggregates = [node for node in plan.nodes if node.kind == "group-aggregate"]
        uids_by_ttl.append({node.state_entries[0].ttl_ms: node.uid for node in aggregates})
    assert uids_by_ttl[0] == uids_by_ttl[1] and len(set(uids_by_ttl[0].values())) == 2


def test_a_view_that_is_used_twice_is_one_operator() -> None:
    view = "CREATE TEMPORARY VIEW totals AS SELECT customer AS c, SUM(amount) AS n FROM orders GROUP BY customer;\n"
    both = compiled("SELECT c, n FROM totals", "SELECT c, n FROM totals WHERE n > 3", before=view)
    assert by_sink(both)["s1"] == by_sink(both)["s2"] == uids(compiled(SUM))


def test_one_phase_and_two_have_one_uid() -> None:
    mini = (
        "SET 'table.exec.mini-batch.enabled' = 'true'; SET 'table.exec.mini-batch.allow-latency' = '1 s'; "
        "SET 'table.exec.mini-batch.size' = '10';\n"
    )
    assert uids(compiled(SUM, before=mini)) == uids(compiled(SUM))


@pytest.mark.wide
@pytest.mark.slow
def test_a_plan_of_flink_gets_the_uids_that_the_program_has_here() -> None:
    tried = 0
    for case in cases(*categories()):
        if not (case.folder / "flink-plan.json").exists():
            continue
        theirs = case.flink_plan(Path("/out"))
        try:
            ours = TableEnvironment().compile_script(case.program(Path("/out")))
        except CompiledPlanError:
            continue
        if same_plan(ours.to_json(), theirs):
            tried += 1
            assert sorted(uids(ours)) == sorted(uids(with_uids(CompiledPlan.from_json(theirs)))), case.name
    assert tried > 100


@pytest.mark.wide
def test_hundreds_of_operators_over_one_table_need_nothing_more_to_be_told_apart() -> None:
    keys = [f"amount + {number}" for number in range(300)]
    derived = uids(
        compiled(*(f"INSERT INTO s1 SELECT CAST({key} AS STRING), COUNT(*) FROM orders GROUP BY {key}" for key in keys))
    )
    assert len(set(derived)) == len(keys)
    assert all(re.fullmatch("group-aggregate-orders-[0-9a-f]{10}", uid) for uid in derived)


# ------------------------------------------------------------ from plan to plan


def hand_named(plan: CompiledPlan) -> CompiledPlan:
    """The plan with user-defined uids."""
    return renamed(plan, {node.id: f"mine-{at}" for at, node in enumerate(plan.nodes) if node.uid})


def inherited(old: CompiledPlan, new: CompiledPlan) -> dict[str, How | None]:
    """By uid of the new plan, the way it was matched."""
    inherited = inherit_uids(new, old)
    ways = {entry.uid: entry.match.how for entry in inherited.kept_uids}
    assert len(set(uids(inherited.plan))) == len(uids(new))
    return {uid: ways.get(uid) for uid in uids(inherited.plan)}


def test_uids_of_the_plan_before_are_kept_though_statements_are_swapped_and_added() -> None:
    old = hand_named(compiled(SUM, JOIN))
    first, second = f"INSERT INTO s1 {SUM}", f"INSERT INTO s2 {JOIN}"
    new = compiled(f"INSERT INTO s3 {COUNT}", second, first)
    inherited = inherit_uids(new, old)
    assert by_sink(inherited.plan) | {"s3": []} == by_sink(old) | {"s3": []}
    assert inherited.gone == ()
    assert inherited.added == tuple(by_sink(new)["s3"])


LIKE = {
    "call added": (SUM, "SELECT customer, SUM(amount) + COUNT(*) FROM orders GROUP BY customer"),
    "filter in front": (SUM, SUM.replace("orders", "orders WHERE kind = 1")),
    "inner to left": (JOIN, JOIN.replace("JOIN", "LEFT JOIN")),
    "condition": (JOIN, f"{JOIN} AND o.amount < i.price"),
}


@pytest.mark.parametrize("name", LIKE)
def test_an_operator_that_was_changed_under_the_same_key_keeps_its_uid(name: str) -> None:
    old, new = (compiled(program) for program in LIKE[name])
    assert inherited(hand_named(old), new) == dict.fromkeys(uids(hand_named(old)), How.LIKENESS)


def test_an_operator_of_another_key_is_another_one() -> None:
    old, new = hand_named(compiled(SUM)), compiled(CHANGED["key"][1])
    inherited = inherit_uids(new, old)
    assert (uids(inherited.plan), inherited.gone, inherited.added) == (uids(new), tuple(uids(old)), tuple(uids(new)))


def test_of_two_that_are_equally_like_it_none_gets_the_uid() -> None:
    old = hand_named(compiled(SUM))
    new = compiled(
        f"INSERT INTO s2 {SUM.replace('orders', 'orders WHERE kind = 1')}",
        f"INSERT INTO s3 {SUM.replace('orders', 'orders WHERE kind = 2')}",
    )
    assert set(inherited(old, new).values()) == {None}


def test_a_uid_that_a_person_gave_is_never_given_to_another_operator() -> None:
    new = compiled(COUNT.replace("customer", "CAST(kind AS STRING)"))
    (derived,) = uids(new)
    old = renamed(plan := compiled(SUM), {node.id: derived for node in plan.nodes if node.uid})
    inherited = inherit_uids(new, old)
    assert (inherited.gone, inherited.added) == ((derived,), (f"{derived}-2",))


def test_moved_and_renamed_tables_are_matched() -> None:
    old = hand_named(compiled(SUM, JOIN))
    assert uids(inherit_uids(compiled(SUM, JOIN, folder="/elsewhere"), old).plan) == uids(old)
    sales = CompiledPlan.from_json(compiled(SUM).to_json().replace("`orders`", "`sales`"))
    assert uids(inherit_uids(sales, hand_named(compiled(SUM))).plan) == uids(hand_named(compiled(SUM)))


def test_uids_of_an_older_form_stay() -> None:
    old = compiled(SUM, COUNT)
    ids = [node.id for node in old.nodes if node.uid]
    old = renamed(old, {ids[0]: "group-aggregate-orders-b289", ids[1]: "group-aggregate-orders-b289-2"})
    assert uids(inherit_uids(compiled(SUM, COUNT), old).plan) == uids(old)
