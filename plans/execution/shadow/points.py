"""Points at which two programs can be compared: rows that both emit between operators, with the columns of both."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from compiled_plan.plans.execution.operators.base import emitting
from compiled_plan.plans.execution.state.upgrade.excerpt import above, blackhole
from compiled_plan.plans.inspection.changes import possibly_sent
from compiled_plan.plans.inspection.diff.model import OperatorEdit, PlanDiff, nodes_in_both
from compiled_plan.plans.inspection.diff.sides import PlanPair, PlanSide
from compiled_plan.plans.inspection.lineage.rows import port
from compiled_plan.plans.nodes.aggregate import GlobalGroupAggregate, GroupAggregate
from compiled_plan.plans.nodes.base import PlanNode
from compiled_plan.plans.nodes.sink import Sink
from compiled_plan.plans.plan import CompiledPlan, Edge
from compiled_plan.plans.types.changelog import ChangelogMode

#: The database of the sinks that record points.
_DATABASE = "`shadow`.`points`"


@dataclass(frozen=True, slots=True)
class Point:
    """Rows that both programs emit.

    Args:
        old: the node that emits them in the old plan.
        new: the same of the new plan.
        names: the names of the columns on both sides, by position; equal for columns that are compared.
        key: the names of the columns that tell its rows apart; empty if none are known.
        before: False if a program sends updates without the rows before them.
        words: the operator that emits them, "the rows of" a source, or "the input of" an operator.
        uid: the uid of the operator that emits them; otherwise empty.
    """

    old: int
    new: int
    names: tuple[tuple[str, ...], tuple[str, ...]] = field(compare=False)
    key: tuple[str, ...] = field(compare=False, default=())
    before: bool = field(compare=False, default=True)
    words: str = field(compare=False, default="")
    uid: str = field(compare=False, default="")

    def node(self, side: int) -> int:
        return (self.old, self.new)[side]


def points_of(both: PlanPair, diff: PlanDiff, sinks: Iterable[int]) -> tuple[Point, ...]:
    """The points upstream of some sinks of the new plan, in the order of the plan.

    They are the rows of scans, and the inputs and outputs of operators that are in both plans.
    """
    wanted, order = above(both.new.plan, sinks), {node.id: at for at, node in enumerate(both.new.plan.in_order)}
    points = dict.fromkeys(point for point in _all(both, diff) if point.new in wanted)
    return tuple(sorted(points, key=lambda point: order[point.new]))


def with_points(plan: CompiledPlan, points: Sequence[Point], side: int) -> CompiledPlan:
    """A plan with a sink for each point.

    Args:
        plan: the plan.
        points: the points.
        side: 0 if it is the old plan, 1 if it is the new one.
    """
    free = max(node.id for node in plan.nodes) + 1
    sinks, edges = list[Sink](), list[Edge]()
    for number, point in enumerate(points):
        node, names = plan.node(point.node(side)), point.names[side]
        fields = zip(node.output_type.fields, names, strict=True)
        # A point shows the rows that there are, also those that a sink would refuse.
        columns = [(name, column.type.with_nullability(True)) for column, name in fields]
        sinks.append(blackhole(free + number, f"{_DATABASE}.`{number}`", node.output_type, columns, point.key))
        edges.append(Edge.between(node.id, free + number))
    return replace(plan, nodes=(*plan.nodes, *sinks), edges=(*plan.edges, *edges))


def table_of(number: int) -> str:
    """The identifier of a point's table, by its number."""
    return f"{_DATABASE}.{number}".replace("`", "")


def _all(both: PlanPair, diff: PlanDiff) -> Iterator[Point]:
    """All points; first the outputs of operators, whose names are better than those of inputs."""
    for source in diff.sources:
        for old, new in nodes_in_both(source):
            yield _point(both, old, new, f"the rows of {source.name}")
    matched = [edit for edit in diff.operators if edit.old_node is not None and edit.new_node is not None]
    for edit in matched:
        assert edit.old_node is not None
        assert edit.new_node is not None
        if _emits(both.old, edit.old_node) and _emits(both.new, edit.new_node):
            yield _point(both, edit.old_node, edit.new_node, edit.words, edit.uid)
    for edit in matched:
        yield from _inputs(both, edit)


def _emits(side: PlanSide, node: int) -> bool:
    return not isinstance(side.plan.node(node), Sink) and emitting(side.plan, node).id == node


def _inputs(both: PlanPair, edit: OperatorEdit) -> Iterator[Point]:
    assert edit.old_node is not None
    assert edit.new_node is not None
    olds, news = ([node.id for node in side.plan.inputs(at)] for side, at in _sides(both, edit.old_node, edit.new_node))
    origins = [port(both.old.lineage.flows[node]).origin.digest for node in olds]
    for at, new in enumerate(news[: len(olds)]):
        origin = port(both.new.lineage.flows[new]).origin.digest
        # The sides of a join may have changed places.
        like = at if origins[at] == origin or origin not in origins else origins.index(origin)
        old, new = (emitting(side.plan, node).id for side, node in _sides(both, olds[like], new))
        yield _point(both, old, new, f"the input of {edit.words}")


def _sides(both: PlanPair, old: int, new: int) -> tuple[tuple[PlanSide, int], tuple[PlanSide, int]]:
    return (both.old, old), (both.new, new)


def _point(both: PlanPair, old: int, new: int, words: str, uid: str = "") -> Point:
    sides = _sides(both, old, new)
    names = _names(*(_columns(side, node) for side, node in sides))
    keys = [_key(side.plan.node(node), own) for (side, node), own in zip(sides, names, strict=True)]
    before = all(_sends_before(side, node) for side, node in sides)
    return Point(old, new, names, keys[1] if keys[0] == keys[1] else (), before, words, uid)


def _key(node: PlanNode, names: Sequence[str]) -> tuple[str, ...]:
    """The columns by which a node aggregates."""
    return tuple(names[: len(node.grouping)]) if isinstance(node, GroupAggregate | GlobalGroupAggregate) else ()


def _sends_before(side: PlanSide, node: int) -> bool:
    mode = possibly_sent(side.plan)[node]
    return ChangelogMode.UPDATE_AFTER not in mode or ChangelogMode.UPDATE_BEFORE in mode


#: The digest of a column's meaning, its name and its type.
_Column = tuple[str, str, str]


def _columns(side: PlanSide, node: int) -> list[_Column]:
    rows = port(side.lineage.flows[node])
    fields = side.plan.node(node).output_type.fields
    return [(rows.column(at).digest, field.name, str(field.type.as_regular())) for at, field in enumerate(fields)]


def _names(old: Sequence[_Column], new: Sequence[_Column]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names for the columns of both sides: equal for the same meaning, and else for the same name, then place."""
    olds, news = ([(digest, name, at, type_) for at, (digest, name, type_) in enumerate(side)] for side in (old, new))
    pairs = dict[int, int]()
    for by in range(3):
        for column in news:
            free = (
                one for one in olds if one[2] not in pairs.values() and (one[by], one[3]) == (column[by], column[3])
            )
            like = None if column[2] in pairs else next(free, None)
            if like is not None:
                pairs[column[2]] = like[2]
    back = {like: at for at, like in pairs.items()}
    # Names of columns may occur twice, and differ in both plans.
    names = tuple(f"{name}{'' if at in pairs else ' (new)'}" for at, (_, name, _) in enumerate(new))
    names = tuple(name if names.count(name) == 1 else f"{name} ({at})" for at, name in enumerate(names))
    return tuple(names[back[at]] if at in back else f"{name} (old {at})" for at, (_, name, _) in enumerate(old)), names
