"""Window table functions, and aggregates, joins and top-n by window columns."""

from __future__ import annotations

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.errors import CompiledPlanError
from compiled_plan.plans.plan import CompiledPlan

DDL = """
CREATE TABLE bid (auction BIGINT, bidder STRING, price INT, dt TIMESTAMP(3), proc AS PROCTIME(),
  WATERMARK FOR dt AS dt) WITH ('connector' = 'filesystem', 'path' = '/b', 'format' = 'json');
CREATE TABLE auc (id BIGINT, seller STRING, ats TIMESTAMP(3), WATERMARK FOR ats AS ats)
  WITH ('connector' = 'filesystem', 'path' = '/a', 'format' = 'json');
CREATE TABLE cdc (id BIGINT, px INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts, PRIMARY KEY (id) NOT ENFORCED)
  WITH ('connector' = 'filesystem', 'path' = '/c', 'format' = 'debezium-json');
CREATE TABLE plain (id INT, ts TIMESTAMP(3)) WITH ('connector' = 'filesystem', 'path' = '/p', 'format' = 'json');
"""
TUMBLE = "TABLE(TUMBLE(TABLE bid, DESCRIPTOR(dt), INTERVAL '10' MINUTE))"
OTHER = "TABLE(TUMBLE(TABLE auc, DESCRIPTOR(ats), INTERVAL '10' MINUTE))"
SESSION = "TABLE(SESSION(TABLE bid PARTITION BY bidder, DESCRIPTOR(dt), INTERVAL '10' MINUTE))"


def compiled(query: str, *types: str) -> CompiledPlan:
    environment = TableEnvironment()
    columns = ", ".join(f"c{at} {type_}" for at, type_ in enumerate(types))
    environment.execute_sql(f"{DDL}CREATE TABLE snk ({columns}) WITH ('connector' = 'blackhole');")
    return environment.compile_plan_sql(f"INSERT INTO snk {query}")


def kinds(plan: CompiledPlan) -> list[str]:
    plain = ("table-source-scan", "calc", "exchange", "watermark-assigner", "sink")
    return [node.kind for node in plan.nodes if node.kind not in plain]


def text(plan: CompiledPlan, kind: str) -> str:
    return next(node.description for node in plan.nodes if node.kind == kind)


def test_an_aggregate_takes_the_window_below_it_in() -> None:
    plan = compiled(
        f"SELECT bidder, COUNT(*) FROM {TUMBLE} GROUP BY window_start, window_end, bidder", "STRING", "BIGINT"
    )
    assert kinds(plan) == ["local-window-aggregate", "global-window-aggregate"]
    assert "groupBy=[bidder], window=[TUMBLE(time_col=[dt], size=[10 min])]" in text(plan, "local-window-aggregate")


@pytest.mark.parametrize(
    "query",
    [
        f"SELECT COUNT(*) FROM {TUMBLE} WHERE window_start > TIMESTAMP '2020-01-01 00:00:00' "
        "GROUP BY window_start, window_end",
        f"SELECT COUNT(*) FROM (SELECT window_start, window_end, CAST(window_start AS DATE) AS d FROM {TUMBLE}) "
        "GROUP BY window_start, window_end, d",
    ],
)
def test_a_window_whose_columns_are_read_stays_below_the_aggregate(query: str) -> None:
    plan = compiled(query, "BIGINT")
    assert kinds(plan) == ["window-table-function", "local-window-aggregate", "global-window-aggregate"]
    assert "win_start=[window_start], win_end=[window_end]" in text(plan, "local-window-aggregate")


def test_windows_are_aggregated_again_by_the_columns_they_came_with() -> None:
    by = "window_start, window_end, bidder"
    inner = f"SELECT {by}, COUNT(*) AS n FROM {TUMBLE} GROUP BY {by}"
    plan = compiled(f"SELECT MAX(n) FROM ({inner}) GROUP BY window_start, window_end", "BIGINT")
    assert kinds(plan) == ["local-window-aggregate", "global-window-aggregate"] * 2


