"""A process that runs tests of programs without a query, and keeps its Java for the next ones.

It reads lines of JSON from stdin, `{"tests": ..., "plans": [...]}`, where a plan is that of a test, or the error that
refused it. It writes one line per test, `{"progress": ...}`, and then `{"result": ...}` or `{"broken": "..."}`;
`{"refused": ...}` if Java did not start, and `{"full": true}` if its heap was full, and ends.
"""

from __future__ import annotations

import json
import os
import resource
import select
import signal
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import psutil

from compiled_plan.plans.errors import CompiledPlanError, ProgramError

if TYPE_CHECKING:
    from compiled_plan.plans.plan import CompiledPlan
    from compiled_plan.testing.cases import Case

Json = Any
#: Java ends at once if its heap is full, so that its process starts anew.
_JAVA = "-XX:+ExitOnOutOfMemoryError -XX:MaxMetaspaceSize=512m -XX:MaxDirectMemorySize=256m"
_FULL = {"full": True}
_REMEDY = "run it with `test-plan` on the command line"


def check_own(case: Case) -> None:
    """Raise if a test needs files, or a program of its own.

    Raises:
        ProgramError: with the line.
    """
    from compiled_plan.testing.cases import CALLERS

    if case.sql or case.program != CALLERS:
        key = "sql" if case.sql else "program"
        raise case.document.error(case.place(key), f"`{key}` of a test is another program", f"remove it, or {_REMEDY}")
    if case.init:
        raise case.document.error(case.place("init"), "`init` names files", f"remove it, or {_REMEDY}")
    if case.upgrades:
        step = next(step for step in case.steps if step.kind == "upgrade")
        raise case.document.error(step.spot, "`upgrade` names a file, and only Spark runs it", _REMEDY)


def plans_of(cases: Sequence[Case], compile_: Callable[[Mapping[str, str]], str]) -> list[Json]:
    """The plan of each test, `{"plan": ...}`, or the error that refuses it, `{"refused": ...}`.

    Args:
        cases: the tests.
        compile_: compiles the program with session options.
    """
    plans: dict[str, Json] = {}

    def plan_of(case: Case) -> Json:
        try:
            check_own(case)
            settings = json.dumps(case.settings, sort_keys=True)
            if settings not in plans:
                plans[settings] = {"plan": compile_(case.settings)}
            return plans[settings]
        except CompiledPlanError as fault:
            return refused(fault)

    return [plan_of(case) for case in cases]


def refused(fault: CompiledPlanError) -> Json:
    """An error as JSON."""
    return {"refused": {"message": fault.message, "where": fault.where, "remedy": fault.remedy}}


def _compiled(plan: Json) -> Callable[[Case], CompiledPlan]:
    from compiled_plan.plans.inspection.checked_plans import plan_from_json

    def compiled(_: Case) -> CompiledPlan:
        if "refused" in plan:
            raise ProgramError(**plan["refused"])
        return plan_from_json(plan["plan"])

    return compiled


def _answer(request: Json, engines: Any, write: Callable[[Json], None]) -> Json:
    from compiled_plan.testing.cases import cases_of_text
    from compiled_plan.testing.reporting import document
    from compiled_plan.testing.running import run_case

    try:
        cases = cases_of_text(request["tests"])
        for case, plan in zip(cases, request["plans"], strict=True):
            result = run_case(case, engines, compiled=_compiled(plan), spark=False)
            if not _java_runs():
                return _FULL
            write({"progress": document(result)})
    except MemoryError:
        return _FULL
    except Exception as fault:
        return {"broken": f"{type(fault).__name__}: {fault}"}
    return {"result": len(cases)}


def _java_runs() -> bool:
    return any(child.status() != psutil.STATUS_ZOMBIE for child in psutil.Process().children())


def _end_with(pipe: int) -> None:
    """End this process and its Java when the other end of the pipe is closed, also during a test."""
    poll = select.poll()
    poll.register(pipe, 0)  # Only the hang-up, which needs no event.
    poll.poll()
    os.killpg(0, signal.SIGKILL)


def _limit(size: int) -> None:
    """Bound the address space of this process to its present size, and `size` bytes."""
    resource.setrlimit(resource.RLIMIT_AS, (psutil.Process().memory_info().vms + size,) * 2)


def main() -> None:
    """Answer requests until stdin ends. The argument is the limit on memory in bytes, of Java's heap and of Python."""
    from compiled_plan.plans.execution.testing.sessions import own_engines

    memory = int(sys.argv[1])
    out, requests = os.fdopen(os.dup(1), "wb"), os.fdopen(os.dup(0), "rb")
    os.dup2(os.open(os.devnull, os.O_RDWR), 0)
    os.dup2(2, 1)
    threading.Thread(target=_end_with, args=(requests.fileno(),), daemon=True).start()

    def write(line: Json) -> None:
        out.write(json.dumps(line).encode() + b"\n")
        out.flush()

    settings = {"spark.driver.memory": f"{memory >> 20}m", "spark.driver.extraJavaOptions": _JAVA}
    try:
        with own_engines(settings) as engines:
            _limit(memory)
            write({"result": "ready"})
            for line in requests:
                answer = _answer(json.loads(line), engines, write)
                write(answer)
                if answer == _FULL:
                    os.killpg(0, signal.SIGKILL)
    except CompiledPlanError as fault:
        write({"result": "ready"})
        write(refused(fault))


if __name__ == "__main__":
    main()
