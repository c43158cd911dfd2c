"""User-defined functions: base classes for their authors, and inference of their types.

    from compiled_plan.plans.functions import DataTypeHint, ScalarFunction, function_hint

    class Shout(ScalarFunction):
        def eval(self, text: str | None, times: int = 1) -> str | None:
            return text and text.upper() + "!" * times

Source: FLIP-65.
"""

from compiled_plan.plans.functions.definitions import (
    AggregateFunction,
    FunctionContext,
    FunctionKind,
    ScalarFunction,
    TableAggregateFunction,
    TableFunction,
    UserDefinedFunction,
)
from compiled_plan.plans.functions.inference import (
    ArgumentCount,
    CallContext,
    InputTypeStrategies,
    TypedArgument,
    TypeInference,
    TypeStrategies,
)
from compiled_plan.plans.types.python.bridge import Bridged
from compiled_plan.plans.types.python.type_hints import ANY, DataTypeHint, InputGroup, function_hint
from compiled_plan.plans.types.row import Row

__all__ = [
    "ANY",
    "AggregateFunction",
    "ArgumentCount",
    "Bridged",
    "CallContext",
    "DataTypeHint",
    "FunctionContext",
    "FunctionKind",
    "InputGroup",
    "InputTypeStrategies",
    "Row",
    "ScalarFunction",
    "TableAggregateFunction",
    "TableFunction",
    "TypeInference",
    "TypeStrategies",
    "TypedArgument",
    "UserDefinedFunction",
    "function_hint",
]