def test_windows_over_windows_use_the_window_time() -> None:
    inner = f"SELECT window_time AS rt, SUM(price) AS s FROM {TUMBLE} GROUP BY window_start, window_end, window_time"
    outer = f"TABLE(TUMBLE(({inner}), DESCRIPTOR(rt), INTERVAL '1' HOUR))"
    plan = compiled(f"SELECT SUM(s) FROM {outer} GROUP BY window_start, window_end", "INT")
    assert kinds(plan) == ["local-window-aggregate", "global-window-aggregate"] * 2
    assert "rowtime('w$)" in text(plan, "global-window-aggregate")


@pytest.mark.parametrize("columns", ["window_start", "window_end, window_time", "bidder"])
def test_fewer_columns_than_start_and_end_are_an_ordinary_group(columns: str) -> None:
    plan = compiled(f"SELECT COUNT(*) FROM {TUMBLE} GROUP BY {columns}", "BIGINT")
    assert kinds(plan) == ["window-table-function", "group-aggregate"]


@pytest.mark.parametrize(
    ("columns", "expected"),
    [("bidder", ["window-aggregate"]), ("auction", ["window-table-function", "group-aggregate"])],
)
def test_sessions_are_aggregated_by_what_they_are_partitioned_by(columns: str, expected: list[str]) -> None:
    plan = compiled(f"SELECT COUNT(*) FROM {SESSION} GROUP BY window_start, window_end, {columns}", "BIGINT")
    assert kinds(plan) == expected


def test_processing_time_is_aggregated_in_one_phase() -> None:
    table = TUMBLE.replace("(dt)", "(proc)")
    plan = compiled(f"SELECT COUNT(*) FROM {table} GROUP BY window_start, window_end", "BIGINT")
    assert kinds(plan) == ["window-aggregate"]


def test_grouping_sets_are_expanded_before_rows_get_their_window() -> None:
    query = f"SELECT bidder, COUNT(*) FROM {TUMBLE} GROUP BY window_start, window_end, ROLLUP(bidder)"
    plan = compiled(query, "STRING", "BIGINT")
    assert kinds(plan) == ["expand", "local-window-aggregate", "global-window-aggregate"]


@pytest.mark.parametrize("kind", ["JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"])
def test_rows_of_equal_windows_are_joined_as_the_window_ends(kind: str) -> None:
    on = "l.auction = r.id AND l.window_start = r.window_start AND l.window_end = r.window_end AND l.price > r.id"
    plan = compiled(f"SELECT l.price, r.seller FROM {TUMBLE} l {kind} {OTHER} r ON {on}", "INT", "STRING")
    assert kinds(plan) == ["window-table-function", "window-table-function", "window-join"]
    assert "where=[((auction = id) AND (price > id))]" in text(plan, "window-join")


@pytest.mark.parametrize(
    "condition",
    [
        "l.window_start = r.window_start",
        "l.window_start = r.window_start AND l.window_end = r.window_start",
    ],
)
def test_equal_starts_alone_make_a_regular_join(condition: str) -> None:
    plan = compiled(
        f"SELECT l.price, r.seller FROM {TUMBLE} l JOIN {OTHER} r ON l.auction = r.id AND {condition}", "INT", "STRING"
    )
    assert kinds(plan)[-1] == "join"


@pytest.mark.parametrize(("side", "expected"), [("l", "global-window-aggregate"), ("r", "group-aggregate")])
def test_null_padded_rows_belong_to_no_window(side: str, expected: str) -> None:
    on = "l.auction = r.id AND l.window_start = r.window_start AND l.window_end = r.window_end"
    joined = f"{TUMBLE} l LEFT JOIN {OTHER} r ON {on}"
    plan = compiled(f"SELECT COUNT(*) FROM {joined} GROUP BY {side}.window_start, {side}.window_end", "BIGINT")
    assert kinds(plan)[-1] == expected


