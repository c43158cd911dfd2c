"""Drawing of a difference: the new plan with marks on changed parts, and the removed parts of the old plan."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from graphlib import TopologicalSorter

from compiled_plan.plans.inspection.diff.model import Change, OperatorEdit, Part, PlanDiff
from compiled_plan.plans.inspection.diff.sides import PlanPair
from compiled_plan.plans.inspection.diff.text import is_unchanged
from compiled_plan.plans.inspection.graph.document import GraphEdge, parts_of, placed
from compiled_plan.plans.inspection.graph.drawing import Drawing, Mark


def compared(both: PlanPair, diff: PlanDiff) -> Drawing:
    """Draw a difference; removed parts are linked to the nearest operators that remain."""
    nodes, edges = parts_of(both.new)
    first = max((node.id for node in nodes), default=0) + 1
    gone = dict.fromkeys(node for part in diff.parts if part.change is Change.REMOVED for node in _nodes(part)[0])
    ids = {old: first + at for at, old in enumerate(gone)}
    old_nodes = {node.id: node for node in parts_of(both.old)[0]}
    past = [old_nodes[old].model_copy(update={"id": id_}) for old, id_ in ids.items() if old in old_nodes]
    links = _links(both, _successors(diff) | ids, list(ids), [(edge.source, edge.target) for edge in edges])
    edges += [GraphEdge.model_validate(_PLAIN | {"from": source, "to": target}) for source, target in links]
    by_id = {node.id: node for node in (*nodes, *past)}
    above: dict[int, list[int]] = {id_: [] for id_ in by_id}
    for edge in edges:
        above[edge.target].append(edge.source)
    graph = placed([by_id[id_] for id_ in TopologicalSorter(above).static_order()], edges)
    return Drawing(graph, _marks(diff, ids))


_PLAIN = {"port": 0, "exchange": "", "changelog": [], "via": []}


def _nodes(part: Part) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The nodes of a part in the old and in the new plan."""
    if isinstance(part, OperatorEdit):
        old, new = (() if node is None else (node,) for node in (part.old_node, part.new_node))
        return old, new
    return part.old_nodes, part.new_nodes


def _successors(diff: PlanDiff) -> dict[int, int]:
    """By node of the old plan, its successor in the new one."""
    pairs = (_nodes(part) for part in diff.parts)
    return {old: news[0] for olds, news in pairs if news for old in olds}


def _links(
    both: PlanPair, new_ids: Mapping[int, int], gone: Sequence[int], edges: Sequence[tuple[int, int]]
) -> Iterator[tuple[int, int]]:
    """Edges between removed nodes and their nearest neighbours, without cycles."""
    targets: dict[int, set[int]] = {}
    for source, target in edges:
        targets.setdefault(source, set()).add(target)
    wanted = [
        pair
        for old in gone
        for pair in (
            *((above, old) for above in both.old.before(old)),
            *((old, below) for below in both.old.behind(old)),
        )
    ]
    for above, below in dict.fromkeys(wanted):
        if above not in new_ids or below not in new_ids:
            continue
        source, target = new_ids[above], new_ids[below]
        if not _reaches(targets, target, source):
            targets.setdefault(source, set()).add(target)
            yield source, target


def _reaches(targets: Mapping[int, set[int]], start: int, end: int) -> bool:
    open_, seen = [start], set[int]()
    while open_:
        node = open_.pop()
        if node == end:
            return True
        if node not in seen:
            seen.add(node)
            open_ += targets.get(node, ())
    return False


def _marks(diff: PlanDiff, ids: Mapping[int, int]) -> dict[int, Mark]:
    """The mark of each changed node; of a sink with state, the worse one."""
    marks: dict[int, Mark] = {}
    for part in diff.parts:
        olds, news = _nodes(part)
        for id_ in () if is_unchanged(part) else news or [ids[old] for old in olds]:
            if id_ not in marks or marks[id_].verdict.rank < part.verdict.rank:
                marks[id_] = Mark(part.change, part.verdict)
    return marks
