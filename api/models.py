"""Models of machine learning in a session: a mixin of `TableEnvironment`.

Source: Flink's `TableEnvironment`.
"""

from __future__ import annotations

from compiled_plan.planner.diagnostics.refusing import refused_method
from compiled_plan.planner.sql.context import PlanningContext
from compiled_plan.planner.table.model_descriptors import MODELS


class ModelMethods:
    """Methods that list and drop the models of CREATE MODEL."""

    context: PlanningContext

    create_model = refused_method("create_model()", *MODELS)
    create_temporary_model = refused_method("create_temporary_model()", *MODELS)

    def drop_model(self, model_path: str, ignore_if_not_exists: bool = True) -> bool:
        """Drop a model of a catalog; return False if it does not exist.

        Raises:
            ProgramError: there is none and `ignore_if_not_exists` is False, or a temporary one hides it.
        """
        catalog = self.context.catalog
        return catalog.models.drop(catalog.qualify(_path(model_path)), temporary=False, if_exists=ignore_if_not_exists)

    def drop_temporary_model(self, model_path: str) -> bool:
        """Drop a temporary model; return False if it does not exist."""
        catalog = self.context.catalog
        return catalog.models.drop(catalog.qualify(_path(model_path)), temporary=True, if_exists=True)

    def list_models(self) -> list[str]:
        """The names of the models of the current database and session."""
        catalog = self.context.catalog
        return catalog.models.names(*catalog.database_path(()))

    def list_temporary_models(self) -> list[str]:
        """The names of the temporary models of the current database."""
        catalog = self.context.catalog
        return catalog.models.temporary_names(*catalog.database_path(()))


def _path(name: str) -> tuple[str, ...]:
    from compiled_plan.planner.user_functions.registering import path_of

    return path_of(name)