def test_window_times_are_compared_without_a_cast() -> None:
    on = "l.window_time = r.window_time AND l.window_start = r.window_start AND l.window_end = r.window_end"
    plan = compiled(f"SELECT l.price, r.seller FROM {TUMBLE} l JOIN {OTHER} r ON {on}", "INT", "STRING")
    assert "where=[(window_time = window_time0)]" in text(plan, "window-join")


def test_windows_of_different_lengths_make_a_regular_join() -> None:
    longer = OTHER.replace("'10'", "'20'")
    on = "l.auction = r.id AND l.window_start = r.window_start AND l.window_end = r.window_end"
    assert (
        kinds(compiled(f"SELECT l.price, r.seller FROM {TUMBLE} l JOIN {longer} r ON {on}", "INT", "STRING"))[-1]
        == "join"
    )


@pytest.mark.parametrize(
    ("order", "ranks", "kind"),
    [
        ("price DESC", "rk <= 2", "window-rank"),
        ("price DESC", "rk = 1", "window-rank"),
        ("dt DESC", "rk <= 2", "window-rank"),
        ("dt DESC", "rk = 1", "window-deduplicate"),
        ("dt", "rk = 1", "window-deduplicate"),
    ],
)
def test_the_first_rows_of_a_window(order: str, ranks: str, kind: str) -> None:
    number = f"ROW_NUMBER() OVER (PARTITION BY window_start, window_end, bidder ORDER BY {order}) AS rk"
    plan = compiled(f"SELECT bidder, price FROM (SELECT *, {number} FROM {TUMBLE}) WHERE {ranks}", "STRING", "INT")
    assert kinds(plan) == ["window-table-function", kind]
    assert next(node for node in plan.nodes if node.kind == "sink").to_dict()["inputChangelogMode"] == ["INSERT"]


def test_an_aggregate_by_the_window_of_ranked_rows() -> None:
    number = "ROW_NUMBER() OVER (PARTITION BY window_start, window_end, bidder ORDER BY dt) AS rk"
    query = f"SELECT COUNT(*) FROM (SELECT *, {number} FROM {TUMBLE}) WHERE rk = 1 GROUP BY window_start, window_end"
    actual = kinds(compiled(query, "BIGINT"))
    assert actual[1:] == ["window-deduplicate", "local-window-aggregate", "global-window-aggregate"]


def test_window_arguments_by_name_and_by_position() -> None:
    lengths = "SIZE => INTERVAL '10' MINUTE, SLIDE => INTERVAL '5' MINUTE"
    named = f"TABLE(HOP(DATA => TABLE bid, TIMECOL => DESCRIPTOR(dt), {lengths}))"
    placed = "TABLE(HOP(TABLE bid, DESCRIPTOR(dt), INTERVAL '5' MINUTE, INTERVAL '10' MINUTE))"
    by_name, by_position = (compiled(f"SELECT window_end FROM {table}", "TIMESTAMP(3)") for table in (named, placed))
    assert by_name == by_position
    assert "size=[10 min], slide=[5 min]" in text(by_name, "window-table-function")


def test_updates_retract_from_their_window() -> None:
    table = "TABLE(TUMBLE(TABLE cdc, DESCRIPTOR(ts), INTERVAL '10' MINUTE))"
    plan = compiled(f"SELECT SUM(px) FROM {table} GROUP BY window_start, window_end", "INT")
    node = next(node for node in plan.nodes if node.kind == "global-window-aggregate").to_dict()
    assert node["needRetraction"] is True
    assert next(node for node in plan.nodes if node.kind == "sink").to_dict()["inputChangelogMode"] == ["INSERT"]


LEGACY = "GROUP BY TUMBLE(dt, INTERVAL '5' MINUTE), bidder"


