"""Java functions of a plan: their classes, loaded from allowed places, and their calls as columns and parameters.

Flink's own classes infer the types of a call (`flink-table-common`), so overloads, hints and type inferences of a
function are those of Flink. The kernel calls the function; its state is a value of the accumulator's type.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from py4j.protocol import Py4JJavaError

from compiled_plan.plans.connectors.jars import FLINK
from compiled_plan.plans.errors import ExecutionError, PlanError
from compiled_plan.plans.execution.spark.java import (
    column_of,
    java_array,
    java_causes,
    java_class,
    java_column,
)
from compiled_plan.plans.execution.spark.packages import add_packages, has_class
from compiled_plan.plans.execution.spark.types import ddl
from compiled_plan.plans.functions.jars import AllowedClasses
from compiled_plan.plans.inspection.placement import calls_of
from compiled_plan.plans.nodes.match import Match
from compiled_plan.plans.nodes.model import objects_in
from compiled_plan.plans.nodes.specs import AggregateCall
from compiled_plan.plans.nodes.table_functions import function_columns
from compiled_plan.plans.rex import Call, JavaFunction, Literal, RexNode, java_function, type_of
from compiled_plan.plans.rex.literals import literal_value
from compiled_plan.plans.text.durations import parse_duration
from compiled_plan.plans.types import LogicalType

if TYPE_CHECKING:
    from pyspark.sql import Column, SparkSession

    from compiled_plan.plans.nodes.base import PlanNode
    from compiled_plan.plans.plan import CompiledPlan

#: The kind of aggregate functions.
AGGREGATE = "AGGREGATE"
_CALLS = "org.compiledplan.kernel.host.JavaCalls"
_OPTION = "--functions-from"


@dataclass(frozen=True, slots=True)
class Described:
    """Facts about a function at one place of a plan."""

    spec: str  # the call as JSON, for the kernel
    kind: str
    deterministic: bool
    methods: frozenset[str]
    accumulator: Mapping[str, object] | None  # the type of stored accumulators, in the kernel's terms
    accumulator_text: str  # that type in Flink's notation


@dataclass
class JavaFunctions:
    """The Java functions of a plan.

    Args:
        spark: the session.
        allowed: jars whose functions may be loaded, and prefixes of classes that may be loaded from the class path.
        classes: classes of functions that a plan names without their class.
        parameters: job parameters for `open`.
        configuration: the options of a node, for its asynchronous functions.
    """

    spark: SparkSession
    allowed: Sequence[str] = ()
    classes: Mapping[str, str] = field(default_factory=dict)
    parameters: Mapping[str, str] = field(default_factory=dict)
    configuration: Mapping[str, str] = field(default_factory=dict)
    _known: dict[str, Described] = field(default_factory=dict)
    _loaded: set[str] = field(default_factory=set)

    def check(self, plan: CompiledPlan) -> None:
        """Load the functions of a plan.

        Raises:
            UnsupportedError: a class that is not allowed, or whose name is missing.
            ExecutionError: a class that is not on the class path.
            PlanError: a function that cannot be called as the plan calls it.
        """
        for node in plan.nodes:
            where = f"node {node.id} ({node.type})"
            table, java = getattr(node, "function_call", None), self.of(node)
            for call in calls_of(node):
                if java_function(call) is not None:
                    # Patterns alone call aggregate functions in expressions.
                    is_aggregate = isinstance(node, Match) and java.is_aggregate(call, where)
                    java.described(call, "TABLE" if call is table else AGGREGATE if is_aggregate else "SCALAR", where)
            for aggregate in objects_in(node, AggregateCall):
                if aggregate.java_function is not None:
                    # The types of its arguments: see the operators, as a global aggregate has none of its own.
                    self._class_of(aggregate.java_function, where)

    @property
    def _allowed(self) -> AllowedClasses:
        return AllowedClasses(self.allowed, self.classes)

    def of(self, node: PlanNode) -> JavaFunctions:
        """The functions with the options of a node."""
        return replace(self, configuration=node.configuration or {})

    def column(self, call: Call, arguments: Sequence[Column], where: str, *, is_table: bool = False) -> Column:
        """The column of a call; of a table function, an array of structs `v0`, `v1`, ...."""
        described = self.described(call, "TABLE" if is_table else "SCALAR", where)
        jvm = self.spark._jvm
        types = [ddl(type_of(operand).as_regular()) for operand in call.operands]
        if is_table:
            fields = ",".join(f"`v{at}`:{ddl(type_)}" for at, type_ in enumerate(function_columns(call)))
            returns = f"array<struct<{fields}>>"
        else:
            returns = ddl(call.type)
        return column_of(
            java_class(jvm, _CALLS).column(
                described.spec,
                java_array(jvm, "java.lang.String", types),
                returns,
                # Spark repeats pure calls, as in filters below a generator of rows.
                described.deterministic and not is_table,
                java_array(jvm, "org.apache.spark.sql.Column", [java_column(column) for column in arguments]),
            )
        )

    def is_aggregate(self, call: Call, where: str) -> bool:
        """Return True for the call of an aggregate function; raises like `check`."""
        function = java_function(call)
        return function is not None and bool(
            java_class(self.spark._jvm, _CALLS).isAggregate(self._class_of(function, where))
        )

    def described(self, call: Call, kind: str, where: str) -> Described:
        """The function of a call; raises like `check`."""
        function = java_function(call)
        assert function is not None
        literals = [_literal(operand) for operand in call.operands]
        types = [type_of(operand).as_regular() for operand in call.operands]
        return self._describe(function, kind, types, literals, call.type, where)

    def aggregate(self, call: AggregateCall, types: Sequence[LogicalType], where: str) -> Described:
        """The function of an aggregate call over columns of these types; raises like `check`."""
        function = call.java_function
        assert function is not None
        plains = [type_.as_regular() for type_ in types]
        return self._describe(function, AGGREGATE, plains, [None] * len(plains), call.type, where)

    def code(self, function: JavaFunction) -> str:
        """A digest of a function's class."""
        class_ = self._allowed.class_of(function)
        if class_ not in self._loaded or not has_class(self.spark, class_):
            return ""
        return str(java_class(self.spark._jvm, _CALLS).code(class_))

    def accumulator(self, function: JavaFunction) -> str:
        """The accumulator type of a function; empty if it has none, or several."""
        named = {
            item.accumulator_text
            for item in self._known.values()
            if json.loads(item.spec)["className"] == self._allowed.class_of(function)
        }
        return named.pop() if len(named) == 1 else ""

    def _describe(
        self,
        function: JavaFunction,
        kind: str,
        types: Sequence[LogicalType],
        literals: Sequence[str | None],
        result: LogicalType,
        where: str,
    ) -> Described:
        class_ = self._class_of(function, where)
        spec = json.dumps(
            {
                "className": class_,
                "name": function.name,
                "kind": kind,
                "arguments": [str(type_) for type_ in types],
                "literals": literals,
                "result": str(result.as_regular()),
                "parameters": dict(self.parameters),
                **self._retries("async-table" if kind == "TABLE" else "async-scalar"),
            }
        )
        known = self._known.get(spec)
        if known is not None:
            return known
        has_class(self.spark, class_)  # this thread gets the loader of the class
        try:
            text = java_class(self.spark._jvm, _CALLS).describe(spec)
        except Py4JJavaError as fault:
            raise PlanError(
                str(java_causes(fault)[0].getMessage()),
                where=where,
                remedy="use the jar for which the plan was compiled, or compile the plan again",
            ) from None
        facts = json.loads(text)
        described = Described(
            spec,
            facts["kind"],
            facts["deterministic"],
            frozenset(facts["methods"]),
            facts.get("accumulator"),
            facts["accumulatorText"],
        )
        self._known[spec] = described
        return described

    def _retries(self, prefix: str) -> dict[str, int]:
        """Retries and timeout of an asynchronous function; Flink's options and defaults."""

        def option(name: str, default: str) -> str:
            return self.configuration.get(f"table.exec.{prefix}.{name}", default)

        fixed = option("retry-strategy", "FIXED_DELAY") == "FIXED_DELAY"
        return {
            "attempts": int(option("max-attempts", "3")) if fixed else 1,
            "delayMillis": parse_duration(option("retry-delay", "100 ms")),
            "timeoutMillis": parse_duration(option("timeout", "3 min")),
        }

    def _class_of(self, function: JavaFunction, where: str) -> str:
        """The class of a function, which is allowed and on the class path then."""
        if self._allowed.class_of(function) in self._loaded:
            return self._allowed.class_of(function)
        class_, jar = self._allowed.place_of(function, where)
        self._provide(class_)
        if jar is not None and not has_class(self.spark, class_):
            self.spark.sql(f"ADD JAR '{jar.resolve().as_uri()}'").collect()
        if not has_class(self.spark, class_):
            raise ExecutionError(
                f"there is no class {class_} on the class path",
                where=where,
                remedy=f"give its jar: {_OPTION} FILE.jar, or --conf spark.jars=FILE.jar",
            )
        self._loaded.add(class_)
        return class_

    def _provide(self, class_: str) -> None:
        if self._loaded:
            return
        add_packages(self.spark, dict.fromkeys(FLINK, f"the Java function {class_}"))


def _literal(operand: RexNode) -> str | None:
    if isinstance(operand, Call) and operand.name == "$CAST$1":
        operand = operand.operands[0]
    if not isinstance(operand, Literal):
        return None
    value = literal_value(operand)
    return None if value is None else str(value).lower() if isinstance(value, bool) else str(value)
