"""Relational algebra: immutable nodes between the SQL binder (or the Table API) and the physical planner.

Every node knows its `row_type`. Expressions are `plans.rex` nodes over the columns of the input (for joins: left
columns, then right). Three expressions exist only here and are rewritten before physical planning: `Subquery`,
`Over` and `OuterRef`. Time attributes are in the types (`TimeKind`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any

from planner.catalog.tables import CatalogTable
from plans.rex import InputRef, RexNode
from plans.types import Field, LogicalType, RowType


class JoinKind(Enum):
    """The joins; SEMI and ANTI give the left columns only."""

    INNER = "INNER"
    LEFT = "LEFT"
    RIGHT = "RIGHT"
    FULL = "FULL"
    SEMI = "SEMI"
    ANTI = "ANTI"


@dataclass(frozen=True, slots=True)
class Hint:
    """A query hint such as STATE_TTL or OPTIONS, where it was written and what it says."""

    name: str
    options: tuple[tuple[str, str], ...] = ()
    arguments: tuple[str, ...] = ()
    where: str = ""


class FunctionName(str):
    """The name of a user's aggregate function where built-in ones have Flink's internal name.

    `extra` is what a plan says of the function instead of `internalName`; the text is the function's own name.
    """

    __slots__ = ("extra",)
    extra: tuple[tuple[str, Any], ...]

    def __new__(cls, name: str, extra: tuple[tuple[str, Any], ...]) -> FunctionName:
        found = super().__new__(cls, name)
        found.extra = extra
        return found

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FunctionName) and self.extra == other.extra

    def __hash__(self) -> int:
        return hash(self.extra)


@dataclass(frozen=True, slots=True)
class AggregateCall:
    """One aggregate of an Aggregate or Over: `name` is Flink's internal name (`$SUM$1`), `args` input columns.

    A user's function has a `FunctionName`. `filter` is the index of a BOOLEAN NOT NULL column, or None. `column` is
    the result's name.
    """

    name: str
    args: tuple[int, ...]
    type: LogicalType
    column: str
    distinct: bool = False
    filter: int | None = None
    approximate: bool = False
    ignore_nulls: bool = False
    syntax: str | None = None


@dataclass(frozen=True, slots=True)
class SortKey:
    """One column to sort by."""

    index: int
    ascending: bool = True
    nulls_last: bool = False


@dataclass(frozen=True, slots=True)
class RelNode:
    """Base of all relational nodes."""

    @property
    def row_type(self) -> RowType:
        """The columns that the node gives."""
        raise NotImplementedError(type(self).__name__)

    @property
    def inputs(self) -> tuple[RelNode, ...]:
        """The nodes that this one reads, in order."""
        return ()

    def with_inputs(self, inputs: tuple[RelNode, ...]) -> RelNode:
        """The same node over other inputs."""
        return self


@dataclass(frozen=True, slots=True)
class _Leaf(RelNode):
    """A node without inputs, its columns given."""

    columns: RowType

    @property
    def row_type(self) -> RowType:
        return self.columns


@dataclass(frozen=True, slots=True)
class Single(RelNode):
    """A node with one input whose columns it keeps."""

    input: RelNode

    @property
    def row_type(self) -> RowType:
        return self.input.row_type

    @property
    def inputs(self) -> tuple[RelNode, ...]:
        return (self.input,)

    def with_inputs(self, inputs: tuple[RelNode, ...]) -> RelNode:
        return replace(self, input=inputs[0])


@dataclass(frozen=True, slots=True)
class Scan(_Leaf):
    """A table's physical columns, then its metadata columns (what the source produces, before computed columns).

    Computed columns are a Project above it, the watermark a WatermarkAssigner above that; the binder puts them
    there. `alias` is the name in the query; `hints` are those written after the table's name.
    """

    table: CatalogTable
    alias: str = ""
    hints: tuple[Hint, ...] = ()


@dataclass(frozen=True, slots=True)
class Values(_Leaf):
    """Constant rows; each cell is a Literal or a call over literals."""

    rows: tuple[tuple[RexNode, ...], ...]


@dataclass(frozen=True, slots=True)
class Project(Single):
    """New columns from expressions. May hold Over expressions until the rules take them out."""

    exprs: tuple[RexNode, ...]
    columns: RowType

    @property
    def row_type(self) -> RowType:
        return self.columns


@dataclass(frozen=True, slots=True)
class Filter(Single):
    """Rows for which `condition` is true. May hold Subquery expressions until the rules take them out."""

    condition: RexNode


@dataclass(frozen=True, slots=True)
class WatermarkAssigner(Single):
    """Makes column `index` the rowtime, its watermark being `watermark` over the input's columns."""

    index: int
    watermark: RexNode
    columns: RowType

    @property
    def row_type(self) -> RowType:
        return self.columns


