"""MATCH_RECOGNIZE over linear patterns.

The kernel finds the matches. It also computes the values that conditions and measures read from a match
(`LAST(B.price, 1)`, `SUM(B.price)`); Spark evaluates the expressions around them.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from pyspark.sql import Column

from compiled_plan.plans.execution.expressions import ExpressionContext, to_column
from compiled_plan.plans.execution.operators.base import ByInput, KeyedOperator, KeyedPort, Lowering, keyed
from compiled_plan.plans.execution.operators.parameters import (
    JavaAggregate,
    JoinedCondition,
    Parameters,
    SortColumn,
    sort_columns,
)
from compiled_plan.plans.nodes.match import Match
from compiled_plan.plans.nodes.patterns import ALL, alphas, elements, offset, parts, skip
from compiled_plan.plans.rex import Call, InputRef, Literal, PatternInputRef, RexNode, transform, type_of
from compiled_plan.plans.rex.signatures import AGGREGATES
from compiled_plan.plans.trees import fold_tree
from compiled_plan.plans.types import LogicalType
from compiled_plan.plans.types.temporal import is_rowtime

if TYPE_CHECKING:
    from compiled_plan.plans.execution.functions.java import JavaFunctions


@dataclass(frozen=True, slots=True)
class MatchElement:
    """A variable of a pattern with its quantifier: at least `min` rows, at most `max` (-1: any number)."""

    min: int
    max: int
    greedy: bool


@dataclass(frozen=True, slots=True)
class CurrentValue:
    """A column of the row for which a condition is evaluated."""

    column: int
    kind: str = field(default="current", init=False)


@dataclass(frozen=True, slots=True)
class RowValue:
    """A column of the "first" or "last" row of a variable (-1: of all rows), `offset` rows further inside."""

    variable: int
    column: int
    offset: int = 0
    kind: str = "last"


@dataclass(frozen=True, slots=True)
class AggregateValue:
    """An aggregate over the rows of a variable (-1: all rows); its type is that of the column `type_of`."""

    function: str
    variable: int
    args: tuple[int, ...]
    type_of: int
    java: JavaAggregate | None = None
    kind: str = field(default="aggregate", init=False)


MatchValue = CurrentValue | RowValue | AggregateValue


@dataclass(frozen=True, slots=True)
class MatchParameters(Parameters):
    """A pattern over the rows of a key.

    Args:
        partition: the columns of the key.
        time: the time column, by which rows are ordered.
        order_by: the columns that order rows of equal time.
        pattern: the variables from left to right.
        defines: per variable, the input values of its condition.
        conditions: per variable, its condition; None for any row.
        measures: the input values of the output.
        skip: where to continue after a match: "NEXT_ROW", "PAST_LAST_ROW", "FIRST" or "LAST".
        skip_variable: the index of the variable of FIRST and LAST.
        within: the maximum duration of a match, in ms; None for no limit.
    """

    TYPE: ClassVar[str] = "match-recognize"
    partition: tuple[int, ...]
    time: int
    order_by: tuple[SortColumn, ...]
    pattern: tuple[MatchElement, ...]
    defines: tuple[tuple[MatchValue, ...], ...]
    conditions: tuple[JoinedCondition | None, ...]
    measures: tuple[MatchValue, ...]
    skip: str
    skip_variable: int | None
    within: int | None


@dataclass(frozen=True, slots=True)
class _FlinkMatch:
    """Facts about Flink's state.

    Args:
        variables: the names of the pattern's variables.
        computes: True if stored rows have values here that they do not have there.
    """

    variables: tuple[str, ...]
    computes: bool


@dataclass(slots=True)
class _Rows:
    """The columns of the operator's input: those of the node's input, then computed ones."""

    types: list[LogicalType]
    computed: list[RexNode] = field(default_factory=list)

    def place(self, rex: RexNode) -> int:
        """The column that holds an expression over one row."""
        if isinstance(rex, InputRef):
            return rex.index
        if rex not in self.computed:
            self.computed.append(rex)
            self.types.append(type_of(rex))
        return len(self.types) - len(self.computed) + self.computed.index(rex)

    def null(self, type_: LogicalType) -> int:
        """A null column for its type; trailing nulls take no space in state."""
        return self.place(Literal(None, type_.with_nullability(True)))


@dataclass(slots=True)
class _Values:
    """The values that the kernel reads from a match, and the expressions over them."""

    node: Match
    variables: Sequence[str]
    rows: _Rows
    java: JavaFunctions | None
    where: str
    slots: list[MatchValue] = field(default_factory=list)
    types: list[LogicalType] = field(default_factory=list)

    def rewrite(self, rex: RexNode) -> RexNode:
        return fold_tree(rex, parts, self._rewritten)

    def _rewritten(self, rex: RexNode, inside: tuple[RexNode, ...]) -> RexNode:
        match rex:
            case PatternInputRef():
                return self._slot(rex, RowValue(*self._column(rex)))
            case Call(name="$FINAL$1" | "$RUNNING$1"):
                return inside[0]
            case Call(name="$PREV$1" | "$NEXT$1"):
                return self._slot(rex, CurrentValue(self._column(rex.operands[0])[1]))
            case Call(name="$LAST$1" | "$FIRST$1"):
                kind = "last" if rex.name == "$LAST$1" else "first"
                return self._slot(rex, RowValue(*self._column(rex.operands[0]), offset(rex) or 0, kind))
            case Call(name="$MATCH_ROWTIME$1"):
                time = self.node.match_spec.order_by.fields[0].index
                return self._slot(rex, RowValue(-1, time))
            case Call(name="$MATCH_PROCTIME$1"):
                return Call("$PROCTIME$1", (), rex.type)
            case Call() if rex.name in AGGREGATES:
                return self._aggregate(rex, rex.name)
            case Call() if self.java is not None and self.java.is_aggregate(rex, self.where):
                return self._java_aggregate(rex, self.java)
        return rex.with_children(inside) if inside else rex

    def _java_aggregate(self, rex: Call, functions: JavaFunctions) -> RexNode:
        from compiled_plan.plans.execution.functions.java import AGGREGATE  # for plans with such functions alone
        from compiled_plan.plans.execution.operators.java_aggregates import described_aggregate

        java = described_aggregate(functions.described(rex, AGGREGATE, self.where))
        return self._aggregate(rex, json.loads(java.function)["className"], java)

    def _aggregate(self, rex: Call, function: str, java: JavaAggregate | None = None) -> RexNode:
        columns = [self._column(operand) for operand in rex.operands if not isinstance(operand, Literal)]
        args = tuple(
            self.rows.place(operand) if isinstance(operand, Literal) else self._column(operand)[1]
            for operand in rex.operands
        )
        variable = columns[0][0] if columns else -1
        return self._slot(rex, AggregateValue(function, variable, args, self.rows.null(rex.type), java))

    def _slot(self, rex: RexNode, slot: MatchValue) -> RexNode:
        if slot not in self.slots:
            self.slots.append(slot)
            self.types.append(type_of(rex).with_nullability(True))
        return InputRef(self.slots.index(slot), type_of(rex).with_nullability(True))

    def _column(self, rex: RexNode) -> tuple[int, int]:
        """The variable and the column of an expression over the rows of one variable."""
        alpha = next(iter(alphas(rex)), ALL)

        def plain(part: RexNode) -> RexNode:
            return InputRef(part.index, part.type) if isinstance(part, PatternInputRef) else part

        variable = -1 if alpha == ALL else self.variables.index(alpha)
        return variable, self.rows.place(transform(rex, plain))


def _in_event_time(node: Match, types: Sequence[LogicalType]) -> bool:
    type_ = types[node.match_spec.order_by.fields[0].index]
    return is_rowtime(type_)


@keyed(Match, event_time=ByInput(_in_event_time))
def match_recognize(node: Match, lowering: Lowering) -> KeyedOperator:
    spec = node.match_spec
    pattern = elements(spec.pattern)
    variables = [element.variable for element in pattern]
    rows = _Rows(list(lowering.input_types(node)))
    context = lowering.context(node)
    java = None if lowering.functions is None or lowering.functions.java is None else lowering.functions.java.of(node)
    defines = [_Values(node, variables, rows, java, context.where) for _ in variables]
    conditions = [
        _condition(spec.pattern_definitions.get(name), values, context)
        for name, values in zip(variables, defines, strict=True)
    ]
    keys = spec.partition.fields
    key_types = [rows.types[at] for at in keys]
    measures = _Values(node, variables, rows, java, context.where)
    measured = [measures.rewrite(spec.measures[name]) for name in node.output_type.names[len(keys) :]]
    after = skip(spec.after)
    assert after is not None
    first, *others = spec.order_by.fields

    def finish(output: Sequence[Column]) -> Sequence[Column]:
        return (*output[: len(keys)], *(to_column(rex, tuple(output[len(keys) :]), context) for rex in measured))

    return KeyedOperator(
        ports=(
            KeyedPort.by(
                keys,
                lowering.input_types(node),
                [(rex, type_of(rex)) for rex in rows.computed],
                lambda flow: [to_column(rex, flow.columns, context) for rex in rows.computed],
            ),
        ),
        output=(*key_types, *measures.types),
        parameters=MatchParameters(
            partition=tuple(keys),
            time=first.index,
            order_by=sort_columns(others),
            pattern=tuple(MatchElement(item.least, item.most, item.greedy) for item in pattern),
            defines=tuple(tuple(values.slots) for values in defines),
            conditions=tuple(conditions),
            measures=tuple(measures.slots),
            skip=after[0],
            skip_variable=None if after[1] is None else variables.index(after[1]),
            within=None if spec.interval is None else int(str(getattr(spec.interval, "value", None))),
        ),
        finish=finish,
        flink=_FlinkMatch(
            tuple(variables), any(not isinstance(rex, Literal) or rex.value is not None for rex in rows.computed)
        ),
    )


def _condition(rex: RexNode | None, values: _Values, context: ExpressionContext) -> JoinedCondition | None:
    if rex is None or (isinstance(rex, Literal) and rex.value is True):
        return None
    rewritten = values.rewrite(rex)
    return JoinedCondition(tuple(values.types), lambda columns: to_column(rewritten, tuple(columns), context))
