"""A service with samples for a browser: `python -m tests.service.page.served` to try it by hand."""

from __future__ import annotations

import socket
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from unittest.mock import patch

import httpx2 as httpx
import uvicorn
from fastapi import FastAPI

from compiled_plan.service import app as service
from compiled_plan.service import web
from compiled_plan.service.app import PREFIX
from compiled_plan.service.common.settings import Settings
from compiled_plan.service.store import pipelines
from compiled_plan.service.store.tables import Status
from tests.service.page import runs

SAMPLES = Path(__file__).parents[3] / "samples"
#: Name, description, program, status.
PIPELINES: tuple[tuple[str, str, str, dict[str, Any]], ...] = (
    (
        "clicks-deduplicated",
        "Each click once, figures by page",
        "deduplicate_aggregate/program.sql",
        {"state": "behind", "rows_per_second": 9800.0, "lag": 412_000},
    ),
    ("customers-latest", "The latest row of each customer", "cdc_aggregate/program.sql", {"state": "stopped"}),
    (
        "orders-with-shipments",
        "Orders joined with shipments of the same day",
        "orders_shipments/program.sql",
        {
            "state": "failed",
            "message": "the checkpoint holds state of another plan: join-orders-shipments has other keys",
            "remedy": "see Upgrade, or put version 1 in force again",
        },
    ),
    (
        "sales-by-country",
        "Orders joined with the customers who made them",
        "upgrade/second.sql",
        {"state": "running", "rows_per_second": 1790.0, "lag": 220},
    ),
)


def free_port() -> int:
    """An unused port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


#: A preview of one row with the rows that it was asked for.
PREVIEW = """echo "{\\"columns\\": [{\\"name\\": \\"id\\", \\"type\\": \\"INT\\"}],
  \\"rows\\": [{\\"kind\\": \\"+I\\", \\"values\\": [\\"$3\\"]}], \\"ended\\": \\"end\\"}\""""


#: A shadow run with a report after its first round, which ends once the file `$0` exists.
SHADOW = """for last; do :; done
report='{"outcome": "differs as named", "batch": 3, "rows_in": 30, "rounds": 2, "seconds": 4.5, "only_old": [],
 "only_new": [], "tables": [{"table": "totals", "outcome": "differs as named", "keys": 8, "equal": 7,
 "other_values": 1, "only_old": 0, "only_new": 0, "other_sequence": 0,
 "examples": [{"key": "{\\"shop\\":\\"x\\"}", "old": "{\\"total\\":4}", "new": null}]}]}'
report=$(echo "$report" | tr -d '\\n')
echo "{\\"seq\\": 1, \\"event\\": \\"shadow\\", \\"report\\": $report}" > "$last"
trap 'exit 130' INT
while [ ! -e "$0" ]; do sleep 0.05; done
echo "$report\""""


def build(home: Path) -> FastAPI:
    """The service's application with fake runs and previews."""
    real = (web.runs.router, web.figures.router, web.upgrades.router, web.state.router)
    routers = [router for router in service.ROUTERS if router not in real] + [runs.router]
    with patch.object(service, "ROUTERS", routers):
        settings = Settings(home=home, tokens=False, data=("data", "out"))
        command = ("/bin/sh", "-c", SHADOW, str(home / "shadows-end"))
        app = service.application(settings, command=command, preview=("/bin/sh", "-c", PREVIEW, "preview"))
    app.state.faked = runs.Faked()
    return app


@contextmanager
def served(app: FastAPI) -> Iterator[str]:
    """Serve it; returns the address."""
    port = free_port()
    config = uvicorn.Config(app, port=port, log_level="warning", timeout_graceful_shutdown=1)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        if not thread.is_alive():
            raise RuntimeError("the service did not start")
        time.sleep(0.02)
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join(timeout=10)


def add(client: httpx.Client, name: str, description: str, program: str) -> None:
    """Add a pipeline with one version."""
    client.post("pipelines", json={"name": name, "description": description}).raise_for_status()
    body = {"program": program, "comment": "First version"}
    answer = client.post(f"pipelines/{name}/versions", json=body)
    assert answer.status_code == 201, answer.text


def say(app: FastAPI, name: str, **what: Any) -> None:
    """Set the status of a pipeline."""
    with app.state.parts.database.write() as session:
        pipeline = pipelines.find(session, name)
        now = datetime.now(UTC)
        since = now - timedelta(minutes=37)
        session.merge(Status(**{"pipeline_id": pipeline.id, "since": since, "seen_at": now, "version": 1, **what}))


def fill(app: FastAPI, address: str) -> None:
    """Register the samples."""
    with httpx.Client(base_url=f"{address}{PREFIX}/", timeout=60) as client:
        for name, description, program, status in PIPELINES:
            add(client, name, description, (SAMPLES / program).read_text(encoding="utf-8"))
            say(app, name, **status)
            graph = client.get(f"pipelines/{name}/versions/1/graph").json()
            if status["state"] in ("running", "behind"):
                faked = app.state.faked
                faked.operators[name] = [node["uid"] for node in graph["nodes"] if node["state"]]
                sources = [node["words"] for node in graph["nodes"] if node["role"] == "source"]
                faked.sources[name] = [words.removeprefix("Read ") for words in sources]
            app.state.faked.lines[name] = LINES
    way: dict[str, Any] = {"from": 1, "to": 2, "done": 1, "of": 3, "can_roll_back": False}
    app.state.faked.upgrades["customers-latest"] = way | {"state": "rolling-back"}
    said = {"message": "the join has other keys", "remedy": "name it in --reset, and it starts empty"}
    app.state.faked.upgrades["orders-with-shipments"] = way | {"state": "refused"} | said


LINES = [
    f"2026-03-01T10:{at // 60:02}:{at % 60:02}.120Z batch {at}: 2,400 rows in, 800 rows out, {700 + at % 90} ms"
    for at in range(300)
] + ["2026-03-01T10:05:00.004Z WARN the source `orders` is 412,000 rows behind"]


def main() -> None:
    """Serve the samples until it is interrupted."""
    with tempfile.TemporaryDirectory() as folder:
        app = build(Path(folder))
        with served(app) as address:
            fill(app, address)
            print(address, flush=True)
            sys.stdin.read()


if __name__ == "__main__":
    main()
