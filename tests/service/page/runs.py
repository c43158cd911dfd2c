"""Fake runs for tests of the page, without Spark: the API's documents with invented figures."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import StreamingResponse

from compiled_plan.plans.inspection.graph.document import Graph
from compiled_plan.plans.telemetry.figures import Window
from compiled_plan.service.access.problems import Problem
from compiled_plan.service.runs.settings import RunSettings
from compiled_plan.service.store import pipelines, versions
from compiled_plan.service.store.states import RunState
from compiled_plan.service.store.tables import Status
from compiled_plan.service.web.depends import parts_of
from compiled_plan.service.web.figures import CurrentFigures, current
from compiled_plan.service.web.plans import text_of
from compiled_plan.service.web.runs import StartOf
from compiled_plan.service.web.state import Question
from compiled_plan.service.web.upgrades import RewindTarget, Target
from compiled_plan.service.workers import tasks

router = APIRouter(prefix="/pipelines/{name}")
EVERY = timedelta(seconds=2)
BATCHES = 1500
#: End of the first micro-batch.
BEGUN = datetime.now(UTC) - BATCHES * EVERY


@dataclass
class Faked:
    """State of the fake runs, set by tests.

    Args:
        operators: uids of the stateful operators of each pipeline.
        sources: names of its tables.
        lines: output of its run.
        upgrades: the upgrade of each pipeline.
        settings: run settings of each pipeline.
        targets: the last requested upgrade.
        starts: the last requested start.
        jobs: the question and the step of the last job that reads state.
        hold: keep such jobs from ending.
    """

    operators: dict[str, list[str]] = field(default_factory=dict)
    sources: dict[str, list[str]] = field(default_factory=dict)
    lines: dict[str, list[str]] = field(default_factory=dict)
    upgrades: dict[str, dict[str, Any]] = field(default_factory=dict)
    settings: dict[str, RunSettings] = field(default_factory=dict)
    targets: dict[str, Target] = field(default_factory=dict)
    starts: dict[str, StartOf] = field(default_factory=dict)
    jobs: dict[str, list[Any]] = field(default_factory=dict)
    hold: bool = False


def batch_of(faked: Faked, name: str, number: int, at: datetime) -> dict[str, Any]:
    """A micro-batch in the form that `execute-plan` reports."""
    slow = math.sin(number / 31) + math.sin(number / 7.3)
    sources = [
        {
            "name": source,
            "rows": int((2100 + 260 * math.sin(number / (90 + 40 * at_)) + 60 * slow) / (1 + at_)),
            "lag": max(0, int(700 / (1 + at_) * math.sin(number / (150 + 60 * at_)) + 30 * slow)),
            "lagUnit": "records",
            "table": f"default_catalog.default_database.{source}",
            "nodes": [],
        }
        for at_, source in enumerate(faked.sources.get(name, []))
    ]
    rows = sum(int(str(source["rows"])) for source in sources)
    operators = [
        {
            "uid": uid,
            "rowsIn": rows * number,
            "rowsInByInput": [rows * number],
            "rowsOut": rows * number // 2,
            "rowsInByOutcome": {"applied": rows * number - 12 * at_} | ({"late": 12 * at_} if at_ else {}),
            "rowsLate": 12 * at_,
            "busyMillis": 500 * (1 + at_) * number,
            "hotKeys": [{"key": '["US"]', "share": 0.42}, {"key": '["DE"]', "share": 0.11}],
            "stateRows": int(20000 * (1 + at_) * (1 + number / 4000)),
            "stateBytes": 3_400_000 * (1 + at_) + 300 * number,
            "stateChanges": {"created": int(25000 * (1 + at_) * (1 + number / 4000)), "expired": 5000 * (1 + at_)},
        }
        for at_, uid in enumerate(faked.operators.get(name, []))
    ]
    return {
        "event": "batch",
        "at": at.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "batch": number,
        "rowsIn": rows,
        "rowsOut": rows // 3,
        "deadLetters": 0,
        "batchMillis": int(780 + 60 * slow + 90 * math.sin(number / 200)),
        "watermark": None,
        "slots": 2,
        "sources": sources,
        "operators": operators,
    }


def set_status(request: Request, name: str, **what: Any) -> None:
    """Set the status of a pipeline."""
    now = datetime.now(UTC)
    with parts_of(request).database.write() as session:
        pipeline = pipelines.find(session, name)
        session.merge(Status(**{"pipeline_id": pipeline.id, "since": now, "seen_at": now, **what}))


@router.get("/run")
def run(request: Request, name: str) -> dict[str, Any]:
    with parts_of(request).database.read() as session:
        status = session.get(Status, pipelines.find(session, name).id)
        wanted = status is not None and (RunState(status.state).is_alive or status.until is not None)
        settings = request.app.state.faked.settings.get(name, RunSettings())
        return {"wanted": wanted, "version": 1, "settings": settings.model_dump()}


@router.get("/run/figures")
def figures(request: Request, name: str) -> CurrentFigures:
    faked, last, parts = request.app.state.faked, newest(), parts_of(request)
    if name not in faked.operators:
        return current(None, 0, None, 0)
    window = Window(batch_of(faked, name, number, BEGUN + number * EVERY) for number in range(last - 400, last + 1))
    graph = Graph.model_validate(parts.workers.run_once(tasks.stored.graph, plan=text_of(parts, name, 1)))
    return current(window.figures(), 1, graph, 48_000_000)


@router.get("/run/history")
def history(request: Request, name: str, hours: float = 1) -> dict[str, Any]:
    faked, last = request.app.state.faked, newest()
    count = min(last, int(hours * 1800)) if name in faked.operators else 0
    return {
        "points": [
            batch_of(faked, name, number, BEGUN + number * EVERY) for number in range(last - count + 1, last + 1)
        ]
    }


def newest() -> int:
    """The number of the last finished micro-batch."""
    return (datetime.now(UTC) - BEGUN) // EVERY


@router.get("/run/progress")
async def progress(request: Request, name: str) -> StreamingResponse:
    faked = request.app.state.faked

    async def events() -> AsyncIterator[str]:
        number = newest()
        yield ": here\n\n"
        while name in faked.operators and not await request.is_disconnected():
            yield f"id: {number}\ndata: {json.dumps(batch_of(faked, name, number, BEGUN + number * EVERY))}\n\n"
            number += 1
            await asyncio.sleep(max(0.1, (BEGUN + number * EVERY - datetime.now(UTC)).total_seconds()))

    return StreamingResponse(events(), media_type="text/event-stream")


@router.get("/run/logs")
def logs(request: Request, name: str, tail: int = 100) -> dict[str, Any]:
    return {"lines": request.app.state.faked.lines.get(name, [])[-tail:]}


@router.post("/run/start")
def start(request: Request, name: str, body: StartOf) -> dict[str, str]:
    request.app.state.faked.starts[name] = body
    if body.settings is not None:
        request.app.state.faked.settings[name] = body.settings
    set_status(request, name, state="running", version=1, rows_per_second=1800.0, lag=0, message="", remedy="")
    return {"state": "running"}


@router.post("/run/stop")
def stop(request: Request, name: str) -> dict[str, str]:
    set_status(request, name, state="stopped", version=1, message="", remedy="")
    return {"state": "stopped"}


@router.post("/state/job", status_code=202)
def begin_job(request: Request, name: str, body: Question) -> dict[str, Any]:
    request.app.state.faked.jobs[name] = [body, 0]
    return {"state": "running", "done": 0, "of": 0, "seconds": 0.0, "result": None}


@router.get("/state/job")
def get_job(request: Request, name: str) -> dict[str, Any]:
    """Each request sees the job a step further, until `Faked.hold` is false at its last step."""
    faked = request.app.state.faked
    if name not in faked.jobs:
        raise Problem(404, "the state of the pipeline has not been read")
    faked.jobs[name][1] = min(faked.jobs[name][1] + 1, 3 if faked.hold else 4)
    body, step = faked.jobs[name]
    if step < 0:
        return {"state": "cancelled", "done": 3, "of": 16, "seconds": 3.0, "result": None}
    if step < 4:
        return {"state": "running", "done": step, "of": 16, "seconds": float(step), "result": None}
    return {"state": "done", "done": 16, "of": 16, "seconds": 4.0, "result": _result(body)}


@router.delete("/state/job")
def cancel_job(request: Request, name: str) -> dict[str, Any]:
    request.app.state.faked.jobs[name][1] = -1_000
    return {"state": "cancelled", "done": 3, "of": 16, "seconds": 3.0, "result": None}


def _result(body: Question) -> dict[str, Any]:
    if body.key:
        row = [{"name": "order_id", "type": "INT", "value": 7}, {"name": "item", "type": "STRING", "value": None}]
        fields = [
            {"name": "left", "type": "ARRAY", "value": [row, row]},
            {"name": "written", "type": "TIMESTAMP_LTZ(3)", "value": "2026-01-31 23:59:59.999Z"},
            {"name": "expires", "type": "TIMESTAMP_LTZ(3)", "value": "2026-04-30 23:59:59.999Z"},
        ]
        keys = [{"key": body.key[0], "timer": None, "fields": fields}]
        return {"entries": {"words": "Join orders with customers", "batch": 12, "keys": keys}}
    entries = [text.partition("=")[0] for text in body.what_if] or [""]
    part = {"entries": 30_000, "expired": 500, "oldestWrite": 1_700_000_000_000, "nextExpiry": None, "of": "orders"}
    parts = [{**part, "name": entry, "whatIf": {"expired": 12_000, "kept": 18_000}} for entry in entries]
    operator = {"uid": body.operator, "words": "Join orders with customers", "bytes": 3_400_000, "parts": parts}
    return {"version": 1, "state": {"batch": 12, "at": 1_700_000_600_000, "operators": [operator]}}


def steps_of(upgrade: dict[str, Any]) -> list[dict[str, str]]:
    """The steps of an upgrade so far."""
    if upgrade["state"] == "none":
        return []
    texts = ("the run of version 1 ends", "join-orders-customers keeps its rows", "version 2 runs")
    done = upgrade.get("done", len(texts))
    at = "failed" if upgrade["state"] == "refused" else "going-on"
    states = ["done"] * done + [at] + ["waiting"] * len(texts)
    return [{"name": "a step", "text": text, "state": state} for text, state in zip(texts, states, strict=False)]


@router.get("/upgrade")
def upgrade(request: Request, name: str) -> dict[str, Any]:
    upgrade = request.app.state.faked.upgrades.get(name, {"state": "none"})
    shown = {**upgrade, "steps": steps_of(upgrade)}
    if upgrade["state"] == "migrating":
        # Polled repeatedly: each request advances it.
        upgrade["done"] += 1
        if upgrade["done"] > upgrade["of"]:
            upgrade.update(state="done", can_roll_back=True)
    return shown


@router.post("/upgrade/rewind/check")
def check_rewind(request: Request, name: str, body: RewindTarget) -> dict[str, Any]:
    if body.to != "1/57":
        raise Problem(422, "micro-batch 9 is not retained", remedy="choose one of 40 to 80")
    sinks = [{"table": "totals", "how": "returned", "text": "4 files set aside"}]
    return {"origin": 1, "batch": 57, "begun": "2026-05-01T16:59:40+00:00", "batches": 3, "sinks": sinks}


@router.post("/upgrade/migrate")
def migrate(request: Request, name: str, body: Target) -> dict[str, Any]:
    parts = parts_of(request)
    with parts.database.write() as session:
        pipeline = pipelines.find(session, name)
        old, version = pipeline.in_force, versions.find(session, pipeline, body.version)
        pipelines.change(session, pipeline, in_force=version.number)
    upgrades = request.app.state.faked.upgrades
    upgrades[name] = {"state": "migrating", "from": old, "to": body.version, "done": 0, "of": 3, "can_roll_back": False}
    request.app.state.faked.targets[name] = body
    return dict(upgrades[name])


@router.post("/upgrade/rollback")
def rollback(request: Request, name: str) -> dict[str, Any]:
    upgrades = request.app.state.faked.upgrades
    old = upgrades[name]["from"]
    with parts_of(request).database.write() as session:
        pipeline = pipelines.find(session, name)
        pipelines.change(session, pipeline, in_force=old)
    upgrades[name] = {"state": "rolled-back", "from": upgrades[name]["to"], "to": old, "can_roll_back": False}
    return dict(upgrades[name])
