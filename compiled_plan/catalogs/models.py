"""Models of a catalog as objects.

Source: PyFlink's `CatalogModel`; Flink's `GenericInMemoryCatalog`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from compiled_plan.catalogs.base import CatalogBase
from compiled_plan.planner.catalog.tables import Column
from compiled_plan.planner.table.declared_schemas import Schema
from compiled_plan.planner.table.model_descriptors import ModelDescriptor, create_model
from compiled_plan.plans.errors import CompiledPlanError
from compiled_plan.results.identifiers import ObjectPath


@dataclass(frozen=True)
class CatalogModel:
    """A model of a catalog: its schemas, options and comment."""

    descriptor: ModelDescriptor

    @staticmethod
    def create_model(
        input_schema: Schema,
        output_schema: Schema,
        options: Mapping[str, str] | None = None,
        comment: str | None = None,
    ) -> CatalogModel:
        """A model to pass to `Catalog.create_model`."""
        return CatalogModel(ModelDescriptor(tuple((options or {}).items()), input_schema, output_schema, comment))

    def get_options(self) -> dict[str, str]:
        """The options of the declaration by key."""
        return self.descriptor.get_options()

    def get_comment(self) -> str | None:
        """The comment; None if there is none."""
        return self.descriptor.get_comment()

    def copy(self) -> CatalogModel:
        """A new object with the same model."""
        return replace(self)


class CatalogModelMethods(CatalogBase):
    """Methods of a catalog for its models."""

    def list_models(self, database_name: str) -> list[str]:
        """The names of the models of a database that are not temporary."""
        self._catalogs.database_of((self._name, database_name))
        return self._catalogs.models.names(self._name, database_name, temporary=False)

    def model_exists(self, model_path: ObjectPath) -> bool:
        """Return True if the database has a model of that name."""
        names = self._catalogs.models.names(self._name, model_path.database_name, temporary=False)
        return model_path.object_name in names

    def get_model(self, model_path: ObjectPath) -> CatalogModel:
        """The model of that name.

        Raises:
            ProgramError: there is none.
        """
        model = self._catalogs.models.permanent(self._catalogs.qualify(self._path(model_path)))
        return CatalogModel.create_model(_schema(model.inputs), _schema(model.outputs), model.options, model.comment)

    def create_model(self, model_path: ObjectPath, model: CatalogModel, ignore_if_exists: bool) -> None:
        """CREATE MODEL.

        Raises:
            ProgramError: the name is taken, there is no such database, or the model is invalid.
        """
        path = self._text(model_path)
        create_model(self._context, path, model.descriptor, temporary=False, ignore_if_exists=ignore_if_exists)

    def alter_model(self, model_path: ObjectPath, new_model: CatalogModel, ignore_if_not_exists: bool) -> None:
        """Replace a model by another one.

        Raises:
            ProgramError: there is none, a temporary one hides it, or the new one is invalid.
        """
        models = self._catalogs.models
        old = models.alterable(self._catalogs.qualify(self._path(model_path)), if_exists=ignore_if_not_exists)
        if old is None:
            return
        models.drop(old.identifier, temporary=False)
        try:
            self.create_model(model_path, new_model, False)
        except CompiledPlanError:
            models.alter(old)
            raise

    def rename_model(self, model_path: ObjectPath, new_model_name: str, ignore_if_not_exists: bool) -> None:
        """ALTER MODEL ... RENAME TO.

        Raises:
            ProgramError: there is none, a temporary one hides it, or the new name is taken.
        """
        name = self._catalogs.qualify(self._path(model_path))
        model = self._catalogs.models.alterable(name, if_exists=ignore_if_not_exists)
        if model is not None:
            self._catalogs.models.rename(model, replace(name, name=new_model_name))

    def drop_model(self, model_path: ObjectPath, ignore_if_not_exists: bool) -> None:
        """DROP MODEL.

        Raises:
            ProgramError: there is none, or a temporary one hides it.
        """
        name = self._catalogs.qualify(self._path(model_path))
        self._catalogs.models.drop(name, temporary=False, if_exists=ignore_if_not_exists)


def _schema(columns: Iterable[Column]) -> Schema:
    builder = Schema.new_builder()
    for column in columns:
        builder.column(column.name, column.type, column.comment)
    return builder.build()
