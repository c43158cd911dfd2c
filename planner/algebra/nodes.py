"""Relational algebra: immutable nodes between the SQL binder (or the Table API) and the physical planner.

Every node knows its `row_type`. Expressions are `plans.rex` nodes over the columns of the input (for joins: left
columns, then right); those of `algebra.rex` exist only here. Time attributes are in the types (`TimeKind`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from compiled_plan.planner.algebra.kinds import JoinKind, SetKind
from compiled_plan.planner.algebra.rows import join_row_type
from compiled_plan.planner.catalog.tables import CatalogTable
from compiled_plan.plans.rex import RexNode
from compiled_plan.plans.types import LogicalType, RowType


@dataclass(frozen=True, slots=True)
class Hint:
    """A query hint such as STATE_TTL or OPTIONS: its position and its content.

    `places` are the positions of its options in the program's text.
    """

    name: str
    options: tuple[tuple[str, str], ...] = ()
    arguments: tuple[str, ...] = ()
    where: str = ""
    places: tuple[tuple[str, str], ...] = ()


class FunctionName(str):
    """The name of a user's aggregate function, used where built-in ones have Flink's internal name.

    `extra` replaces `internalName` in a plan; the text is the function's own name.
    """

    __slots__ = ("extra",)
    extra: tuple[tuple[str, Any], ...]

    def __new__(cls, name: str, extra: tuple[tuple[str, object], ...]) -> FunctionName:
        function_name = super().__new__(cls, name)
        function_name.extra = extra
        return function_name

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

    def moved(self, place: Callable[[int], int]) -> AggregateCall:
        """The call with its column indices mapped by `place`."""
        where = None if self.filter is None else place(self.filter)
        return replace(self, args=tuple(map(place, self.args)), filter=where)


@dataclass(frozen=True, slots=True)
class SortKey:
    """One column to sort by."""

    index: int
    ascending: bool = True
    nulls_last: bool = False


@dataclass(frozen=True, slots=True)
class RelNode:
    """Base of all relational nodes. `where` is the node's position in the program, for errors; empty if unknown."""

    #: The field that holds the node's expressions over its inputs' columns; None if it has none.
    EXPRESSIONS: ClassVar[str | None] = None

    where: str = field(default="", kw_only=True, compare=False, repr=False)

    @property
    def row_type(self) -> RowType:
        raise NotImplementedError(type(self).__name__)

    @property
    def inputs(self) -> tuple[RelNode, ...]:
        """The node's inputs, in order."""
        return ()

    def with_inputs(self, inputs: tuple[RelNode, ...]) -> RelNode:
        """The same node over other inputs."""
        return self


@dataclass(frozen=True, slots=True)
class _Leaf(RelNode):
    """A node without inputs and with declared columns."""

    columns: RowType

    @property
    def row_type(self) -> RowType:
        return self.columns


@dataclass(frozen=True, slots=True)
class Single(RelNode):
    """A node with one input, whose columns it passes on."""

    input: RelNode

    @property
    def row_type(self) -> RowType:
        below = self.input
        while isinstance(below, Single) and type(below).row_type is Single.row_type:
            below = below.input  # a program may have thousands of filters
        return below.row_type

    @property
    def inputs(self) -> tuple[RelNode, ...]:
        return (self.input,)

    def with_inputs(self, inputs: tuple[RelNode, ...]) -> RelNode:
        return replace(self, input=inputs[0])


class NewColumns(Single):
    """A node with one input and columns of its own."""

    __slots__ = ()
    columns: RowType

    @property
    def row_type(self) -> RowType:
        return self.columns


@dataclass(frozen=True, slots=True)
class Barrier(Single):
    """A node that rules do not rewrite: it reads all columns, no condition passes it, and its rows have no window.

    Its expressions, if any, are not over the columns of its input.
    """


@dataclass(frozen=True, slots=True)
class PushedWatermark:
    """The watermark and the rowtime that a source computes from its columns.

    `produced` are the output columns; one of them is the rowtime unless a projection above computes it.
    """

    watermark: RexNode
    rowtime: RexNode
    produced: RowType


@dataclass(frozen=True, slots=True)
class LateRows:
    """The table for late rows of a scan; `where` is the position of the hint that names it, empty for an option."""

    table: CatalogTable
    where: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Scan(_Leaf):
    """A table's physical columns, then its metadata columns (the source's output before computed columns).

    Computed columns are a Project above it, the watermark a WatermarkAssigner above that; the binder adds both.
    `alias` is the name in the query; `hints` are those written after the table's name. `pushed` is the watermark that
    the source assigns itself, `filters` the conditions pushed into it (over its physical columns), `limit` the number
    of
    rows pushed into it. Unreadable records go to the table `dead_letters`, rows that an operator drops as late to the
    table `late`, if any.
    """

    table: CatalogTable
    alias: str = ""
    hints: tuple[Hint, ...] = ()
    pushed: PushedWatermark | None = None
    filters: tuple[RexNode, ...] | None = None
    limit: int | None = None
    dead_letters: CatalogTable | None = None
    late: LateRows | None = None