def test_a_window_in_group_by_shows_its_start_and_its_time() -> None:
    shown = "TUMBLE_START(dt, INTERVAL '5' MINUTE), TUMBLE_ROWTIME(dt, INTERVAL '5' MINUTE)"
    plan = compiled(
        f"SELECT {shown}, bidder, COUNT(*) FROM bid {LEGACY}", "TIMESTAMP(3)", "TIMESTAMP(3)", "STRING", "BIGINT"
    )
    assert kinds(plan) == ["group-window-aggregate"]
    assert "properties=[w$start, w$end, w$rowtime, w$proctime]" in text(plan, "group-window-aggregate")
    assert plan.nodes[-1].description.endswith("fields=[EXPR$0, EXPR$1, bidder, EXPR$3])")


@pytest.mark.parametrize("option", ["early-fire", "late-fire"])
@pytest.mark.parametrize("window", [LEGACY, "GROUP BY window_start, window_end"])
def test_rows_before_and_after_the_end_of_a_window_are_refused(option: str, window: str) -> None:
    environment = TableEnvironment({f"table.exec.emit.{option}.enabled": "true"})
    environment.execute_sql(f"{DDL}CREATE TABLE snk (n BIGINT) WITH ('connector' = 'blackhole');")
    source = "bid" if window is LEGACY else "TABLE(TUMBLE(TABLE bid, DESCRIPTOR(dt), INTERVAL '1' MINUTE))"
    with pytest.raises(CompiledPlanError, match=option) as refused:
        environment.compile_plan_sql(f"INSERT INTO snk SELECT COUNT(*) FROM {source} {window}")
    assert "FLOOR(ts TO MINUTE)" in refused.value.remedy


def test_an_unread_group_window_has_no_columns() -> None:
    plan = compiled(f"SELECT bidder, COUNT(*) FROM bid {LEGACY} HAVING COUNT(*) > 1", "STRING", "BIGINT")
    assert "properties" not in text(plan, "group-window-aggregate")


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("SELECT id FROM TABLE(TUMBLE(TABLE plain, DESCRIPTOR(ts), INTERVAL '1' MINUTE))", "time attribute"),
        ("SELECT auction FROM TABLE(TUMBLE(TABLE bid, DESCRIPTOR(nope), INTERVAL '1' MINUTE))", "'nope'"),
        ("SELECT auction FROM TABLE(TUMBLE(TABLE bid, DESCRIPTOR(bidder), INTERVAL '1' MINUTE))", "TIMESTAMP"),
        ("SELECT auction FROM TABLE(TUMBLE(TABLE bid, DESCRIPTOR(dt)))", "number of arguments"),
        ("SELECT auction FROM TABLE(TUMBLE(TABLE bid, DESCRIPTOR(dt), INTERVAL '0' MINUTE))", "positive"),
        ("SELECT auction FROM TABLE(TUMBLE(TABLE bid, DESCRIPTOR(dt), INTERVAL '1' MONTH))", "MONTH"),
        (
            "SELECT auction FROM TABLE(TUMBLE(TABLE bid, DESCRIPTOR(dt), INTERVAL '1' HOUR, INTERVAL '2' HOUR))",
            "offset",
        ),
        (
            "SELECT auction FROM TABLE(CUMULATE(TABLE bid, DESCRIPTOR(dt), INTERVAL '4' HOUR, INTERVAL '10' HOUR))",
            "multiple",
        ),
        (
            "SELECT auction FROM TABLE(TUMBLE(TABLE bid PARTITION BY bidder, DESCRIPTOR(dt), INTERVAL '1' HOUR))",
            "PARTITION BY",
        ),
        (
            "SELECT auction FROM bid GROUP BY TUMBLE(dt, INTERVAL '1' HOUR), TUMBLE(dt, INTERVAL '2' HOUR), auction",
            "single window",
        ),
        (
            "SELECT COUNT(*) FROM TABLE(HOP(TABLE bid, DESCRIPTOR(dt), INTERVAL '4' MINUTE, INTERVAL '10' MINUTE)) "
            "GROUP BY window_start, window_end",
            "integral multiple",
        ),
        ("SELECT COUNT(*) FROM plain GROUP BY TUMBLE(ts, INTERVAL '1' HOUR)", "time attribute"),
        ("SELECT TUMBLE_START(dt, INTERVAL '1' HOUR) FROM bid GROUP BY dt", "matching window function"),
        (
            "SELECT TUMBLE(dt, INTERVAL '1' HOUR) FROM bid GROUP BY TUMBLE(dt, INTERVAL '1' HOUR)",
            "only appear in GROUP BY",
        ),
        (
            "SELECT COUNT(*) FROM TABLE(TUMBLE((SELECT b.dt FROM bid b JOIN auc a ON b.auction = a.id), "
            "DESCRIPTOR(dt), INTERVAL '1' HOUR)) GROUP BY window_start, window_end",
            "time attribute",
        ),
        (
            f"SELECT l.price FROM {TUMBLE} l JOIN TABLE(TUMBLE(TABLE cdc, DESCRIPTOR(ts), INTERVAL '10' MINUTE)) r "
            "ON l.auction = r.id AND l.window_start = r.window_start AND l.window_end = r.window_end",
            "doesn't support consuming update and delete changes",
        ),
    ],
)
def test_invalid_windows_are_refused(query: str, message: str) -> None:
    with pytest.raises(CompiledPlanError) as caught:
        compiled(query, "BIGINT")
    assert message in caught.value.message


