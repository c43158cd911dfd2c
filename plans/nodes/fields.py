"""Field types that are not pydantic's own: logical types and row expressions, by their JSON forms.

A field accepts the object itself (from code) or its JSON (from a file).
"""

from __future__ import annotations

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


class _TypeCodec:
    """Reads a logical type."""

    REF = "LogicalType"

    @staticmethod
    def read(value: Any) -> LogicalType:
        if isinstance(value, LogicalType):
            return value
        try:
            return type_from_json(value)
        except PlanError as fault:
            raise wrapped(fault) from None

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(cls.read)

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        # A placeholder: pydantic follows references, and this one leads to a definition written by hand.
        return {DEFINITION: cls.REF}


class _RowTypeCodec(_TypeCodec):
    """Reads a logical type that must be a ROW."""

    REF = "RowType"

    @staticmethod
    def read(value: Any) -> LogicalType:
        found = _TypeCodec.read(value)
        if not isinstance(found, RowType):
            raise wrapped(PlanError(f"a ROW type is needed here, not {found}"))
        return found


class _RexCodec(_TypeCodec):
    """Reads a row expression."""

    REF = "RexNode"

    @staticmethod
    def read(value: Any) -> Any:
        if isinstance(value, RexNode):
            return value
        try:
            return rex_from_json(value)
        except PlanError as fault:
            raise wrapped(fault) from None


class _PythonCodec(_TypeCodec):
    """Reads what a plan says of a Python function."""

    REF = "PythonFunction"

    @staticmethod
    def read(value: Any) -> Any:
        if isinstance(value, PythonFunction):
            return value
        try:
            return python_function_from_json(value)
        except PlanError as fault:
            raise wrapped(fault) from None


def wrapped(fault: PlanError) -> PydanticCustomError:
    """A codec's error as one that pydantic carries to the place where it happened."""
    context = {"message": fault.message, "pointer": fault.where, "remedy": fault.remedy}
    return PydanticCustomError(CODEC_ERROR, "{message}", context)


#: A logical type.
TypeJson = Annotated[LogicalType, _TypeCodec]
#: A ROW type.
RowTypeJson = Annotated[RowType, _RowTypeCodec]
#: A row expression.
RexJson = Annotated[RexNode, _RexCodec]
#: A Python function.
PythonJson = Annotated[PythonFunction, _PythonCodec]
