from __future__ import annotations

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.inspection.diff.build import diff_of
from compiled_plan.plans.inspection.diff.sides import PlanPair
from compiled_plan.plans.inspection.graph.compared import compared
from compiled_plan.plans.inspection.graph.dot import to_dot
from compiled_plan.plans.inspection.graph.drawing import Drawing
from compiled_plan.plans.inspection.graph.mermaid import to_mermaid
from compiled_plan.plans.inspection.graph.svg import to_svg

TABLES = """
CREATE TABLE a (id INT, k STRING, v BIGINT) WITH ('connector' = 'filesystem', 'path' = '/a', 'format' = 'json');
CREATE TABLE b (id INT, k STRING, v BIGINT) WITH ('connector' = 'filesystem', 'path' = '/b', 'format' = 'json');
CREATE TABLE s (k STRING PRIMARY KEY NOT ENFORCED, v BIGINT) WITH ('connector' = 'blackhole');
CREATE TABLE j (k STRING, v BIGINT) WITH ('connector' = 'blackhole');
"""
SUM = "INSERT INTO s SELECT k, SUM(v) FROM a GROUP BY k;"
#: The same, and a join into a table of its own.
MORE = f"EXECUTE STATEMENT SET BEGIN {SUM} INSERT INTO j SELECT a.k, b.v FROM a JOIN b ON a.id = b.id; END;"


def drawn(old: str, new: str) -> Drawing:
    plans = [TableEnvironment().compile_script(TABLES + text) for text in (old, new)]
    both = PlanPair.of(*plans)
    return compared(both, diff_of(both))


def shown(drawing: Drawing) -> dict[str, str]:
    """The mark of each marked node by its label."""
    return {node.words: drawing.marks[node.id].text for node in drawing.graph.nodes if node.id in drawing.marks}


def links(drawing: Drawing) -> set[tuple[str, str]]:
    """Edges at removed nodes by the labels of their ends."""
    words = {node.id: node.words for node in drawing.graph.nodes}
    return {
        (words[edge.source], words[edge.target])
        for edge in drawing.graph.edges
        if drawing.is_dashed(edge.source, edge.target)
    }


def test_added_parts_are_marked() -> None:
    drawing = drawn(SUM, MORE)
    marks = shown(drawing)
    assert marks.pop("Join a with b") == "added, partially compatible"
    assert marks == {"Read b": "added", "Write j": "added, partially compatible"}
    assert not links(drawing)


def test_removed_parts_stay_between_their_neighbours() -> None:
    drawing = drawn(MORE, SUM)
    assert shown(drawing) == dict.fromkeys(("Read b", "Join a with b", "Write j"), "removed")
    ends = [("Read a", "Join a with b"), ("Read b", "Join a with b"), ("Join a with b", "Write j")]
    assert links(drawing) == set(ends)
    columns = {node.words: node.rank for node in drawing.graph.nodes}
    assert columns["Read a"] < columns["Join a with b"] < columns["Write j"]
    assert to_mermaid(drawing).count(" -.-> ") == to_dot(drawing).count("[style=dashed]") == 3
    assert to_svg(drawing).count("stroke-dasharray") == 6


def test_equal_plans_have_no_marks() -> None:
    drawing = drawn(SUM, SUM)
    assert not drawing.marks and drawing.graph == Drawing.of(TableEnvironment().compile_script(TABLES + SUM)).graph


def test_removed_parts_make_no_cycle() -> None:
    """The aggregate stood in front of the removed top-n, and stands behind another operator now."""
    top = (
        "SELECT k, v FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY v DESC) AS n FROM {rows}) WHERE n <= 2"
    )
    grouped = "SELECT k, SUM(v) AS v FROM {rows} GROUP BY k"
    old = f"INSERT INTO s {grouped.format(rows='(' + top.format(rows='a') + ')')};"
    new = f"INSERT INTO s {top.format(rows='(' + grouped.format(rows='a') + ')')};"
    drawing = drawn(old, new)
    order = {node.id: node.rank for node in drawing.graph.nodes}
    assert all(order[edge.source] < order[edge.target] for edge in drawing.graph.edges)
