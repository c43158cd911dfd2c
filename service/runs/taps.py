"""Taps: requests for rows between the operators of a run, as files beside its progress file.

The run looks for a request between micro-batches (`cli.actions.tapping` has the form of the files), so that requests
outlive the service, and end by themselves.
"""

from __future__ import annotations

import time
from typing import Any, Literal
from uuid import uuid4

from compiled_plan.plans.errors import PlanError
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.telemetry.progress_file import tap_files
from compiled_plan.service.runs.folders import COMMAND, PLAN, RunFolder, read_json, write_json
from compiled_plan.service.store.errors import ConflictError, NotFoundError

State = Literal["running", "done", "failed", "cancelled"]


def open_tap(run: RunFolder, node: int, at: int | None, rows: int, seconds: float) -> None:
    """Request rows from a run with a live process.

    Args:
        run: the run.
        node: the id of a node.
        at: the input whose rows are shown; None for the rows that the node emits, or that a sink writes.
        rows: the maximum number of rows.
        seconds: the time after which the request ends.

    Raises:
        ConflictError: another request is open, or the run has no taps.
        PlanError: the plan has no such node or input.
    """
    trigger = str((run.read(COMMAND) or {}).get("trigger", ""))
    if trigger.startswith("real-time"):
        raise ConflictError(
            "a run in real-time mode has no taps", where=trigger, remedy="give the run a time between micro-batches"
        )
    plan = CompiledPlan.from_json((run.path / PLAN).read_text(encoding="utf-8"))
    emitter = _emitter(plan, node, at)
    request, answer = tap_files(run.progress)
    known = read_json(request)
    if known is not None and known["until"] > time.time():
        raise ConflictError("a tap of the run is open", remedy="wait for its end, or close it")
    answer.unlink(missing_ok=True)
    now = time.time()
    write_json(request, {"id": uuid4().hex, "node": emitter, "rows": rows, "begun": now, "until": now + seconds})


def _emitter(plan: CompiledPlan, id_: int, at: int | None) -> int:
    """The id of the node whose rows are shown."""
    if id_ not in {node.id for node in plan.nodes}:
        raise PlanError(
            "the running plan has no such node", where=f"node {id_}", remedy="choose an operator of the running version"
        )
    if at is None:
        return id_
    inputs = plan.inputs(id_)
    if at >= len(inputs):
        remedy = f"its inputs are 0 to {len(inputs) - 1}" if inputs else "leave `input` out: a source has none"
        raise PlanError(f"{plan.node(id_).description} has no input {at}", where=f"node {id_}", remedy=remedy)
    return inputs[at].id


def read_tap(run: RunFolder, *, is_alive: bool) -> dict[str, Any]:
    """The state of the last tap: `state`, `seconds`, `done`, `of`, `result`, `message`.

    Raises:
        NotFoundError: no tap was opened, or it has ended without rows.
    """
    request, answer = map(read_json, tap_files(run.progress))
    if request is None and answer is None:
        raise NotFoundError("no tap is open", where=str(run.number), remedy="open one")
    facts = answer or {}
    now, begun = time.time(), (request or {}).get("begun", 0.0)
    is_open = request is not None and facts.get("open", True) and now <= request["until"]
    state: State = "running" if is_open and is_alive else "failed" if "message" in facts else "done"
    result = facts.get("result") or {"columns": [], "rows": [], "ended": "seconds" if is_alive else "end"}
    return {
        "state": state,
        "seconds": min(now, (request or {"until": now})["until"]) - begun if begun else 0.0,
        "done": len(result["rows"]),
        "of": (request or {}).get("rows", len(result["rows"])),
        "result": result,
        "message": facts.get("message", ""),
    }


def close_tap(run: RunFolder) -> None:
    """End the open request, if there is one; its rows so far remain."""
    tap_files(run.progress)[0].unlink(missing_ok=True)