@dataclass(frozen=True, slots=True)
class Values(_Leaf):
    """Constant rows; each cell is a Literal or a call over literals."""

    EXPRESSIONS = "rows"

    rows: tuple[tuple[RexNode, ...], ...]


@dataclass(frozen=True, slots=True)
class Project(NewColumns):
    """New columns from expressions; may hold Over expressions until the rules replace them."""

    EXPRESSIONS = "exprs"

    exprs: tuple[RexNode, ...]
    columns: RowType


@dataclass(frozen=True, slots=True)
class Filter(Single):
    """Rows for which `condition` is true; may hold Subquery expressions until the rules replace them."""

    EXPRESSIONS = "condition"

    condition: RexNode


@dataclass(frozen=True, slots=True)
class WatermarkAssigner(NewColumns):
    """Declares column `index` as the rowtime with `watermark`, an expression over the input's columns."""

    EXPRESSIONS = "watermark"

    index: int
    watermark: RexNode
    columns: RowType


@dataclass(frozen=True, slots=True)
class Pair(RelNode):
    """A node with the columns of two inputs; caches its row type, which is read often and at every level."""

    left: RelNode
    right: RelNode
    kind: JoinKind
    _columns: RowType = field(init=False, repr=False, compare=False)

    @property
    def row_type(self) -> RowType:
        try:
            return self._columns
        except AttributeError:
            row_type = join_row_type(self.left.row_type, self.right.row_type, self.kind)
            object.__setattr__(self, "_columns", row_type)
            return row_type

    @property
    def inputs(self) -> tuple[RelNode, ...]:
        return (self.left, self.right)

    def with_inputs(self, inputs: tuple[RelNode, ...]) -> RelNode:
        return replace(self, left=inputs[0], right=inputs[1])


@dataclass(frozen=True, slots=True)
class Join(Pair):
    """A join of two inputs; `condition` is over left and right columns. `hints` are those of its query block.

    `left_aliases` and `right_aliases` are the names of the tables on each side (for STATE_TTL).
    """

    EXPRESSIONS = "condition"

    condition: RexNode
    hints: tuple[Hint, ...] = ()
    left_aliases: tuple[str, ...] = ()
    right_aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Correlate(Pair):
    """For every left row, the right rows that depend on it through OuterRef(name); kind INNER or LEFT."""

    EXPRESSIONS = "condition"

    name: str
    condition: RexNode | None = None


@dataclass(frozen=True, slots=True)
class TableFunctionScan(_Leaf):
    """The rows of a table function (`$UNNEST_ROWS$1`, `$REPLICATE_ROWS$1`, a user's); has no input."""

    EXPRESSIONS = "call"

    call: RexNode


@dataclass(frozen=True, slots=True)
class Aggregate(NewColumns):
    """Grouping and aggregation. Columns: the grouping columns in order, then the calls.

    `grouping_sets` has more than one entry for GROUPING SETS, ROLLUP and CUBE (each a subset of `grouping`); the rule
    that
    expands them adds the grouping-id column that GROUPING() reads. DISTINCT is an Aggregate without calls. `split`
    marks
    the two aggregates of a split DISTINCT aggregate.
    """

    grouping: tuple[int, ...]
    calls: tuple[AggregateCall, ...]
    columns: RowType
    grouping_sets: tuple[tuple[int, ...], ...] = ()
    hints: tuple[Hint, ...] = ()
    split: bool = False


@dataclass(frozen=True, slots=True)
class Sort(Single):
    """ORDER BY, OFFSET, FETCH; keys may be empty (a plain LIMIT)."""

    keys: tuple[SortKey, ...]
    offset: int = 0
    fetch: int | None = None


@dataclass(frozen=True, slots=True)
class Rank(NewColumns):
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


@dataclass(frozen=True, slots=True)
class SetOp(RelNode):
    """UNION, INTERSECT or EXCEPT of inputs cast to `columns`."""

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
class Expand(NewColumns):
    """Every input row once per entry of `projects`; used for grouping sets."""

    EXPRESSIONS = "projects"

    projects: tuple[tuple[RexNode, ...], ...]
    columns: RowType
    expand_id: int = 0


@dataclass(frozen=True, slots=True)
class Sink(Single):
    """Writes the query's rows to a table, cast to its columns; `target` are the indices of the written columns.

    `on_conflict` is None, NOTHING, ERROR or DEDUPLICATE.
    """

    table: CatalogTable
    target: tuple[int, ...] | None = None
    hints: tuple[Hint, ...] = ()
    on_conflict: str | None = None
