"""Column references of nodes, and their renumbering, both derived from the node's declaration.

A mark (`OfInput`, `OfRight`, ...) declares that a field's numbers are columns, and of which input. Expressions have
column references of their own; without a mark they refer to the concatenated columns of all inputs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from compiled_plan.plans.findings import Fault
from compiled_plan.plans.nodes.base import PlanNode
from compiled_plan.plans.nodes.model import JoinSide, PlanModel, Refers
from compiled_plan.plans.rex import PatternInputRef, RexNode
from compiled_plan.plans.rex.nodes import InputRef, transform

Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Reference:
    """A column that a node refers to."""

    path: Path  # in the node's JSON
    input: int | None  # number of the input; None: the concatenated columns of all inputs
    column: int


Change = Callable[[Reference], int]


def references(node: PlanNode) -> tuple[Reference, ...]:
    """All column references of a node, in the order of its fields."""
    collected: list[Reference] = []

    def note(reference: Reference) -> int:
        collected.append(reference)
        return reference.column

    with_columns(node, note)
    return tuple(collected)


def with_columns(node: PlanNode, change: Change) -> PlanNode:
    """The node with its column references renumbered by `change`."""
    if not node.INPUTS.least:
        return node
    if node.INPUTS.most == 1:
        # With a single input, a reference to all inputs is a reference to it.
        original = change

        def change(reference: Reference) -> int:
            return original(replace(reference, input=0))

    changed: PlanNode = _model(node, (), 0, change, node.columns_end)
    return changed


def reference_faults(node: PlanNode, widths: Sequence[int]) -> Iterator[Fault]:
    """Faults of references out of range, by the number of columns of each input."""
    for reference in references(node):
        width = (
            sum(widths) if reference.input is None else widths[reference.input] if reference.input < len(widths) else 0
        )
        if reference.column >= width:
            message = f"no column {reference.column}: there are {width} columns"
            remedy = f"columns are numbered 0 to {width - 1}" if width else "there are none"
            yield Fault(reference.path, message, remedy, reference.column)


@cache
def _marks(model: type[PlanModel]) -> tuple[tuple[str, str, Refers | None], ...]:
    """Per field: Python name, JSON name, and the columns that its indices refer to."""
    return tuple(
        (name, info.alias or name, next((mark for mark in info.metadata if isinstance(mark, Refers)), None))
        for name, info in model.model_fields.items()
        if name not in _SHARED
    )


#: Fields of all nodes that refer to no column, or are handled separately.
_SHARED = frozenset(PlanNode.model_fields) - {"input_properties"} | {"state"}


def _model(model: Any, path: Path, first: int, change: Change, end: int | None) -> Any:
    update: dict[str, object] = {}
    kind: type[PlanModel] = type(model)
    for name, alias, mark in _marks(kind):
        value = getattr(model, name)
        if name == "input_properties":
            changed: object = tuple(
                _distribution(item, (*path, alias, at), at, change) for at, item in enumerate(value)
            )
        elif mark is not None and mark.side is JoinSide.ELSEWHERE:
            continue
        else:
            side = getattr(model, mark.side) if mark is not None and isinstance(mark.side, str) else mark and mark.side
            changed = _value(value, (*path, alias), _input(side, first), first, change, end)
        if changed != value:
            update[name] = changed
    return model.model_copy(update=update) if update else model


def _input(side: object, first: int) -> int | JoinSide | None:
    """The referenced input; in a nested object the first input is that of the node's field."""
    return first + side if isinstance(side, int) and not isinstance(side, bool) else side  # type: ignore[return-value]


def _value(
    value: object, path: Path, side: int | JoinSide | None, first: int, change: Change, end: int | None
) -> object:
    match value:
        case RexNode():
            return _rex(value, path, side if isinstance(side, int) else None, change, end)
        case PlanModel():
            return _model(value, path, side if isinstance(side, int) else first, change, end)
        case tuple():
            per_input = side is JoinSide.EACH
            return tuple(
                _value(item, (*path, at), at if per_input else side, first, change, end)
                for at, item in enumerate(value)
            )
        case dict():
            return {key: _value(item, (*path, key), side, first, change, end) for key, item in value.items()}
        case bool():
            return value
        case int() if side is not None and value >= 0 and (end is None or value < end):
            return change(Reference(path, side if isinstance(side, int) else None, value))
    return value


def _rex(rex: RexNode, path: Path, side: int | None, change: Change, end: int | None) -> RexNode:
    def changed(node: RexNode) -> RexNode:
        if isinstance(node, InputRef | PatternInputRef) and (end is None or node.index < end):
            return replace(node, index=change(Reference(path, side, node.index)))
        return node

    return transform(rex, changed)


def _distribution(item: Any, path: Path, at: int, change: Change) -> object:
    """The required distribution of an input with its columns renumbered."""
    keys = item.required_distribution.keys
    if not keys:
        return item
    place = (*path, "requiredDistribution", "keys")
    changed = tuple(change(Reference((*place, number), at, key)) for number, key in enumerate(keys))
    return item.model_copy(
        update={"required_distribution": item.required_distribution.model_copy(update={"keys": changed})}
    )
