"""MATCH_RECOGNIZE over linear patterns.

The kernel finds the matches. What its conditions and the measures read off a match (`LAST(B.price, 1)`,
`SUM(B.price)`) are values that the kernel computes; the expressions around them are Spark's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from pyspark.sql import Column
from pyspark.sql import functions as F

from plans.execution.expressions import ExpressionContext, canonical_key, to_column
from plans.execution.operators.base import (
    ByInput,
    Flow,
    JoinedCondition,
    KeyedOperator,
    KeyedPort,
    Lowering,
    keyed,
    refuse,
)
from plans.nodes import Match
from plans.rex import Call, InputRef, Literal, PatternInputRef, RexNode, transform, type_of, walk
from plans.types import LogicalType, RowType, TimeKind, TimestampBase

#: The pattern variable that stands for all rows of a match.
_ALL = "*"
_AGGREGATES = frozenset(
    f"${name}$1"
    for name in ("COUNT", "SUM", "$SUM0", "MIN", "MAX", "AVG", "FIRST_VALUE", "LAST_VALUE", "LISTAGG", "COLLECT")
)
_SKIPS = {
    "SKIP_TO_NEXT_ROW": "NEXT_ROW",
    "SKIP_PAST_LAST_ROW": "PAST_LAST_ROW",
    "$SKIP TO FIRST$1": "FIRST",
    "$SKIP TO LAST$1": "LAST",
}


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
        """A column that is there for its type; trailing nulls take no room in state."""
        return self.place(Literal(None, type_.with_nullability(True)))


@dataclass(slots=True)
class _Values:
    """What the kernel reads off a match, and the expressions over that."""

    node: Match
    variables: Sequence[str]
    rows: _Rows
    slots: list[dict[str, Any]] = field(default_factory=list)
    types: list[LogicalType] = field(default_factory=list)

    def rewrite(self, rex: RexNode) -> RexNode:
        """The expression over the values."""
        match rex:
            case PatternInputRef():
                return self._slot(rex, {"kind": "last", **self._column(rex), "offset": 0})
            case Call(name="$FINAL$1" | "$RUNNING$1"):
                return self.rewrite(rex.operands[0])
            case Call(name="$PREV$1" | "$NEXT$1"):
                if self._offset(rex) != 0:
                    raise refuse(self.node, "PREV or NEXT with an offset", "use LAST or FIRST")
                return self._slot(rex, {"kind": "current", "column": self._column(rex.operands[0])["column"]})
            case Call(name="$LAST$1" | "$FIRST$1"):
                kind = "last" if rex.name == "$LAST$1" else "first"
                return self._slot(rex, {"kind": kind, **self._column(rex.operands[0]), "offset": self._offset(rex)})
            case Call(name="$MATCH_ROWTIME$1"):
                time = self.node.match_spec.order_by.fields[0].index
                return self._slot(rex, {"kind": "last", "variable": -1, "column": time, "offset": 0})
            case Call(name="$MATCH_PROCTIME$1"):
                return Call("$PROCTIME$1", (), rex.type)
            case Call() if rex.name in _AGGREGATES:
                return self._aggregate(rex)
            case _:
                children = rex.children()
                return rex.with_children(tuple(self.rewrite(child) for child in children)) if children else rex

    def _aggregate(self, rex: Call) -> RexNode:
        columns = [self._column(operand) for operand in rex.operands if not isinstance(operand, Literal)]
        slot = {
            "kind": "aggregate",
            "function": rex.name,
            "variable": columns[0]["variable"] if columns else -1,
            "args": [
                self.rows.place(operand) if isinstance(operand, Literal) else self._column(operand)["column"]
                for operand in rex.operands
            ],
            "typeOf": self.rows.null(rex.type),
        }
        return self._slot(rex, slot)

    def _slot(self, rex: RexNode, slot: dict[str, Any]) -> RexNode:
        if slot not in self.slots:
            self.slots.append(slot)
            self.types.append(type_of(rex).with_nullability(True))
        return InputRef(self.slots.index(slot), type_of(rex).with_nullability(True))

    def _column(self, rex: RexNode) -> dict[str, Any]:
        """The variable and the column of an expression over the rows of one variable."""
        alphas = {ref.alpha for ref in walk(rex) if isinstance(ref, PatternInputRef)}
        if len(alphas) > 1:
            raise refuse(self.node, f"an expression over rows of several variables ({', '.join(sorted(alphas))})")
        alpha = next(iter(alphas), _ALL)
        if alpha != _ALL and alpha not in self.variables:
            raise refuse(self.node, f"the variable {alpha}, which the pattern does not have")

        def plain(part: RexNode) -> RexNode:
            if isinstance(part, Call) and part.name in ("$LAST$1", "$FIRST$1", "$PREV$1", *_AGGREGATES):
                raise refuse(self.node, f"{part.name} within another navigation")
            return InputRef(part.index, part.type) if isinstance(part, PatternInputRef) else part

        variable = -1 if alpha == _ALL else self.variables.index(alpha)
        return {"variable": variable, "column": self.rows.place(transform(rex, plain))}

    def _offset(self, rex: Call) -> int:
        offset = rex.operands[1] if len(rex.operands) > 1 else None
        if offset is None:
            return 0
        if not isinstance(offset, Literal) or not isinstance(offset.value, int):
            raise refuse(self.node, f"an offset of {rex.name} that is no constant")
        return offset.value


def _in_event_time(node: Match, types: Sequence[LogicalType]) -> bool:
    found = types[node.match_spec.order_by.fields[0].index]
    return isinstance(found, TimestampBase) and found.kind is TimeKind.ROWTIME


@keyed(Match, event_time=ByInput(_in_event_time))
def match_recognize(node: Match, lowering: Lowering) -> KeyedOperator:
    """Flink's CepOperator."""
    spec = node.match_spec
    if spec.subsets:
        raise refuse(node, "SUBSET", "name each pattern variable")
    if spec.all_rows:
        raise refuse(node, "ALL ROWS PER MATCH", "use ONE ROW PER MATCH")
    elements = _elements(node, spec.pattern)
    variables = [name for name, _ in elements]
    if len(set(variables)) < len(variables):
        raise refuse(node, "a pattern variable that is there twice", "give each place a variable of its own")
    _check_quantifiers(node, [element for _, element in elements])
    row = node.output_type
    assert isinstance(row, RowType)
    rows = _Rows(list(lowering.input_types(node)))
    context = lowering.context(node)
    defines = [_Values(node, variables, rows) for _ in variables]
    conditions = [
        _condition(spec.pattern_definitions.get(name), values, context)
        for name, values in zip(variables, defines, strict=True)
    ]
    keys = spec.partition.fields
    key_types = [rows.types[at] for at in keys]
    measures = _Values(node, variables, rows)
    made = [measures.rewrite(spec.measures[name]) for name in row.names[len(keys) :]]
    after = _skip(node, spec.after)
    first, *others = spec.order_by.fields

    def columns(flow: Flow) -> Sequence[Column]:
        return (*flow.columns, *(to_column(rex, flow.columns, context) for rex in rows.computed))

    def finish(found: Sequence[Column]) -> Sequence[Column]:
        return (*found[: len(keys)], *(to_column(rex, tuple(found[len(keys) :]), context) for rex in made))

    return KeyedOperator(
        type="match",
        ports=(
            KeyedPort(
                tuple(rows.types),
                key=lambda flow: canonical_key([flow.columns[at] for at in keys], key_types) if keys else F.lit(""),
                columns=columns,
            ),
        ),
        output=(*key_types, *measures.types),
        parameters={
            "partition": list(keys),
            "time": first.index,
            "orderBy": [
                {"index": each.index, "ascending": each.is_ascending, "nullsLast": each.null_is_last} for each in others
            ],
            "pattern": [{"variable": at, **element} for at, (_, element) in enumerate(elements)],
            "defines": [values.slots for values in defines],
            "conditions": conditions,
            "measures": measures.slots,
            "skip": after[0],
            "skipVariable": None if after[1] is None else variables.index(after[1]),
            "within": None if spec.interval is None else int(str(getattr(spec.interval, "value", None))),
        },
        finish=finish,
    )


