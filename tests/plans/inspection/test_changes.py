from __future__ import annotations

import pytest

from compiled_plan import TableEnvironment
from compiled_plan.plans.inspection.changes import append_only, most_rows, possibly_sent
from compiled_plan.plans.nodes.sink import Sink
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.running.compiling import compile_query
from tests.support.plan_files import CONFORMANCE, name_of, text_of

#: Differences from Flink's statement: a split of distinct values, a limit of rows in any order, a first row by
#: processing time with mini-batches, which is never updated.
_OTHERWISE = {
    "aggregate/count_distinct_split",
    "deduplicate/minibatch_proctime_first",
    "sort_limit/limit_without_order",
}


@pytest.mark.parametrize("group", sorted({name_of(path).partition("/")[0] for path in CONFORMANCE}))
def test_changelog_modes_of_sinks_equal_flinks(group: str) -> None:
    names = [name for name in map(name_of, CONFORMANCE) if name.startswith(f"{group}/") and name not in _OTHERWISE]
    differ = {}
    for name in names:
        plan = CompiledPlan.from_json(text_of(name))
        modes = possibly_sent(plan)
        for sink in plan.sinks:
            if isinstance(sink, Sink):
                expected = sorted(modes[plan.inputs(sink)[0].id].names())
                if expected != sorted(sink.input_changelog_mode):
                    differ[name] = expected
    assert differ == {}


def test_window_results_are_never_retracted() -> None:
    plan = CompiledPlan.from_json(text_of("window/window_agg_over_cdc"))
    (window,) = (node for node in plan.nodes if node.kind == "global-window-aggregate")
    assert window.id in append_only(plan)
    assert not {node.id for node in plan.inputs(window)} & append_only(plan)


@pytest.mark.parametrize(
    ("query", "most"),
    [
        ("SELECT a FROM t", None),
        ("SELECT a FROM t LIMIT 3", 3),
        ("SELECT a + 1 FROM (SELECT a FROM t LIMIT 3) WHERE a > 1", 3),
        ("SELECT a FROM t LIMIT 3 OFFSET 2", 3),
        ("SELECT a, COUNT(*) FROM t GROUP BY a LIMIT 3", None),
        ("SELECT a, COUNT(*) FROM (SELECT a FROM t LIMIT 3) GROUP BY a", None),
        ("SELECT a FROM t ORDER BY a LIMIT 3", None),
        ("(SELECT a FROM t LIMIT 3) UNION ALL SELECT a FROM t", None),
    ],
)
def test_the_number_of_rows_after_which_a_query_ends(query: str, most: int | None) -> None:
    env = TableEnvironment()
    env.execute_sql("CREATE TABLE t (a INT) WITH ('connector' = 'datagen')")
    assert most_rows(compile_query(env.context, env.sql_query(query)._rows.rel)) == most
