"""User functions: what their authors write, and how their types are found.

    from plans.functions import DataTypeHint, ScalarFunction, function_hint

    class Shout(ScalarFunction):
        def eval(self, text: str | None, times: int = 1) -> str | None:
            return text and text.upper() + "!" * times

Source: FLIP-65.
"""

from plans.functions.bridge import Bridged
from plans.functions.definitions import (
    AggregateFunction,
    FunctionContext,
    FunctionKind,
    ScalarFunction,
    TableAggregateFunction,
    TableFunction,
    UserDefinedFunction,
)
from plans.functions.hints import ANY, DataTypeHint, InputGroup, function_hint
from plans.functions.inference import (
    ArgumentCount,
    CallContext,
    InputTypeStrategies,
    TypedArgument,
    TypeInference,
    TypeStrategies,
)
from plans.types.row import Row

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
