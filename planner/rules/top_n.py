"""Top-n: ROW_NUMBER with a condition on its value becomes a Rank.

The condition may be `rn = 1`, `rn <= 3`, `rn BETWEEN 2 AND 5`, or `rn <= column`. A rank with only one possible value
becomes that constant, so that a top 1 needs no rank column.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from compiled_plan.planner.algebra.expressions import MIRRORED, bigint, conjunction, conjuncts, contains, substitute
from compiled_plan.planner.algebra.nodes import Filter, Project, Rank, RelNode, SortKey
from compiled_plan.planner.algebra.rex import RANKING, Over
from compiled_plan.planner.algebra.rows import unique_name
from compiled_plan.planner.algebra.traverse import rewrite_shared
from compiled_plan.planner.rules.helpers.computed_columns import ComputedColumns
from compiled_plan.plans.errors import ProgramError
from compiled_plan.plans.rex import Call, InputRef, Literal, RexNode, Sarg, input_refs, transform, type_of, walk
from compiled_plan.plans.types import BIGINT, Field, IntegerType, RowType, row_of

_RANK_COLUMN = "w0$o0"


@dataclass(frozen=True, slots=True)
class _Span:
    """The range of ranks that pass: from `start` to `end`, or to the value of a column."""

    start: int = 1
    end: int | None = None
    column: RexNode | None = None


def find_top_n(rel: RelNode) -> RelNode:
    """The tree with Ranks for its top-n patterns.

    Raises:
        ProgramError: the condition on the rank has no upper bound.
    """
    return rewrite_shared(rel, _rank)


def _rank(rel: RelNode) -> RelNode:
    if not (isinstance(rel, Filter) and isinstance(rel.input, Project)):
        return rel
    project = rel.input
    windows = {node for rex in project.exprs for node in walk(rex) if isinstance(node, Over)}
    if len(windows) != 1:
        return rel
    (window,) = windows
    if window.name not in RANKING:
        return rel
    columns = [at for at, rex in enumerate(project.exprs) if rex == window]
    if not columns or any(contains(rex, Over) and rex != window for rex in project.exprs):
        return rel
    span, rest = _span(conjuncts(rel.condition), columns, rel.where or window.where)
    if span is None:
        if not _is_ascending(window) and any(input_refs(part) & set(columns) for part in rest):
            raise ProgramError(
                f"the condition does not limit the number of {_function(window)}() in a way that can be planned",
                where=rel.where or window.where,
                remedy="compare it with a whole number: WHERE rn <= 10; test other things in a query around it",
            )
        return rel
    return _with_rest(_ranked(project, window, span), rest)


def _with_rest(rel: RelNode, rest: Sequence[RexNode]) -> RelNode:
    return Filter(rel, conjunction(rest)) if rest else rel


def _is_ascending(window: Over) -> bool:
    """Return True for an order in which an OVER aggregate may number rows."""
    return len(window.order) == 1 and window.order[0][1]


def _function(window: Over) -> str:
    return window.name[1:-2]


def _span(parts: Sequence[RexNode], columns: Sequence[int], where: str) -> tuple[_Span | None, list[RexNode]]:
    """The range that conditions on the rank column select, and the remaining conditions; `where` is their position."""
    start, end, column = 1, None, None
    rest: list[RexNode] = []
    for part in parts:
        bounds = _bounds(part, columns)
        if bounds is None:
            rest.append(part)
            continue
        low, high, by_column = bounds
        if by_column is not None:
            if column is not None:
                rest.append(part)
            column = by_column
            continue
        start = max(start, low)
        end = high if end is None else end if high is None else min(end, high)
    if end is None and column is None:
        if start > 1:
            raise ProgramError(
                "a condition on a rank must give it an upper end: all rows would have to be kept",
                where=where,
                remedy="add one: ... AND rn <= 10",
            )
        return None, list(parts)
    if column is not None and (start != 1 or end is not None):
        return None, list(parts)
    return _Span(start, end, column), rest


def _bounds(part: RexNode, columns: Sequence[int]) -> tuple[int, int | None, RexNode | None] | None:
    """The lowest and highest rank that a condition selects, or the expression that bounds the rank."""
    if not isinstance(part, Call) or len(part.operands) != 2:
        return None
    name, (rank, bound) = part.name, part.operands
    if not _is_rank(rank, columns) and _is_rank(bound, columns) and name in MIRRORED:
        name, rank, bound = MIRRORED[name], bound, rank
    if not _is_rank(rank, columns):
        return None
    if name == "$SEARCH$1" and isinstance(bound, Sarg):
        return _searched(bound)
    value = _number(bound)
    if value is None:
        by_column = not (input_refs(bound) & set(columns)) and isinstance(type_of(bound), IntegerType)
        return (1, None, bound) if name == "$<=$1" and by_column and input_refs(bound) else None
    return {
        "$=$1": (value, value, None),
        "$<$1": (1, value - 1, None),
        "$<=$1": (1, value, None),
        "$>$1": (value + 1, None, None),
        "$>=$1": (value, None, None),
    }.get(name)


def _searched(sarg: Sarg) -> tuple[int, int | None, None] | None:
    if len(sarg.ranges) != 1:
        return None
    (only,) = sarg.ranges
    low = _integer(only.lower) if only.has_lower else 1
    high = _integer(only.upper) if only.has_upper else None
    if low is None or (only.has_upper and high is None):
        return None
    low += only.has_lower and not only.lower_closed
    return low, high if high is None or only.upper_closed else high - 1, None


def _integer(value: object) -> int | None:
    try:
        number = int(str(value))
    except ValueError:
        return None
    return number


def _is_rank(rex: RexNode, columns: Sequence[int]) -> bool:
    if isinstance(rex, Call) and rex.name == "$CAST$1" and isinstance(rex.type, IntegerType):
        return _is_rank(rex.operands[0], columns)
    return isinstance(rex, InputRef) and rex.index in columns


def _number(rex: RexNode) -> int | None:
    if isinstance(rex, Call) and rex.name == "$CAST$1":
        return _number(rex.operands[0])
    return _integer(rex.value) if isinstance(rex, Literal) and not isinstance(rex.value, bool) else None


def _ranked(project: Project, window: Over, span: _Span) -> RelNode:
    """The projection's columns from a Rank over its input."""
    columns = ComputedColumns(project.input)
    partition = tuple(dict.fromkeys(map(columns.place, window.partition)))
    order = tuple(SortKey(columns.place(rex), ascending, nulls_last) for rex, ascending, nulls_last in window.order)
    end_column = None if span.column is None else columns.place(substitute(span.column, project.exprs))
    source = columns.source("$f")
    input_type = row_of(source.row_type.names, source.row_type.types)
    function, where = _function(window), window.where
    one_value = span.end is not None and span.start == span.end and function == "ROW_NUMBER"
    if one_value:
        ranked: RelNode = Rank(
            source, partition, order, span.start, span.end, None, None, input_type, function, where=where
        )
        value: RexNode = bigint(span.start)
    else:
        number = unique_name(_RANK_COLUMN, input_type.names)
        row = RowType(fields=(*input_type.fields, Field(number, BIGINT.not_null())))
        ranked = Rank(source, partition, order, span.start, span.end, end_column, number, row, function, where=where)
        value = InputRef(len(input_type.fields), BIGINT.not_null())
    return replace(
        project,
        input=ranked,
        exprs=tuple(transform(rex, lambda node: value if node == window else node) for rex in project.exprs),
    )
