"""A naive evaluator of relational trees over lists of rows: slow, obvious, and independent of rewrites."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from functools import cmp_to_key
from typing import Any

from compiled_plan.planner.algebra.kinds import JoinKind, SetKind
from compiled_plan.planner.algebra.nodes import (
    Aggregate,
    AggregateCall,
    Correlate,
    Expand,
    Filter,
    Join,
    Project,
    Rank,
    RelNode,
    Scan,
    SetOp,
    Sink,
    Sort,
    SortKey,
    TableFunctionScan,
    Values,
    WatermarkAssigner,
)
from compiled_plan.planner.algebra.rex import OuterRef, Over, Subquery, SubqueryKind
from compiled_plan.plans.rex import Call, InputRef, Literal, RexNode, Sarg
from compiled_plan.plans.types import DecimalType, IntegerType

Row = tuple[Any, ...]
Tables = Mapping[str, Sequence[Mapping[str, Any]]]
Outer = Mapping[str, Row]


class Evaluator:
    """Evaluate trees over tables of dicts."""

    def __init__(self, tables: Tables) -> None:
        self.tables = tables

    def rows(self, rel: RelNode, outer: Outer | None = None) -> list[Row]:
        """The rows of a tree, in any order."""
        return self._rows(rel, outer or {})

    def _rows(self, rel: RelNode, outer: Outer) -> list[Row]:
        match rel:
            case Sink() | WatermarkAssigner():
                return self._rows(rel.input, outer)
            case Scan():
                return [
                    tuple(row[name] for name in rel.row_type.names) for row in self.tables[rel.table.identifier.name]
                ]
            case Values():
                return [tuple(self.value(cell, (), outer) for cell in row) for row in rel.rows]
            case Project():
                return self._project(rel, outer)
            case Filter():
                return [row for row in self._rows(rel.input, outer) if self.value(rel.condition, row, outer) is True]
            case Join():
                return self._join(rel, outer)
            case Correlate():
                return self._correlate(rel, outer)
            case TableFunctionScan():
                return self._function(rel, outer)
            case Aggregate():
                return self._aggregate(rel, outer)
            case Sort():
                ordered_rows = ordered(self._rows(rel.input, outer), rel.keys)
                return ordered_rows[rel.offset :][: rel.fetch]
            case Rank():
                return self._rank(rel, outer)
            case SetOp():
                return self._set_operation(rel, outer)
            case Expand():
                rows = self._rows(rel.input, outer)
                return [tuple(self.value(rex, row, outer) for rex in item) for row in rows for item in rel.projects]
        raise NotImplementedError(type(rel).__name__)

    def _project(self, rel: Project, outer: Outer) -> list[Row]:
        rows = self._rows(rel.input, outer)
        windows = {node for rex in rel.exprs for node in _walk(rex) if isinstance(node, Over)}
        numbers = {window: self._window(window, rows, outer) for window in windows}
        return [
            tuple(self.value(rex, row, outer, {key: item[at] for key, item in numbers.items()}) for rex in rel.exprs)
            for at, row in enumerate(rows)
        ]

    def _window(self, window: Over, rows: list[Row], outer: Outer) -> list[int]:
        """ROW_NUMBER of every row."""
        assert window.name == "$ROW_NUMBER$1"
        groups: dict[Row, list[int]] = {}
        for at, row in enumerate(rows):
            groups.setdefault(tuple(self.value(rex, row, outer) for rex in window.partition), []).append(at)
        numbers = [0] * len(rows)
        for members in groups.values():
            extended = [
                (*(self.value(rex, rows[at], outer) for rex, _, _ in window.order), rows[at], at) for at in members
            ]
            keys = [SortKey(index, ascending, last) for index, (_, ascending, last) in enumerate(window.order)]
            for number, item in enumerate(ordered(extended, keys), 1):
                numbers[item[-1]] = number
        return numbers

    def _join(self, rel: Join, outer: Outer) -> list[Row]:
        left, right = self._rows(rel.left, outer), self._rows(rel.right, outer)
        widths = len(rel.left.row_type.fields), len(rel.right.row_type.fields)
        result: list[Row] = []
        matched: set[int] = set()
        for row in left:
            partners = [
                at for at, candidate in enumerate(right) if self.value(rel.condition, row + candidate, outer) is True
            ]
            matched.update(partners)
            if rel.kind is JoinKind.SEMI:
                result += [row] if partners else []
            elif rel.kind is JoinKind.ANTI:
                result += [] if partners else [row]
            else:
                result += [row + right[at] for at in partners]
                if not partners and rel.kind in (JoinKind.LEFT, JoinKind.FULL):
                    result.append(row + (None,) * widths[1])
        if rel.kind in (JoinKind.RIGHT, JoinKind.FULL):
            result += [(None,) * widths[0] + row for at, row in enumerate(right) if at not in matched]
        return result

    def _correlate(self, rel: Correlate, outer: Outer) -> list[Row]:
        result: list[Row] = []
        for row in self._rows(rel.left, outer):
            partners = self._rows(rel.right, {**outer, rel.name: row})
            if rel.condition is not None:
                partners = [item for item in partners if self.value(rel.condition, row + item, outer) is True]
            result += [row + item for item in partners]
            if not partners and rel.kind is JoinKind.LEFT:
                result.append(row + (None,) * len(rel.right.row_type.fields))
        return result

    def _function(self, rel: TableFunctionScan, outer: Outer) -> list[Row]:
        assert isinstance(rel.call, Call)
        args = [self.value(operand, (), outer) for operand in rel.call.operands]
        if rel.call.name == "$REPLICATE_ROWS$1":
            return [tuple(args[1:])] * args[0]
        assert rel.call.name == "$UNNEST_ROWS$1"
        return [(item,) for item in args[0] or ()]

    def _aggregate(self, rel: Aggregate, outer: Outer) -> list[Row]:
        rows = self._rows(rel.input, outer)
        result: list[Row] = []
        for grouping_set in rel.grouping_sets or (rel.grouping,):
            # In a stream the empty grouping set among several gives no row for empty input.
            groups: dict[Row, list[Row]] = {} if grouping_set or rel.grouping_sets else {(): []}
            for row in rows:
                groups.setdefault(tuple(row[index] for index in grouping_set), []).append(row)
            for key, members in groups.items():
                known = dict(zip(grouping_set, key, strict=True))
                head = tuple(known.get(index) for index in rel.grouping)
                result.append(head + tuple(_called(call, members, grouping_set) for call in rel.calls))
        return result

    def _rank(self, rel: Rank, outer: Outer) -> list[Row]:
        groups: dict[Row, list[Row]] = {}
        for row in self._rows(rel.input, outer):
            groups.setdefault(tuple(row[index] for index in rel.partition), []).append(row)
        result: list[Row] = []
        for members in groups.values():
            for number, row in enumerate(ordered(members, rel.order), 1):
                end = row[rel.end_column] if rel.end_column is not None else rel.end
                if number >= rel.start and (number <= end if end is not None else rel.end_column is None):
                    result.append((*row, number) if rel.rank_column is not None else row)
        return result

    def _set_operation(self, rel: SetOp, outer: Outer) -> list[Row]:
        first, *others = (self._rows(source, outer) for source in rel.sources)
        if rel.kind is SetKind.UNION:
            union = list(itertools.chain(first, *others))
            return union if rel.all else list(dict.fromkeys(union))
        for branch in others:
            left = list(branch)
            result: list[Row] = []
            for row in first if rel.all else dict.fromkeys(first):
                there = row in left
                if there and rel.all:
                    left.remove(row)
                if there is (rel.kind is SetKind.INTERSECT):
                    result.append(row)
            first = result
        return first

    # --- expressions

    def value(self, rex: RexNode, row: Row, outer: Outer, windows: Mapping[RexNode, int] | None = None) -> Any:
        """The value of an expression over a row."""
        match rex:
            case InputRef():
                return row[rex.index]
            case OuterRef():
                return outer[rex.name][rex.index]
            case Literal():
                return _number(rex.value) if isinstance(rex.type, IntegerType | DecimalType) else rex.value
            case Over():
                return (windows or {})[rex]
            case Subquery():
                return self._subquery(rex, row, outer)
            case Call():
                return self._call(rex, lambda item: self.value(item, row, outer, windows))
        raise NotImplementedError(type(rex).__name__)

    def _subquery(self, rex: Subquery, row: Row, outer: Outer) -> Any:
        rows = self._rows(rex.rel, {**outer, rex.name: row})
        if rex.kind is SubqueryKind.EXISTS:
            return bool(rows)
        if rex.kind is SubqueryKind.SCALAR:
            assert len(rows) <= 1
            return rows[0][0] if rows else None
        mine = [self.value(operand, row, outer) for operand in rex.operands]
        tests = [
            _all(_compared(rex.operator, left, right) for left, right in zip(mine, item, strict=True)) for item in rows
        ]
        return _all(tests) if rex.kind is SubqueryKind.ALL else _any(tests)

    def _call(self, rex: Call, value: Callable[[RexNode], Any]) -> Any:
        if rex.name == "$CASE$1":
            *branches, default = rex.operands
            for when, then in _pairs(branches):
                if value(when) is True:
                    return value(then)
            return value(default)
        if rex.name == "$SEARCH$1":
            return _search(value(rex.operands[0]), rex.operands[1])
        return _FUNCTIONS[rex.name](*(value(operand) for operand in rex.operands))


def _pairs(items: Sequence[RexNode]) -> list[tuple[RexNode, RexNode]]:
    return list(zip(items[::2], items[1::2], strict=True))


def _walk(rex: RexNode) -> list[RexNode]:
    result = [rex]
    if not isinstance(rex, Over):
        for child in rex.children():
            result += _walk(child)
    return result


def _number(value: Any) -> Any:
    return value if value is None or isinstance(value, bool | int) else float(value)


def _any(tests: Any) -> bool | None:
    values = list(tests)
    return True if True in values else None if None in values else False


def _all(tests: Any) -> bool | None:
    values = list(tests)
    return False if False in values else None if None in values else True


_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "$=$1": lambda a, b: a == b,
    "$<>$1": lambda a, b: a != b,
    "$<$1": lambda a, b: a < b,
    "$<=$1": lambda a, b: a <= b,
    "$>$1": lambda a, b: a > b,
    "$>=$1": lambda a, b: a >= b,
}


def _compared(name: str, left: Any, right: Any) -> bool | None:
    return None if left is None or right is None else _COMPARE[name](left, right)


def _strict(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *args: None if None in args else function(*args)


def _search(value: Any, sarg: RexNode) -> bool | None:
    assert isinstance(sarg, Sarg)
    if value is None:
        return {"TRUE": True, "FALSE": False, "UNKNOWN": None}[sarg.null_as]

    def inside(low: Any, high: Any, item: Any) -> bool:
        after = not item.has_lower or value > low or (item.lower_closed and value == low)
        before = not item.has_upper or value < high or (item.upper_closed and value == high)
        return bool(after and before)

    return any(inside(_like(value, item.lower), _like(value, item.upper), item) for item in sarg.ranges)


def _like(value: Any, bound: Any) -> Any:
    return float(bound) if isinstance(value, int | float) and isinstance(bound, str) else bound


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{name: _strict(function) for name, function in _COMPARE.items()},
    "$AND$1": lambda *args: _all(args),
    "$OR$1": lambda *args: _any(args),
    "$NOT$1": _strict(lambda a: not a),
    "$IS NULL$1": lambda a: a is None,
    "$IS NOT NULL$1": lambda a: a is not None,
    "$IS TRUE$1": lambda a: a is True,
    "$IS NOT TRUE$1": lambda a: a is not True,
    "$IS FALSE$1": lambda a: a is False,
    "$IS NOT FALSE$1": lambda a: a is not False,
    "$IS NOT DISTINCT FROM$1": lambda a, b: a == b,
    "$+$1": _strict(lambda a, b: a + b),
    "$-$1": _strict(lambda a, b: a - b),
    "$*$1": _strict(lambda a, b: a * b),
    "$/$1": _strict(lambda a, b: math.trunc(a / b)),
    "$CAST$1": lambda a: a,
    "$COALESCE$1": lambda *args: next((item for item in args if item is not None), None),
    "$IF$1": lambda test, then, otherwise: then if test else otherwise,
    "$UPPER$1": _strict(lambda a: a.upper()),
}


def _called(call: AggregateCall, rows: list[Row], grouping_set: Sequence[int]) -> Any:
    if call.name.startswith("$GROUPING"):
        value = 0
        for index in call.args:
            value = value * 2 + (index not in grouping_set)
        return value
    if call.filter is not None:
        rows = [row for row in rows if row[call.filter] is True]
    values = [row[call.args[0]] for row in rows if row[call.args[0]] is not None] if call.args else [1] * len(rows)
    if call.distinct:
        values = list(dict.fromkeys(values))
    match call.name:
        case "$COUNT$1":
            return len(values)
        case "$$SUM0$1":
            return sum(values)
        case "$SUM$1":
            return sum(values) if values else None
        case "$AVG$1":
            return math.trunc(sum(values) / len(values)) if values else None
        case "$MAX$1":
            return max(values, default=None)
        case "$MIN$1":
            return min(values, default=None)
        case "$SINGLE_VALUE$1":
            assert len(rows) <= 1
            return rows[0][call.args[0]] if rows else None
    raise NotImplementedError(call.name)


def ordered(rows: Sequence[Row], keys: Sequence[SortKey]) -> list[Row]:
    """The rows by keys, then by all columns, so that ties do not depend on the plan."""

    def compare(first: Row, second: Row) -> int:
        for key in keys:
            a, b = first[key.index], second[key.index]
            if a == b:
                continue
            if a is None or b is None:
                return (1 if key.nulls_last else -1) * (1 if a is None else -1)
            return (-1 if a < b else 1) * (1 if key.ascending else -1)
        return 0

    return sorted(sorted(rows, key=repr), key=cmp_to_key(compare))
