"""A process that runs tests of programs without a query, and keeps its Java for the next ones.

It reads lines of JSON from stdin: `{"tests": ..., "plans": [...]}`, where a plan is that of a test, or the error that
refused it; or `{"change": [OLD, NEW], "names": [...]}`, two plans for a search of examples, and their names. It writes
one line per test, or for the examples, `{"progress": ...}`, and then `{"result": ...}` or `{"broken": "..."}`;
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
from collections.abc import Callable, Mapping
from typing import TypedDict

import psutil

from compiled_plan.plans.errors import CompiledPlanError, ProgramError
from compiled_plan.plans.execution.testing.engine import Engines
from compiled_plan.plans.execution.testing.sessions import own_engines
from compiled_plan.plans.inspection.checked_plans import plan_from_json
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.service.workers.tasks.own_tests import refused
from compiled_plan.service.workers.tasks.refusals import PlanOfTest
from compiled_plan.testing.cases import Case, cases_of_text
from compiled_plan.testing.example_files import Names, examples_of
from compiled_plan.testing.reporting import document
from compiled_plan.testing.running import run_case

#: Java ends at once if its heap is full, so that its process starts anew.
_JAVA = "-XX:+ExitOnOutOfMemoryError -XX:MaxMetaspaceSize=512m -XX:MaxDirectMemorySize=256m"
_FULL = {"full": True}


class Request(TypedDict, total=False):
    """A file of tests, and the plan of each test; or two plans, and their names."""

    tests: str
    plans: list[PlanOfTest]
    change: tuple[str, str]
    names: tuple[str, str]


def _compiled(plan: PlanOfTest) -> Callable[[Case], CompiledPlan]:
    def compiled(_: Case) -> CompiledPlan:
        if "refused" in plan:
            raise ProgramError(**plan["refused"])
        return plan_from_json(plan["plan"])

    return compiled


def _answer(request: Request, engines: Engines, write: Callable[[object], None]) -> Mapping[str, object]:
    try:
        if "change" in request:
            return _searched(request["change"], request["names"], engines, write)
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


def _searched(
    texts: tuple[str, str], names: tuple[str, str], engines: Engines, write: Callable[[object], None]
) -> Mapping[str, object]:
    """Write the examples of a change."""
    try:
        old, new = map(plan_from_json, texts)
        examples = examples_of((old, new), Names(*names), engines, checks=False)
    except CompiledPlanError as fault:
        return refused(fault) if _java_runs() else _FULL
    write({"progress": examples.model_dump(by_alias=True)})
    return {"result": 1}


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
    memory = int(sys.argv[1])
    out, requests = os.fdopen(os.dup(1), "wb"), os.fdopen(os.dup(0), "rb")
    os.dup2(os.open(os.devnull, os.O_RDWR), 0)
    os.dup2(2, 1)
    threading.Thread(target=_end_with, args=(requests.fileno(),), daemon=True).start()

    def write(line: object) -> None:
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
