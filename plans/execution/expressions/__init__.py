"""Row expressions as Spark columns, with Flink's semantics.

    functions.register(spark)                                   # once a session
    to_column(rex, [F.col("a"), F.col("b")], ExpressionContext(time_zone="Europe/Berlin"))

A column uses Spark's own functions where they match Flink's exactly, and the Java functions in
`org.compiledplan.kernel.functions` otherwise. SQL text is never built from a plan's content.
"""

from compiled_plan.plans.execution.expressions.context import ExpressionContext
from compiled_plan.plans.execution.expressions.functions import REQUIRED_CONF, register
from compiled_plan.plans.execution.expressions.keys import canonical_key
from compiled_plan.plans.execution.expressions.registry import known_functions
from compiled_plan.plans.execution.expressions.translate import to_column

__all__ = ["REQUIRED_CONF", "ExpressionContext", "canonical_key", "known_functions", "register", "to_column"]