@dataclass(frozen=True, slots=True)
class Join(RelNode):
    """A join of two inputs; `condition` is over left and right columns. `hints` are those of its query block.

    `left_aliases` and `right_aliases` are the names in the query that stand for each side (for STATE_TTL).
    """

    left: RelNode
    right: RelNode
    kind: JoinKind
    condition: RexNode
    hints: tuple[Hint, ...] = ()
    left_aliases: tuple[str, ...] = ()
    right_aliases: tuple[str, ...] = ()

    @property
    def row_type(self) -> RowType:
        return join_row_type(self.left.row_type, self.right.row_type, self.kind)

    @property
    def inputs(self) -> tuple[RelNode, ...]:
        return (self.left, self.right)

    def with_inputs(self, inputs: tuple[RelNode, ...]) -> RelNode:
        return replace(self, left=inputs[0], right=inputs[1])


@dataclass(frozen=True, slots=True)
class Correlate(RelNode):
    """For every left row, the right rows that depend on it through OuterRef(name); kind INNER or LEFT."""

    left: RelNode
    right: RelNode
    kind: JoinKind
    name: str
    condition: RexNode | None = None

    @property
    def row_type(self) -> RowType:
        return join_row_type(self.left.row_type, self.right.row_type, self.kind)

    @property
    def inputs(self) -> tuple[RelNode, ...]:
        return (self.left, self.right)

    def with_inputs(self, inputs: tuple[RelNode, ...]) -> RelNode:
        return replace(self, left=inputs[0], right=inputs[1])


@dataclass(frozen=True, slots=True)
class TableFunctionScan(_Leaf):
    """The rows that a table function gives (`$UNNEST_ROWS$1`, `$REPLICATE_ROWS$1`, a user's); no input of its own."""

    call: RexNode


@dataclass(frozen=True, slots=True)
class Aggregate(Single):
    """Groups and aggregates. Columns: the grouping columns in order, then the calls.

    `grouping_sets` has more than one entry for GROUPING SETS, ROLLUP and CUBE (each a subset of `grouping`); the
    grouping-id column that GROUPING() reads is made by the rule that expands them. DISTINCT is an Aggregate
    without calls. `split`: one of the two aggregates that a DISTINCT one became.
    """

    grouping: tuple[int, ...]
    calls: tuple[AggregateCall, ...]
    columns: RowType
    grouping_sets: tuple[tuple[int, ...], ...] = ()
    hints: tuple[Hint, ...] = ()
    split: bool = False

    @property
    def row_type(self) -> RowType:
        return self.columns


@dataclass(frozen=True, slots=True)
class Sort(Single):
    """ORDER BY, OFFSET, FETCH; keys may be empty (a plain LIMIT)."""

    keys: tuple[SortKey, ...]
    offset: int = 0
    fetch: int | None = None


@dataclass(frozen=True, slots=True)
class Rank(Single):
    """ROW_NUMBER top-n: per `partition`, ordered by `order`, the rows ranked `start` to `end` (1-based, inclusive).

    `end_column` instead of `end` when the limit is a column. With `rank_column` the rank is the last column.
    """

    partition: tuple[int, ...]
    order: tuple[SortKey, ...]
    start: int
    end: int | None
    end_column: int | None
    rank_column: str | None
    columns: RowType
    function: str = "ROW_NUMBER"

    @property
    def row_type(self) -> RowType:
        return self.columns


@dataclass(frozen=True, slots=True)
class Deduplicate(Single):
    """First or last row per `keys`, by arrival (proctime) or by rowtime column `order`."""

    keys: tuple[int, ...]
    order: int
    rowtime: bool
    keep_last: bool


class SetKind(Enum):
    """The set operations."""

    UNION = "UNION"
    INTERSECT = "INTERSECT"
    MINUS = "MINUS"


@dataclass(frozen=True, slots=True)
class SetOp(RelNode):
    """UNION, INTERSECT or EXCEPT of inputs whose columns have been cast to `columns`."""

    sources: tuple[RelNode, ...]
    kind: SetKind
    all: bool
    columns: RowType

    @property
    def row_type(self) -> RowType:
        return self.columns

    @property
    def inputs(self) -> tuple[RelNode, ...]:
        return self.sources

    def with_inputs(self, inputs: tuple[RelNode, ...]) -> RelNode:
        return replace(self, sources=inputs)


@dataclass(frozen=True, slots=True)
class Expand(Single):
    """Every input row once per entry of `projects`; used for grouping sets."""

    projects: tuple[tuple[RexNode, ...], ...]
    columns: RowType
    expand_id: int = 0

    @property
    def row_type(self) -> RowType:
        return self.columns


@dataclass(frozen=True, slots=True)
class Sink(Single):
    """The query's rows into a table, cast to its columns; `target` are the indices of the columns written.

    `on_conflict` is None, NOTHING, ERROR or DEDUPLICATE.
    """

    table: CatalogTable
    target: tuple[int, ...] | None = None
    hints: tuple[Hint, ...] = ()
    on_conflict: str | None = None


class SubqueryKind(Enum):
    """How a subquery is used in an expression."""

    SCALAR = "SCALAR"
    EXISTS = "EXISTS"
    IN = "IN"
    SOME = "SOME"
    ALL = "ALL"


