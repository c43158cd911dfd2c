"""Functions of a session's catalog in plans that name them only by the catalog."""

from __future__ import annotations

from collections.abc import Sequence

from compiled_plan.planner.catalog.memory import Catalog
from compiled_plan.planner.catalog.tables import ObjectIdentifier
from compiled_plan.plans.functions.definitions import UserDefinedFunction
from compiled_plan.plans.functions.naming import resolved
from compiled_plan.plans.nodes.python import function_names
from compiled_plan.plans.plan import CompiledPlan


def with_catalog_functions(plan: CompiledPlan, catalog: Catalog) -> CompiledPlan:
    """The plan with the functions of the catalog in its calls by name; unknown ones stay as they are."""
    if not function_names(plan.nodes):
        return plan

    def find(parts: Sequence[str]) -> tuple[UserDefinedFunction, bool] | None:
        qualified = len(parts) > 1
        name = ObjectIdentifier(*parts) if qualified else catalog.qualify(tuple(parts))
        function = catalog.functions.find(name, qualified=qualified, built_in=False)
        if function is None or function.java is not None:
            return None
        return function.callables.function, function.is_instance

    return resolved(plan, find)