MINI_BATCHES = {
    "table.exec.mini-batch.enabled": "true",
    "table.exec.mini-batch.allow-latency": "1 s",
    "table.exec.mini-batch.size": "100",
}


@pytest.mark.parametrize(
    ("query", "modes"),
    [
        (f"SELECT COUNT(*) FROM {TUMBLE} GROUP BY window_start, window_end", ["RowTime"]),
        (f"SELECT COUNT(*) FROM {TUMBLE.replace('(dt)', '(proc)')} GROUP BY window_start, window_end", ["ProcTime"]),
        (f"SELECT COUNT(*) FROM {TUMBLE} GROUP BY window_start", ["RowTime"]),
        (f"SELECT auction FROM {TUMBLE}", ["RowTime"]),
        (f"SELECT COUNT(*) FROM bid {LEGACY}", []),
        (f"SELECT SUM(n) FROM (SELECT bidder, COUNT(*) AS n FROM bid {LEGACY}) GROUP BY bidder", []),
    ],
)
def test_windows_request_mini_batches(query: str, modes: list[str]) -> None:
    environment = TableEnvironment(MINI_BATCHES)
    environment.execute_sql(f"{DDL}CREATE TABLE snk (n BIGINT) WITH ('connector' = 'blackhole');")
    plan = environment.compile_plan_sql(f"INSERT INTO snk {query}")
    assigners = [node.to_dict() for node in plan.nodes if node.kind == "mini-batch-assigner"]
    assert [node["miniBatchInterval"]["mode"] for node in assigners] == modes


@pytest.mark.parametrize(
    ("lag", "why"),
    [
        ("LAG(price, -1)", "offset -1 of LAG is below 0"),
        ("LAG(price, 1 - 2, 0)", "offset -1 of LAG is below 0"),
        ("LAG(price, 1, 1.5)", r"default of LAG is of type DECIMAL\(2, 1\) NOT NULL, its value of type INT"),
        ("LAG(bidder, 1, 0)", "default of LAG is of type INT NOT NULL, its value of type VARCHAR"),
    ],
)
def test_refused_arguments_of_lag(lag: str, why: str) -> None:
    with pytest.raises(CompiledPlanError, match=why):
        compiled(
            f"SELECT {lag} OVER (PARTITION BY auction ORDER BY dt) FROM bid", "STRING" if "bidder" in lag else "INT"
        )


def test_the_default_of_lag_is_cast_to_a_wider_type() -> None:
    plan = compiled("SELECT LAG(auction, 1, 0) OVER (ORDER BY dt) FROM bid", "BIGINT")
    assert "LAG(auction, 1, 0)" in text(plan, "over-aggregate")
