"""MATCH_RECOGNIZE in FROM.

Inside it, columns belong to pattern variables: `A.price` is a column of the rows matched to A, `price` one of all
matched rows. They are bound over a row with the input's columns once per variable, and then become PatternInputRefs.

Source: Flink's "Pattern Recognition" page; Flink 2.3's plans.
"""

from __future__ import annotations

from dataclasses import replace

from compiled_plan.planner.algebra.nodes import FunctionName, SortKey
from compiled_plan.planner.algebra.plain_times import plain
from compiled_plan.planner.algebra.timed import Match
from compiled_plan.planner.diagnostics.suggestions import did_you_mean
from compiled_plan.planner.functions.casts import cast
from compiled_plan.planner.functions.fold import fold, simplify
from compiled_plan.planner.functions.registry import resolve_call
from compiled_plan.planner.sql import nodes as ast
from compiled_plan.planner.sql.binding.core import AggregateRef, Binder, Bound, Context, Surroundings
from compiled_plan.planner.sql.binding.expressions import bind, bind_condition, bind_value
from compiled_plan.planner.sql.binding.patterns import parse_pattern, pattern_rex, skip_rex
from compiled_plan.planner.sql.binding.scopes import Relation, Scope, columns_of
from compiled_plan.planner.sql.binding.windows import directions
from compiled_plan.plans.rex import Call, InputRef, Literal, PatternInputRef, RexNode, transform, type_of, walk
from compiled_plan.plans.types import (
    BIGINT,
    INT,
    DayTimeIntervalType,
    Field,
    LogicalType,
    RowType,
    SymbolType,
    TimeKind,
    TimestampLtzType,
    TimestampType,
    row_of,
)
from compiled_plan.plans.types.temporal import is_attribute

#: The variable of unqualified columns.
ANY = "*"
_SKIPS = {"SKIP PAST LAST ROW": "SKIP_PAST_LAST_ROW", "SKIP TO NEXT ROW": "SKIP_TO_NEXT_ROW", None: "SKIP_TO_NEXT_ROW"}


def bind_match(binder: Binder, node: ast.MatchRecognize, source: Bound, around: Surroundings) -> Bound:
    """The rows of a MATCH_RECOGNIZE over `source`.

    Raises:
        ProgramError: unknown variables or columns, a wrong order, no measures, an unbounded pattern.
        UnsupportedError: ALL ROWS PER MATCH, a pattern that is not linear, PREV and NEXT.
    """
    if node.all_rows:
        raise binder.source.unsupported(node, "ALL ROWS PER MATCH", "write ONE ROW PER MATCH")
    return _Match(binder, node, source, around).bound()