@dataclass(frozen=True, slots=True)
class Subquery(RexNode):
    """A subquery in an expression. `operands` are the left side of IN, SOME, ALL; `operator` the comparison's name.

    Columns of the enclosing query appear inside `rel` as OuterRef(`name`, ...).
    """

    kind: SubqueryKind
    rel: RelNode
    type: LogicalType
    name: str
    operands: tuple[RexNode, ...] = ()
    operator: str = "$=$1"

    def children(self) -> tuple[RexNode, ...]:
        return self.operands

    def with_children(self, children: tuple[RexNode, ...]) -> RexNode:
        return replace(self, operands=children)


@dataclass(frozen=True, slots=True)
class OuterRef(RexNode):
    """Column `index` of the enclosing query's row (the correlation variable `name`)."""

    name: str
    index: int
    type: LogicalType


class FrameUnit(Enum):
    """ROWS or RANGE."""

    ROWS = "ROWS"
    RANGE = "RANGE"


@dataclass(frozen=True, slots=True)
class Bound:
    """One end of a frame: UNBOUNDED_PRECEDING, PRECEDING, CURRENT_ROW, FOLLOWING, UNBOUNDED_FOLLOWING."""

    kind: str
    offset: RexNode | None = None


@dataclass(frozen=True, slots=True)
class Over(RexNode):
    """A window function or aggregate `name` over a window; `order` pairs expressions with direction and nulls."""

    name: str
    operands: tuple[RexNode, ...]
    partition: tuple[RexNode, ...]
    order: tuple[tuple[RexNode, bool, bool], ...]
    type: LogicalType
    unit: FrameUnit = FrameUnit.RANGE
    lower: Bound = field(default_factory=lambda: Bound("UNBOUNDED_PRECEDING"))
    upper: Bound = field(default_factory=lambda: Bound("CURRENT_ROW"))
    distinct: bool = False
    ignore_nulls: bool = False

    def children(self) -> tuple[RexNode, ...]:
        return (*self.operands, *self.partition, *(expr for expr, _, _ in self.order))

    def with_children(self, children: tuple[RexNode, ...]) -> RexNode:
        args, parts = len(self.operands), len(self.partition)
        order = tuple(
            (child, ascending, nulls_last)
            for child, (_, ascending, nulls_last) in zip(children[args + parts :], self.order, strict=True)
        )
        return replace(self, operands=children[:args], partition=children[args : args + parts], order=order)


def join_row_type(left: RowType, right: RowType, kind: JoinKind) -> RowType:
    """Columns of a join: names made unique as Flink does (`id`, `id0`), outer sides made nullable."""
    if kind in (JoinKind.SEMI, JoinKind.ANTI):
        return left
    nullable_left = kind in (JoinKind.RIGHT, JoinKind.FULL)
    nullable_right = kind in (JoinKind.LEFT, JoinKind.FULL)
    fields = [_as_nullable(item) for item in left.fields] if nullable_left else list(left.fields)
    taken = set(left.names)
    for item in right.fields:
        name = unique_name(item.name, taken)
        taken.add(name)
        found = _as_nullable(item) if nullable_right else item
        fields.append(found if found.name == name else Field(name, found.type, found.comment))
    return RowType(fields=tuple(fields))


def _as_nullable(item: Field) -> Field:
    return item if item.type.nullable else Field(item.name, item.type.with_nullability(True), item.comment)


def unique_name(name: str, taken: Collection[str]) -> str:
    """`name`, or with the first number appended that makes it new: `id`, `id0`, `id1`."""
    if name not in taken:
        return name
    number = 0
    while f"{name}{number}" in taken:
        number += 1
    return f"{name}{number}"


def named_row(names: Sequence[str], types: Sequence[LogicalType]) -> RowType:
    """A row of these names, made unique as Flink does."""
    taken: dict[str, None] = {}
    for name in names:
        taken[unique_name(name, taken)] = None
    return RowType(fields=tuple(Field(name, type_) for name, type_ in zip(taken, types, strict=True)))


def column_names(exprs: Sequence[RexNode], row: RowType) -> tuple[str, ...]:
    """Names for expressions over a row: that of the column, or `$f0` by place for what is computed."""
    return tuple(row.names[rex.index] if isinstance(rex, InputRef) else f"$f{at}" for at, rex in enumerate(exprs))


def identity(row: RowType) -> tuple[InputRef, ...]:
    """References to all columns of a row, in order."""
    return tuple(InputRef(index, type_) for index, type_ in enumerate(row.types))


def rewrite(rel: RelNode, change: Callable[[RelNode], RelNode]) -> RelNode:
    """The tree rebuilt bottom-up with `change` applied to every node (not inside subqueries)."""
    inputs = tuple(rewrite(child, change) for child in rel.inputs)
    if any(new is not old for new, old in zip(inputs, rel.inputs, strict=True)):
        rel = rel.with_inputs(inputs)
    return change(rel)
