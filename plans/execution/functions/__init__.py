"""User functions at run time: Python over Arrow batches."""

from plans.execution.functions.columns import PythonFunctions
from plans.execution.functions.steps import PythonStep, check, needs_step

__all__ = ["PythonFunctions", "PythonStep", "check", "needs_step"]
