"""Calls in processes of their own: modules and other effects of one program do not reach the next."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import ParamSpec, TypeVar

from compiled_plan.plans.errors import CompiledPlanError, ProgramError

P = ParamSpec("P")
T = TypeVar("T")


def isolated(function: Callable[P, T], *arguments: P.args, **options: P.kwargs) -> T:
    """Call a function in a forked process.

    Raises:
        CompiledPlanError: the function raised one.
        ProgramError: the process ended before the function returned.
    """
    context = get_context("fork")
    reader, writer = context.Pipe(duplex=False)
    process = context.Process(target=_send, args=(writer, function, arguments, options))
    process.start()
    writer.close()
    try:
        answer: tuple[T, tuple[str, str, str] | None] = reader.recv()
    except EOFError:
        process.join()
        raise ProgramError(
            f"the program ended its process, with code {process.exitcode}", remedy="remove its call of exit"
        ) from None
    process.join()
    result, fault = answer
    if fault is not None:
        message, where, remedy = fault
        raise CompiledPlanError(message, where=where, remedy=remedy)
    return result


def _send(
    writer: Connection, function: Callable[..., object], arguments: Iterable[object], options: Mapping[str, object]
) -> None:
    answer: tuple[object, tuple[str, str, str] | None]
    try:
        answer = function(*arguments, **options), None
    except CompiledPlanError as fault:
        answer = None, (fault.message, fault.where, fault.remedy)
    sys.stdout.flush()
    writer.send(answer)
    writer.close()
