"""Taps: requests for rows that enter a sink of a run, as files beside its progress file.

The run looks for a request between micro-batches (`cli._tapping` has the form of the files), so that requests outlive
the service, and end by themselves.
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


def open_tap(run: RunFolder, node: int, rows: int, seconds: float) -> None:
    """Request rows of a sink from a run with a live process.

    Args:
        run: the run.
        node: the id of the sink node.
        rows: the maximum number of rows.
        seconds: the time after which the request ends.

    Raises:
        ConflictError: another request is open, or the run has no taps.
        PlanError: the node is no sink.
    """
    trigger = str((run.read(COMMAND) or {}).get("trigger", ""))
    if trigger.startswith("real-time"):
        raise ConflictError(
            "a run in real-time mode has no taps", where=trigger, remedy="give the run a time between micro-batches"
        )
    plan = CompiledPlan.from_json((run.path / PLAN).read_text(encoding="utf-8"))
    _check_sink(plan, node)
    request, answer = tap_files(run.progress)
    known = read_json(request)
    if known is not None and known["until"] > time.time():
        raise ConflictError("a tap of the run is open", remedy="wait for its end, or close it")
    answer.unlink(missing_ok=True)
    now = time.time()
    write_json(request, {"id": uuid4().hex, "node": node, "rows": rows, "begun": now, "until": now + seconds})


def _check_sink(plan: CompiledPlan, id_: int) -> None:
    nodes = {node.id: node for node in plan.nodes}
    if id_ not in nodes:
        raise PlanError("the running plan has no such node", where=f"node {id_}", remedy="choose a sink of the plan")
    if id_ in {sink.id for sink in plan.sinks}:
        return
    raise PlanError(
        f"rows that enter {nodes[id_].description} cannot be tapped: operators before a sink are one query of Spark, "
        "which gives its rows to the sinks alone",
        where=f"node {id_}",
        remedy="tap a sink, or preview the statement in the editor",
    )


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
