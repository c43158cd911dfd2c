"""Custom pydantic field types: logical types and row expressions in their JSON forms.

A field accepts the object itself (from code) or its JSON (from a file).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from compiled_plan.plans.errors import PlanError
from compiled_plan.plans.rex import JavaFunction, PythonFunction, RexNode, rex_from_json
from compiled_plan.plans.rex.java import java_function_from_json
from compiled_plan.plans.rex.python import python_function_from_json
from compiled_plan.plans.types import LogicalType, RowType, type_from_json

#: Type of the validation errors that wrap a codec's PlanError.
CODEC_ERROR = "plan_codec"
#: Key in a generated JSON schema that is replaced by a reference to a handwritten definition.
DEFINITION = "x-definition"


@dataclass(frozen=True)
class _Codec:
    """Reader of a field: passes objects of the class through, and decodes JSON."""

    kind: type
    read: Callable[[object], object]
    definition: str  # its name in the schema

    def validated(self, value: object) -> object:
        if isinstance(value, self.kind):
            return value
        try:
            return self.read(value)
        except PlanError as fault:
            raise wrapped(fault) from None

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(self.validated)

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, object]:
        # A placeholder, as pydantic would resolve a reference; the definition is handwritten.
        return {DEFINITION: self.definition}


def _row_type(value: object) -> LogicalType:
    type_ = value if isinstance(value, LogicalType) else type_from_json(value)
    if not isinstance(type_, RowType):
        raise PlanError(f"a ROW type is needed here, not {type_}")
    return type_


def wrapped(fault: PlanError) -> PydanticCustomError:
    """Wrap a codec's error in one to which pydantic adds the location."""
    context = {"message": fault.message, "pointer": fault.where, "remedy": fault.remedy}
    return PydanticCustomError(CODEC_ERROR, "{message}", context)


TypeJson = Annotated[LogicalType, _Codec(LogicalType, type_from_json, "LogicalType")]
RowTypeJson = Annotated[RowType, _Codec(RowType, _row_type, "RowType")]
RexJson = Annotated[RexNode, _Codec(RexNode, rex_from_json, "RexNode")]
JavaJson = Annotated[JavaFunction, _Codec(JavaFunction, java_function_from_json, "JavaFunction")]
PythonJson = Annotated[PythonFunction, _Codec(PythonFunction, python_function_from_json, "PythonFunction")]
