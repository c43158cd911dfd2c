"""Which columns of its inputs a node refers to, so that an index out of range is found when a plan is read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from plans.nodes.base import PlanModel, PlanNode
from plans.rex import RexNode, input_refs


@dataclass(frozen=True, slots=True)
class ColumnUse:
    """Columns that a node refers to.

    Args:
        path: where in the node's JSON, as parts of a JSON pointer.
        index: index of the column.
        input: number of the input; None for the columns of all inputs in a row, as in a join's condition.
    """

    path: tuple[str | int, ...]
    index: int
    input: int | None


#: The time attribute of a join by processing time.
NO_COLUMN = -1
#: JSON name of a field -> the input whose column indices it holds. Fields that mean the same in every node.
_INDICES = {
    "grouping": 0,
    "partialAggGrouping": 0,
    "uniqueKeys": 0,
    "leftKeys": 0,
    "rightKeys": 1,
    "leftUpsertKeys": 0,
    "rightUpsertKeys": 1,
    "leftTimeIndex": 0,
    "rightTimeIndex": 1,
    "leftTimeAttributeIndex": 0,
    "rightTimeAttributeIndex": 1,
    "rowtimeFieldIndex": 0,
    "inputUpsertKey": 0,
    "partitionKeys": 0,
    "orderKey": 0,
}
_SPECS = {"partition", "partitionSpec", "orderBy", "sortSpec"}
_REX_OVER_ALL = {"projection", "condition", "projects", "watermarkExpr", "filterCondition", "nonEquiCondition"}
# A correlate's condition is over the rows of the function, a match's expressions over patterns.
_NOT_READ = {"correlate", "lookup-join", "match", "over-aggregate"}


def column_uses(node: PlanNode) -> Iterator[ColumnUse]:
    """All columns that a runnable node refers to."""
    for number, entry in enumerate(node.input_properties):
        keys = entry.required_distribution.keys or ()
        path = ("inputProperties", number, "requiredDistribution", "keys")
        yield from (ColumnUse((*path, at), key, number) for at, key in enumerate(keys))
    if node.RUNNABLE and node.kind not in _NOT_READ:
        yield from _in_model(node, ())


def _in_model(model: PlanModel, at: tuple[str | int, ...]) -> Iterator[ColumnUse]:
    for name, info in type(model).model_fields.items():
        alias, value = info.alias or name, getattr(model, name)
        path = (*at, alias)
        if alias in _INDICES:
            yield from _indices(value, path, _INDICES[alias])
        elif alias in _REX_OVER_ALL:
            yield from _expressions(value, path)
        elif alias in _SPECS and isinstance(value, PlanModel):
            yield from _spec(value, path)
        elif isinstance(value, PlanModel) and alias in ("joinSpec", "intervalJoinSpec", "windowBounds"):
            yield from _in_model(value, path)


def _indices(value: object, path: tuple[str | int, ...], number: int) -> Iterator[ColumnUse]:
    if isinstance(value, tuple):
        for at, item in enumerate(value):
            yield from _indices(item, (*path, at), number)
    elif isinstance(value, int) and not (value == NO_COLUMN and str(path[-1]).endswith("TimeAttributeIndex")):
        yield ColumnUse(path, value, number)


def _expressions(value: object, path: tuple[str | int, ...]) -> Iterator[ColumnUse]:
    if isinstance(value, RexNode):
        yield from (ColumnUse(path, index, None) for index in sorted(input_refs(value)))
    elif isinstance(value, tuple):
        for at, item in enumerate(value):
            yield from _expressions(item, (*path, at))


def _spec(value: PlanModel, path: tuple[str | int, ...]) -> Iterator[ColumnUse]:
    fields: Iterable[object] = getattr(value, "fields", ())
    for at, field in enumerate(fields):
        if isinstance(field, int):
            yield ColumnUse((*path, "fields", at), field, 0)
        else:
            yield ColumnUse((*path, "fields", at, "index"), getattr(field, "index", 0), 0)
