"""Field types that are not pydantic's own: logical types and row expressions, by their JSON forms.

A field accepts the object itself (from code) or its JSON (from a file).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from compiled_plan.plans.errors import PlanError
from compiled_plan.plans.rex import PythonFunction, RexNode, rex_from_json
from compiled_plan.plans.rex.python import python_function_from_json
from compiled_plan.plans.types import LogicalType, RowType, type_from_json

#: Kind of the validation errors that wrap a PlanError of a codec.
CODEC_ERROR = "plan_codec"
#: Key in a generated JSON schema that stands for a reference to a definition written by hand.
DEFINITION = "x-definition"


@dataclass(frozen=True)
class _Codec:
    """Reads a field: an object of a class as it is, else its JSON."""

    kind: type
    read: Callable[[Any], Any]
    definition: str  # its name in the schema

    def validated(self, value: Any) -> Any:
        if isinstance(value, self.kind):
            return value
        try:
            return self.read(value)
        except PlanError as fault:
            raise wrapped(fault) from None

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(self.validated)

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        # A placeholder: pydantic follows references, and this one leads to a definition written by hand.
        return {DEFINITION: self.definition}


def _row_type(value: Any) -> LogicalType:
    type_ = value if isinstance(value, LogicalType) else type_from_json(value)
    if not isinstance(type_, RowType):
        raise PlanError(f"a ROW type is needed here, not {type_}")
    return type_


def wrapped(fault: PlanError) -> PydanticCustomError:
    """A codec's error as one that pydantic carries to the place where it happened."""
    context = {"message": fault.message, "pointer": fault.where, "remedy": fault.remedy}
    return PydanticCustomError(CODEC_ERROR, "{message}", context)


TypeJson = Annotated[LogicalType, _Codec(LogicalType, type_from_json, "LogicalType")]
RowTypeJson = Annotated[RowType, _Codec(RowType, _row_type, "RowType")]
RexJson = Annotated[RexNode, _Codec(RexNode, rex_from_json, "RexNode")]
PythonJson = Annotated[PythonFunction, _Codec(PythonFunction, python_function_from_json, "PythonFunction")]
