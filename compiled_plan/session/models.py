"""Models of machine learning in a session: a mixin of `TableEnvironment`.

Source: Flink's `TableEnvironment`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from compiled_plan.planner.sql.context import PlanningContext
from compiled_plan.plans.deferred import deferred

# Methods import the Table API when they need it, as in `environment`.
if TYPE_CHECKING:
    from compiled_plan.planner.table import model_descriptors, paths
    from compiled_plan.planner.table.model_descriptors import ModelDescriptor
else:
    model_descriptors = deferred("compiled_plan.planner.table.model_descriptors")
    paths = deferred("compiled_plan.planner.table.paths")


class ModelMethods:
    """Methods that declare, list and drop models. Calls of models are refused."""

    context: PlanningContext

    def create_model(self, model_path: str, model_descriptor: ModelDescriptor, ignore_if_exists: bool = False) -> None:
        """CREATE MODEL.

        Args:
            model_path: `m`, `db.m` or `catalog.db.m`.
            model_descriptor: its declaration: `ModelDescriptor.for_provider("openai")...build()`.
            ignore_if_exists: keep a model of that name, without an error.

        Raises:
            ProgramError: the declaration is wrong, there is no such database, or the name is taken.
        """
        self._create_model(model_path, model_descriptor, ignore_if_exists, temporary=False)

    def create_temporary_model(
        self, model_path: str, model_descriptor: ModelDescriptor, ignore_if_exists: bool = False
    ) -> None:
        """CREATE TEMPORARY MODEL; see `create_model`."""
        self._create_model(model_path, model_descriptor, ignore_if_exists, temporary=True)

    def drop_model(self, model_path: str, ignore_if_not_exists: bool = True) -> bool:
        """Drop a model of a catalog; return False if it does not exist.

        Raises:
            ProgramError: there is none and `ignore_if_not_exists` is False, or a temporary one hides it.
        """
        return self._drop_model(model_path, temporary=False, if_exists=ignore_if_not_exists)

    def drop_temporary_model(self, model_path: str) -> bool:
        """Drop a temporary model; return False if it does not exist."""
        return self._drop_model(model_path, temporary=True, if_exists=True)

    def list_models(self) -> list[str]:
        """The names of the models of the current database, with those of temporary models."""
        catalog = self.context.catalog
        return catalog.models.names(*catalog.database_path(()))

    def list_temporary_models(self) -> list[str]:
        """The names of the temporary models of the current database."""
        catalog = self.context.catalog
        return catalog.models.temporary_names(*catalog.database_path(()))

    def _create_model(self, path: str, descriptor: object, ignore_if_exists: bool, *, temporary: bool) -> None:
        model_descriptors.create_model(
            self.context, path, descriptor, temporary=temporary, ignore_if_exists=ignore_if_exists
        )

    def _drop_model(self, path: str, *, temporary: bool, if_exists: bool) -> bool:
        operation = "drop_temporary_model" if temporary else "drop_model"
        name = self.context.catalog.qualify(paths.path_of(path, operation, "model"))
        return self.context.catalog.models.drop(name, temporary=temporary, if_exists=if_exists)
