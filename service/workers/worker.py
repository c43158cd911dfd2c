"""A worker process: load the planner once, and run each task in a forked child.

It reads one line of JSON from stdin, `{"task": ..., "arguments": ..., "seconds": ..., "memory": ...}`, and writes one:
`{"result": ...}`, `{"refused": {"message", "where", "remedy"}}` or `{"broken": "..."}`.
"""

from __future__ import annotations

import json
import math
import os
import resource
import signal
import sys
from importlib import import_module
from typing import Any, BinaryIO

from compiled_plan.plans.errors import CompiledPlanError
from compiled_plan.service.workers.tasks import TaskName
from compiled_plan.service.workers.tasks.own_tests import refused

#: Modules to import before the first fork.
_LOADED = (
    "compiled_plan.compiling.python_programs",
    "compiled_plan.planner.pipeline",
    "compiled_plan.service.workers.tasks.stored",
    "compiled_plan.service.workers.tasks.submitted",
    "jsonschema",
)


def answer_to(request: dict[str, Any]) -> dict[str, object]:
    """Run a task, and return its answer."""
    try:
        return {"result": TaskName(*request["task"]).run(request["arguments"])}
    except CompiledPlanError as fault:
        return {**refused(fault)}
    except Exception as fault:
        return {"broken": f"{type(fault).__name__}: {fault}"}


def _in_copy(request: dict[str, Any], out: BinaryIO) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (request["memory"],) * 2)
    # The caller enforces the time limit; this is for a child whose caller has gone.
    signal.alarm(math.ceil(request["seconds"]) + 5)
    resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(request["seconds"]) + 1,) * 2)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        text = json.dumps(answer_to(request))
    except (RecursionError, MemoryError, ValueError) as fault:
        text = json.dumps({"broken": f"{type(fault).__name__}: {fault}"})
    out.write(text.encode() + b"\n")
    out.flush()


def main() -> None:
    """Answer requests until stdin ends."""
    # Output of programs must not mix with the answers.
    out = os.fdopen(os.dup(1), "wb")
    requests = os.fdopen(os.dup(0), "rb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 0)
    os.dup2(2, 1)
    for name in _LOADED:
        import_module(name)
    out.write(b'{"result": "ready"}\n')
    out.flush()
    for line in requests:
        child = os.fork()
        if child == 0:
            code = 1
            try:
                _in_copy(json.loads(line), out)
                code = 0
            finally:
                os._exit(code)
        _, status = os.waitpid(child, 0)
        if status:
            code = os.waitstatus_to_exitcode(status)
            out.write(json.dumps({"died": code}).encode() + b"\n")
            out.flush()
    sys.exit(0)


if __name__ == "__main__":
    main()
