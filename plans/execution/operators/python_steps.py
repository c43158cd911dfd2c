"""Nodes that call Python functions: their calls become columns before the node itself runs.

Spark evaluates Python in a step of its own, not inside lambdas or branches. So such a node gets its rows like an
operator of a stage, in a level of its own that computes its calls; the node then reads the results.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import reduce
from operator import and_, or_
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from compiled_plan.plans.execution.expressions import ExpressionContext, to_column
from compiled_plan.plans.execution.functions.columns import PythonFunctions
from compiled_plan.plans.execution.functions.java import JavaFunctions
from compiled_plan.plans.execution.operators.base import Lowering
from compiled_plan.plans.execution.operators.calc import outer_row
from compiled_plan.plans.execution.session.options import RunOptions
from compiled_plan.plans.inspection.placement import calls_of_python
from compiled_plan.plans.nodes.base import PlanNode
from compiled_plan.plans.nodes.stateless import Calc, Correlate
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.rex import Call, PythonFunction, RexNode, calls_python, flattened, python_function, walk

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession


#: The conditions of CASE that lead to an expression, each with the required truth value.
Branch = tuple[tuple[RexNode, bool], ...]


def allowed_functions(spark: SparkSession, plan: CompiledPlan, options: RunOptions) -> PythonFunctions:
    """The functions that a run may call; those of its plan are loaded.

    Raises:
        UnsupportedError: a module or class that is not allowed.
        ExecutionError: a function that cannot be imported.
        PlanError: a function that has changed since the plan was compiled.
    """
    parameters = options.job_parameters
    java = JavaFunctions(spark, options.functions_from, options.java_classes, parameters=parameters)
    functions = PythonFunctions(
        options.functions_from,
        trusts_pickles=options.trust_pickled_state,
        allows_pickled=options.allow_pickled_functions,
        parameters=parameters,
        java=java,
    )
    for node in plan.nodes:
        for call in calls_of_python(node):
            functions.bound(call, f"node {node.id} ({node.type})")
    java.check(plan)
    return functions


class PythonStep:
    """A node's calls of Python functions, as columns of the node's input DataFrame."""

    def __init__(self, node: PlanNode, lowering: Lowering) -> None:
        assert isinstance(node, Calc | Correlate)
        assert lowering.functions is not None
        self.node = node
        self.functions: PythonFunctions = lowering.functions
        self.lowering = lowering
        #: The columns of each call: one; for a volatile function, one per occurrence.
        self.columns: dict[Call, list[str]] = defaultdict(list)

    def compute(self, frame: DataFrame, inputs: Sequence[Column], guard: Column | None) -> DataFrame:
        """Add the results of all calls to the frame.

        Args:
            frame: the rows before the node.
            inputs: the node's input columns.
            guard: selects the rows of the node; None for all.
        """
        node, self.columns = self.node, defaultdict(list)
        if isinstance(node, Correlate):
            return self._add(frame, [node.function_call], inputs, guard)
        parts = _conjuncts(node.condition)
        early = [part for part in parts if not calls_python(part)]
        late = [part for part in parts if calls_python(part)]
        frame, guard = self._keep(frame, early, inputs, guard)
        if late:
            # For all rows: the projection may have the same calls elsewhere.
            frame = self._add(frame, late, inputs, guard, by_branch=False)
            frame, guard = self._keep(frame, late, inputs, guard)
        return self._add(frame, node.projection, inputs, guard)

    def lowered(self) -> Lowering:
        """The lowering of the node, in which its calls are columns."""
        return replace(self.lowering, expressions=replace(self.lowering.expressions, user_function=self._reader()))

    def _context(self, inputs: Sequence[Column]) -> ExpressionContext:
        context = replace(self.lowering.context(self.node), user_function=self._reader())
        return outer_row(self.node, inputs, context) if isinstance(self.node, Correlate) else context

    def _keep(
        self, frame: DataFrame, parts: Sequence[RexNode], inputs: Sequence[Column], guard: Column | None
    ) -> tuple[DataFrame, Column | None]:
        if not parts:
            return frame, guard
        context = self._context(inputs)
        condition = reduce(and_, [to_column(part, inputs, context) for part in parts])
        # Rows of other nodes must not be lost.
        return (frame.where(condition), None) if guard is None else (frame, guard & condition)

    def _add(
        self,
        frame: DataFrame,
        rexes: Sequence[RexNode],
        inputs: Sequence[Column],
        guard: Column | None,
        by_branch: bool = True,
    ) -> DataFrame:
        """Add nested calls first; a call in a branch of CASE only for the rows of that branch."""
        places: dict[Call, list[Branch]] = defaultdict(list)
        for rex in rexes:
            for call, branch in calls_by_branch(rex):
                places[call].append(branch if by_branch else ())
        waiting = [call for call in places if call not in self.columns or not _reference(call).deterministic]
        while waiting:
            # The calls in a call's operands and in the conditions of its branch precede it.
            ready = [call for call in waiting if all(need in self.columns for need in _needs(call, places[call]))]
            added: dict[str, Column] = {}
            context = self._context(inputs)
            for call in ready or waiting:
                arguments = [to_column(operand, inputs, context) for operand in call.operands]
                for branches in self._evaluations(call, places[call]):
                    rows = guard if not ready else _and(guard, self._taken(branches, inputs, context))
                    name = f"u{self.node.id}_{sum(map(len, self.columns.values()))}"
                    self.columns[call].append(name)
                    added[name] = self.functions.column(call, arguments, rows, context.where)
            frame = frame.withColumns(added)
            waiting = [call for call in waiting if call not in self.columns]
        return frame

    def _evaluations(self, call: Call, places: list[Branch]) -> list[list[Branch]]:
        """The branches that each computation of a call serves: one each for a volatile function."""
        return [places] if _reference(call).deterministic else [[branch] for branch in places]

    def _taken(self, branches: list[Branch], inputs: Sequence[Column], context: ExpressionContext) -> Column | None:
        """The condition of the rows that reach one of the branches; None for all."""
        if not all(branches):
            return None

        def holds(condition: RexNode, wanted: bool) -> Column:
            passes = F.coalesce(to_column(condition, inputs, context), F.lit(False))
            return passes if wanted else ~passes

        return reduce(or_, [reduce(and_, [holds(*step) for step in branch]) for branch in branches])

    def _reader(self) -> _Reader:
        return _Reader(self.columns)


class _Reader:
    """Returns the column of a call; for a volatile function, the next one each time."""

    def __init__(self, columns: dict[Call, list[str]]) -> None:
        self._columns = columns
        self._read: dict[Call, int] = defaultdict(int)

    def __call__(self, call: Call, arguments: tuple[Column, ...]) -> Column | None:
        names = self._columns.get(call)
        if not names:
            return None
        at = self._read[call]
        self._read[call] = at + 1
        return F.col(names[min(at, len(names) - 1)])


def calls_by_branch(rex: RexNode) -> Iterator[tuple[Call, Branch]]:
    """The calls of Python functions in an expression, each with the conditions of CASE that lead to it."""
    waiting: list[tuple[RexNode, Branch]] = [(rex, ())]
    while waiting:
        expression, branch = waiting.pop()
        if isinstance(expression, Call) and expression.name == "$CASE$1":
            if calls_python(expression):
                waiting += reversed(list(_branches(expression, branch)))
            continue
        if isinstance(expression, Call) and python_function(expression) is not None:
            yield expression, branch
        waiting += ((child, branch) for child in reversed(expression.children()))


def _branches(case: Call, branch: Branch) -> Iterator[tuple[RexNode, Branch]]:
    """The conditions and values of a CASE, each with the conditions that lead to it."""
    for condition, value in zip(case.operands[:-1:2], case.operands[1::2], strict=True):
        yield condition, branch
        yield value, (*branch, (condition, True))
        branch = (*branch, (condition, False))
    yield case.operands[-1], branch


def _needs(call: Call, branches: list[Branch]) -> Iterator[Call]:
    """The calls whose results a call needs first."""
    steps = () if not all(branches) else [condition for branch in branches for condition, _ in branch]
    for rex in (*call.operands, *steps):
        yield from (item for item in walk(rex) if isinstance(item, Call) and python_function(item) is not None)


def _and(left: Column | None, right: Column | None) -> Column | None:
    if left is None or right is None:
        return right if left is None else left
    return left & right


def _reference(call: Call) -> PythonFunction:
    reference = python_function(call)
    assert reference is not None
    return reference


def _conjuncts(rex: RexNode | None) -> list[RexNode]:
    return [] if rex is None else list(flattened(rex, "$AND$1"))