def _condition(rex: RexNode | None, values: _Values, context: ExpressionContext) -> JoinedCondition | None:
    if rex is None or (isinstance(rex, Literal) and rex.value is True):
        return None
    rewritten = values.rewrite(rex)
    return JoinedCondition(tuple(values.types), lambda columns: to_column(rewritten, tuple(columns), context))


def _elements(node: Match, pattern: RexNode) -> list[tuple[str, dict[str, Any]]]:
    """The variables of a pattern from left to right, each with its quantifier."""
    if isinstance(pattern, Literal):
        return [(str(pattern.value), {"min": 1, "max": 1, "greedy": True})]
    if isinstance(pattern, Call):
        if dict(pattern.extra).get("sqlKind") == "PATTERN_CONCAT":
            return [element for operand in pattern.operands for element in _elements(node, operand)]
        if pattern.name == "$PATTERN_QUANTIFIER$1":
            variable, *numbers = [getattr(operand, "value", None) for operand in pattern.operands]
            if not isinstance(pattern.operands[0], Literal):
                raise refuse(node, "a group of variables with a quantifier", "repeat single variables")
            least, most, reluctant = numbers
            return [(str(variable), {"min": least, "max": most, "greedy": not reluctant})]
        raise refuse(node, f"the pattern {dict(pattern.extra).get('sqlKind', pattern.name)}", "use a linear pattern")
    raise refuse(node, f"the pattern {type(pattern).__name__}", "use a linear pattern")


def _check_quantifiers(node: Match, elements: Sequence[dict[str, Any]]) -> None:
    """Refuse what Flink's patterns refuse."""
    for before, element in zip((None, *elements), elements, strict=False):
        if (element["min"], element["max"], element["greedy"]) == (0, 1, False):
            raise refuse(node, "a reluctant optional variable", "make it greedy")
        if element["min"] == 0 and before is not None and _keeps(before):
            raise refuse(node, "an optional variable after a greedy one", "make the one before it reluctant")
    if _keeps(elements[-1]):
        raise refuse(node, "a greedy quantifier at the end of the pattern", "make it reluctant, or end with a variable")


def _keeps(element: dict[str, Any]) -> bool:
    """Whether a variable is greedy for more rows than it needs."""
    return bool(element["greedy"]) and element["max"] != 1 and element["max"] != element["min"]


def _skip(node: Match, after: RexNode) -> tuple[str, str | None]:
    if isinstance(after, Literal) and after.value in _SKIPS:
        return _SKIPS[str(after.value)], None
    if isinstance(after, Call) and after.name in _SKIPS and isinstance(after.operands[0], Literal):
        return _SKIPS[after.name], str(after.operands[0].value)
    raise refuse(node, "its AFTER MATCH clause", "skip to the next row, past the last row, or to a variable")
