"""Code that options of tables have loaded: a plan may come from anybody, so that it is refused unless it is allowed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compiled_plan.plans.connectors.outside import reached_by
from compiled_plan.plans.connectors.reached import Reach
from compiled_plan.plans.errors import UnsupportedError
from compiled_plan.plans.plan import CompiledPlan

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

#: Spark's setting that names the classes, login modules and parameters which a plan's tables may name, with commas.
ALLOWED = "spark.compiledPlan.classes"


def check_loaded_code(plan: CompiledPlan, spark: SparkSession) -> None:
    """Refuse a plan whose tables have code loaded that nobody allowed.

    Raises:
        UnsupportedError: names the table and the option.
    """
    allowed = {name.strip().lower() for name in (spark.conf.get(ALLOWED, "") or "").split(",")}
    for node in plan.nodes:
        for _, table in node.tables():
            options = (table.resolved_table.options if table.resolved_table else None) or {}
            for reached in reached_by(options):
                if reached.kind is Reach.CODE and not allowed & {reached.name.lower(), reached.value.lower()}:
                    raise UnsupportedError(
                        f"{reached.message}, and a plan may not choose which code runs",
                        where=f"table {table.identifier}, WITH, {reached.option!r}",
                        remedy=f"{reached.remedy}, or allow it: --conf {ALLOWED}={reached.name}",
                    )
