"""`ModelDescriptor`: the declaration of a model in Python.

Source: PyFlink's class of this name.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from compiled_plan.planner.options.configuration import ConfigOption, option_text
from compiled_plan.planner.sql.declaring import declare_script
from compiled_plan.planner.table.building.unfinished import Unfinished
from compiled_plan.planner.table.declared_schemas import Schema
from compiled_plan.planner.table.paths import path_of
from compiled_plan.plans.errors import ProgramError
from compiled_plan.plans.types import quote_identifier, quote_string

if TYPE_CHECKING:
    from compiled_plan.planner.sql.context import PlanningContext


@dataclass(frozen=True)
class ModelDescriptor:
    """The declaration of a model: provider, schemas, options and comment."""

    Builder: ClassVar[type[ModelDescriptorBuilder]]

    options: tuple[tuple[str, str], ...]
    input_schema: Schema | None = None
    output_schema: Schema | None = None
    comment: str | None = None

    @staticmethod
    def for_provider(provider: str) -> ModelDescriptorBuilder:
        """A new builder: `ModelDescriptor.for_provider("openai").input_schema(...).output_schema(...).build()`."""
        return ModelDescriptorBuilder(ModelDescriptor((("provider", provider),)))

    def get_options(self) -> dict[str, str]:
        """All options, with that of the provider."""
        return dict(self.options)

    def get_input_schema(self) -> Schema | None:
        """The columns that the model reads; None if they are not declared."""
        return self.input_schema

    def get_output_schema(self) -> Schema | None:
        """The columns that the model returns; None if they are not declared."""
        return self.output_schema

    def get_comment(self) -> str | None:
        """The comment; None if there is none."""
        return self.comment

    def __str__(self) -> str:
        schemas = ["" if schema is None else str(schema) for schema in (self.input_schema, self.output_schema)]
        options = ",\n  ".join(f"{quote_string(key)} = {quote_string(value)}" for key, value in self.options)
        return "\n".join([*schemas, f"COMMENT {quote_string(self.comment or '')}", f"WITH (\n  {options}\n)"])


@dataclass(repr=False, eq=False)
class ModelDescriptorBuilder(Unfinished):
    """Builder of a `ModelDescriptor`. Each method changes the builder and returns it."""

    WHAT = "the builder of a model descriptor"
    NEXT = "it has input_schema, output_schema, option and comment; finish it with .build()"

    _model: ModelDescriptor

    def input_schema(self, input_schema: Schema) -> ModelDescriptorBuilder:
        """Set the columns that the model reads."""
        self._model = replace(self._model, input_schema=input_schema)
        return self

    def output_schema(self, output_schema: Schema) -> ModelDescriptorBuilder:
        """Set the columns that the model returns."""
        self._model = replace(self._model, output_schema=output_schema)
        return self

    def option(self, key: str | ConfigOption, value: object) -> ModelDescriptorBuilder:
        """Set an option of the provider, as in WITH."""
        name = key.key if isinstance(key, ConfigOption) else key
        options = {**self._model.get_options(), name: option_text(value)}
        self._model = replace(self._model, options=tuple(options.items()))
        return self

    def comment(self, comment: str) -> ModelDescriptorBuilder:
        """Set the comment that DESCRIBE MODEL shows."""
        self._model = replace(self._model, comment=comment)
        return self

    def build(self) -> ModelDescriptor:
        """The immutable descriptor of the schemas and options set so far."""
        return self._model


ModelDescriptor.Builder = ModelDescriptorBuilder


def create_model(
    context: PlanningContext, path: str, descriptor: object, *, temporary: bool, ignore_if_exists: bool = False
) -> None:
    """Create a model in the catalog.

    Raises:
        ProgramError: not a descriptor, an invalid one, or the name is taken.
    """
    operation = "create_temporary_model" if temporary else "create_model"
    if not isinstance(descriptor, ModelDescriptor):
        raise ProgramError(
            f"{operation}() takes a ModelDescriptor, not {type(descriptor).__name__}",
            where=f"{operation}()",
            remedy='write ModelDescriptor.for_provider("...").input_schema(...).output_schema(...).build()',
        )
    head = f"CREATE {'TEMPORARY ' if temporary else ''}MODEL {'IF NOT EXISTS ' if ignore_if_exists else ''}"
    parts = [head + ".".join(map(quote_identifier, path_of(path, operation, "model")))]
    for word, schema in (("INPUT", descriptor.input_schema), ("OUTPUT", descriptor.output_schema)):
        if schema is not None and schema.clauses:
            parts.append(f"{word} {schema.sql}")
    if descriptor.comment is not None:
        parts.append(f"COMMENT {quote_string(descriptor.comment)}")
    if descriptor.options:
        options = ", ".join(f"{quote_string(key)} = {quote_string(value)}" for key, value in descriptor.options)
        parts.append(f"WITH ({options})")
    declare_script(context, "\n".join(parts))