class _Match:
    def __init__(self, binder: Binder, node: ast.MatchRecognize, source: Bound, around: Surroundings) -> None:
        self._session = binder
        self._node = node
        self._source = source
        self._around = around
        with binder.source.at(node):
            self._elements = parse_pattern(node.pattern)
        self._subsets = tuple(
            (subset.name.name, tuple(member.name for member in subset.members)) for subset in node.subsets
        )
        defined = [item.name.name for item in node.definitions]
        places = [element.name for element in self._elements]
        subsets = [name for name, _ in self._subsets]
        for names in (defined, [*dict.fromkeys((*places, *defined)), *subsets]):
            for at, name in enumerate(names):
                if name in names[:at]:
                    raise binder.source.error(
                        node, f"pattern variable {name!r} has already been defined", "define it once"
                    )
        for name in (member for _, members in self._subsets for member in members):
            if name not in places:
                raise binder.source.error(node, f"unknown pattern variable {name!r}", did_you_mean(name, places))
        self._variables = list(dict.fromkeys([ANY, *places, *subsets, *defined]))
        self._row = source.rel.row_type

    def bound(self) -> Bound:
        partition = tuple(self._column(item) for item in self._node.partition_by)
        measures = tuple(self._measure(item) for item in self._node.measures)
        if not measures:
            raise self._session.source.error(self._node, "MATCH_RECOGNIZE needs a measure", "add MEASURES A.x AS x")
        names = [self._source.names[index] for index in partition] + [name for name, _ in measures]
        types = [self._row.types[index] for index in partition] + [type_of(rex) for _, rex in measures]
        rel = Match(
            input=self._source.rel,
            partition=partition,
            order=self._order(),
            pattern=pattern_rex(self._elements),
            definitions=tuple(self._definition(item) for item in self._node.definitions),
            measures=measures,
            after=self._after(),
            subsets=self._subsets,
            interval=self._interval(),
            columns=row_of(names, types),
            where=self._session.source.where(self._node),
        )
        return Bound(rel, tuple(names))

    # --- clauses

    def _plain(self, clause: str) -> Context:
        scope = Scope(
            (), columns_of(self._source.names), self._row, self._around.parent, self._session.names.correlation()
        )
        return Context(scope, self._around.ctes, clause)

    def _column(self, node: ast.Expression) -> int:
        rex = bind(self._session, node, self._plain("PARTITION BY of MATCH_RECOGNIZE"))
        if not isinstance(rex, InputRef):
            raise self._session.source.error(node, "MATCH_RECOGNIZE partitions by columns", "compute it in a subquery")
        return rex.index

    def _order(self) -> tuple[SortKey, ...]:
        clause = self._node.order
        keys: list[SortKey] = []
        for item in clause.keys if clause is not None else ():
            rex = bind(self._session, item.operand, self._plain("ORDER BY of MATCH_RECOGNIZE"))
            if not isinstance(rex, InputRef):
                raise self._session.source.error(item, "MATCH_RECOGNIZE orders by columns", "compute it in a subquery")
            keys.append(SortKey(rex.index, *directions(item)))
        if not keys:
            raise self._session.source.error(
                self._node, "MATCH_RECOGNIZE must be ordered by a rowtime or proctime attribute", "add ORDER BY"
            )
        if not keys[0].ascending:
            raise self._session.source.error(
                clause, "the primary sort order must be ascending on time", "leave DESC out"
            )
        return tuple(keys)

    def _measure(self, node: ast.Alias) -> tuple[str, RexNode]:
        rex = self._finished(self._pattern_rex(bind_value(self._session, node.value, self._inside("MEASURES"))))
        return node.name.name, Call("$FINAL$1", (rex,), type_of(rex), "PREFIX")

    def _definition(self, node: ast.Alias) -> tuple[str, RexNode]:
        name = node.name.name
        rex = self._pattern_rex(bind_condition(self._session, node.value, self._inside("DEFINE")))
        return name, self._finished(_navigated(rex, name))

    def _after(self) -> RexNode:
        after, variable = self._node.after, self._node.after_variable
        if variable is None:
            return Literal(_SKIPS[after], SymbolType(nullable=False), "MATCH_RECOGNIZE_AFTER_OPTION")
        places = [element.name for element in self._elements]
        if variable.name not in places:
            raise self._session.source.error(
                variable, f"unknown pattern variable {variable.name!r}", did_you_mean(variable.name, places)
            )
        return skip_rex(str(after).rsplit(" ", 1)[-1], variable.name)

    def _interval(self) -> Literal | None:
        node = self._node.within
        if node is None:
            return None
        rex = fold(bind(self._session, node, self._plain("WITHIN")))
        if not isinstance(rex, Literal) or not isinstance(rex.type, DayTimeIntervalType):
            raise self._session.source.error(node, "WITHIN needs a constant interval of days to seconds")
        return rex

    # --- columns of variables

    def _inside(self, clause: str) -> Context:
        """The context of a measure or a definition."""
        width = len(self._row.fields)
        relations = tuple(
            Relation((name,), columns_of(self._source.names, at * width)) for at, name in enumerate(self._variables)
        )
        fields = tuple(Field(f"{at}", type_) for at, type_ in enumerate(self._row.types * len(self._variables)))
        scope = Scope(
            relations[1:], relations[0].columns, RowType(fields=fields), None, self._session.names.correlation()
        )
        return Context(scope, self._around.ctes, clause, aggregates=True, pattern=True)

    def _pattern_rex(self, rex: RexNode) -> RexNode:
        """Rewrite an expression over the row of all variables to PatternInputRefs; times become plain timestamps."""
        width = len(self._row.fields)

        def change(node: RexNode) -> RexNode:
            if isinstance(node, InputRef):
                ref = PatternInputRef(self._variables[node.index // width], node.index % width, node.type)
                return plain(ref)
            if isinstance(node, Call) and node.name == "$MATCH_ROWTIME$1":
                return node.with_children(tuple(_reference(child) or child for child in node.operands))
            if isinstance(node, AggregateRef) or (isinstance(node, Call) and node.name in _NAVIGATIONS):
                self._check_operands(node)
            return _navigation(node) if isinstance(node, Call) and node.name in _NAVIGATIONS else node

        return transform(rex, change)

    def _check_operands(self, rex: RexNode) -> None:
        """Raise for an aggregate, FIRST or LAST over several variables, or over a nested FIRST or LAST."""
        inside = [node for child in rex.children() for node in walk(child)]
        variables = {node.alpha for node in inside if isinstance(node, PatternInputRef)}
        if len(variables) > 1:
            listed = ", ".join(sorted(variables))
            raise self._session.source.error(
                self._node, f"multiple pattern variables in one call: {listed}", "call it for each variable"
            )
        if any(isinstance(node, Call) and node.name in _NAVIGATIONS for node in inside):
            raise self._session.source.error(self._node, "FIRST and LAST cannot be nested", "call one of them")

    def _finished(self, rex: RexNode) -> RexNode:
        return simplify(transform(rex, self._aggregate))

    def _aggregate(self, node: RexNode) -> RexNode:
        """An aggregate over the rows of a variable as a call; AVG as sum by count, as in Flink."""
        if not isinstance(node, AggregateRef):
            return node
        if node.distinct or node.filter is not None:
            raise self._session.source.unsupported(self._node, "DISTINCT or FILTER in MATCH_RECOGNIZE")
        if node.name != "$AVG$1":
            if isinstance(node.name, FunctionName):
                return Call("", node.operands, node.type, None, node.name.extra)
            return Call(node.name, node.operands, node.type, node.syntax)
        total = Call("$SUM$1", node.operands, type_of(node.operands[0]).with_nullability(True))
        count = Call("$COUNT$1", node.operands, BIGINT.not_null(), "FUNCTION_STAR")
        return cast(resolve_call("/", (total, count)), node.type)


_NAVIGATIONS = ("$FIRST$1", "$LAST$1")


def bind_navigation(binder: Binder, node: ast.Call, context: Context) -> RexNode | None:
    """Bind calls that exist in MATCH_RECOGNIZE only; None for another call.

    Raises:
        ProgramError: wrong arguments.
        UnsupportedError: PREV and NEXT, which Flink cannot run either.
    """
    if node.name in ("PREV", "NEXT"):
        raise binder.source.unsupported(
            node, f"{node.name}, a physical offset within the partition,", "use LAST(A.x, n) or FIRST(A.x, n)"
        )
    if node.name in ("MATCH_ROWTIME", "MATCH_PROCTIME"):
        return _match_time(binder, node, context)
    if node.name not in ("FIRST", "LAST"):
        return None
    if len(node.arguments) not in (1, 2):
        raise binder.source.error(node, f"{node.name} takes an expression and an offset")
    operand = bind(binder, node.arguments[0], context)
    offset: RexNode = Literal(0, INT.not_null())
    if len(node.arguments) == 2:
        offset = fold(bind(binder, node.arguments[1], context))
        if not isinstance(offset, Literal) or not isinstance(offset.value, int):
            raise binder.source.error(node.arguments[1], f"the offset of {node.name} must be a whole number")
    return Call(f"${node.name}$1", (operand, offset), type_of(operand))


def _match_time(binder: Binder, node: ast.Call, context: Context) -> RexNode:
    if node.name == "MATCH_PROCTIME":
        type_: LogicalType = TimestampLtzType(precision=3, kind=TimeKind.PROCTIME, nullable=False)
        return Call("$MATCH_PROCTIME$1", (), type_)
    if not node.arguments:
        return Call("$MATCH_ROWTIME$1", (), TimestampType(precision=3, kind=TimeKind.ROWTIME, nullable=False))
    operand = bind(binder, node.arguments[0], context)
    if len(node.arguments) > 1 or not isinstance(operand, InputRef) or not is_attribute(operand.type):
        raise binder.source.error(node, "MATCH_ROWTIME takes a rowtime attribute", "leave the argument out")
    return Call("$MATCH_ROWTIME$1", (operand,), operand.type)


def _navigation(call: Call) -> RexNode:
    """Push FIRST or LAST of an expression down to its columns."""
    operand, offset = call.operands

    def visit(rex: RexNode) -> RexNode:
        if _reference(rex) is not None:
            return replace(call, operands=(rex, offset), type=type_of(rex))
        return rex.with_children(tuple(map(visit, rex.children())))

    return visit(operand)


def _navigated(rex: RexNode, name: str) -> RexNode:
    """A definition with explicit rows for its columns: the current row for `name`, the last one for other variables."""
    if isinstance(rex, AggregateRef) or (isinstance(rex, Call) and rex.name in (*_NAVIGATIONS, "$MATCH_ROWTIME$1")):
        return rex
    reference = _reference(rex)
    if reference is not None:
        call = "$PREV$1" if reference.alpha == name else "$LAST$1"
        return Call(call, (rex, Literal(0, INT.not_null())), type_of(rex))
    return rex.with_children(tuple(_navigated(child, name) for child in rex.children()))


def _reference(rex: RexNode) -> PatternInputRef | None:
    """The variable's column that the expression consists of, possibly cast to a plain timestamp; else None."""
    if isinstance(rex, Call) and rex.name in _PLAIN and rex.operands and is_attribute(type_of(rex.operands[0])):
        rex = rex.operands[0]
    return rex if isinstance(rex, PatternInputRef) else None


_PLAIN = ("$CAST$1", "$PROCTIME_MATERIALIZE$1")
