"""Spark's exceptions as errors in the user's terms: the root cause's message, without stack traces."""

from __future__ import annotations

import re

from plans.errors import DataError, ExecutionError

_CODE = re.compile(r"^\[[A-Z0-9_.]+\]\s*")
_SQLSTATE = re.compile(r"\s*SQLSTATE: \w{5}\s*$")
_CLASS = re.compile(r"^(?:[\w$]+\.)+[\w$]*(?:Exception|Error): ")

#: What a user's function in Python failed with, in a line of a traceback (see `plans.execution.functions.runtime`).
_BY_FUNCTION = re.compile(r"FunctionFailure: (user function failed: .*)")


def translate(fault: Exception) -> ExecutionError:
    """The error to show for an exception that Spark or py4j raised.

    The deepest cause says what happened; what Spark wraps around it (stage numbers, task attempts) does not help.
    """
    message = _root_message(fault)
    by_function = _BY_FUNCTION.search(message) or _BY_FUNCTION.search(str(fault))
    if by_function is not None:
        return DataError(by_function[1].strip(), remedy="correct the function or its rows; --debug shows the traceback")
    if "PythonFailure" in message:
        said = message.partition("PythonFailure: ")[2].split("\n\tat ")[0].strip()
        return DataError(said, remedy="correct the function or its rows; --debug shows the traceback")
    user_raised = "USER_RAISED_EXCEPTION" in message
    text = message.split("\n\tat ")[0].strip()
    text = _SQLSTATE.sub("", _CODE.sub("", _CLASS.sub("", text))).strip() or type(fault).__name__
    if user_raised or "org.compiledplan" in message:
        return DataError(text, remedy="correct the row, or let the expression tolerate it (TRY_CAST, NULLIF)")
    return ExecutionError(text, remedy="run with --debug for Spark's stack trace")


def _root_message(fault: Exception) -> str:
    java = getattr(fault, "java_exception", None)
    if java is not None:
        cause = java
        while cause.getCause() is not None:
            cause = cause.getCause()
        return f"{cause.getClass().getName()}: {cause.getMessage()}"
    text = str(fault)
    causes = re.findall(r"Caused by: (.+)", text)
    return causes[-1] if causes else text
