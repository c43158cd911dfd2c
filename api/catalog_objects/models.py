"""Models of a catalog as objects.

Source: Flink's `GenericInMemoryCatalog`.
"""

from __future__ import annotations

from compiled_plan.api.catalog_objects.base import CatalogBase
from compiled_plan.api.results.identifiers import ObjectPath
from compiled_plan.planner.diagnostics.refusing import refused_method
from compiled_plan.planner.table.model_descriptors import MODELS


class CatalogModelMethods(CatalogBase):
    """Methods of a catalog for its models."""

    def list_models(self, database_name: str) -> list[str]:
        """The names of the models of a database."""
        self._catalogs.database_of((self._name, database_name))
        return self._catalogs.models.names(self._name, database_name)

    def model_exists(self, model_path: ObjectPath) -> bool:
        """Return True if the database has a model of that name."""
        return model_path.object_name in self.list_models(model_path.database_name)

    def drop_model(self, model_path: ObjectPath, ignore_if_not_exists: bool) -> None:
        """DROP MODEL."""
        name = self._catalogs.qualify(self._path(model_path))
        self._catalogs.models.drop(name, temporary=False, if_exists=ignore_if_not_exists)

    get_model = refused_method("Catalog.get_model()", *MODELS)
    rename_model = refused_method("Catalog.rename_model()", *MODELS)
    create_model = refused_method("Catalog.create_model()", *MODELS)
    alter_model = refused_method("Catalog.alter_model()", *MODELS)
