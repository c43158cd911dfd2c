"""Metrics of all runs, and the dashboard over them."""

from __future__ import annotations

import json
import re
from pathlib import Path

from prometheus_client import CollectorRegistry

from compiled_plan.plans.telemetry.metrics import RunMetrics
from compiled_plan.plans.telemetry.progress_file import ProgressFile
from compiled_plan.service.common.settings import Settings
from compiled_plan.service.metrics.figures import Figures
from compiled_plan.service.runs.supervisor import Supervisor
from compiled_plan.service.store import pipelines
from compiled_plan.service.store.database import open_database

ROOT = Path(__file__).parents[3]
BATCH = {
    "event": "batch",
    "at": "2026-01-01T00:00:00.000Z",
    "batch": 1,
    "rowsIn": 10,
    "rowsOut": 5,
    "deadLetters": 0,
    "batchMillis": 20,
    "watermark": None,
    "sources": [],
    "operators": [{"uid": "join-1", "rowsIn": 10, "rowsOut": 5, "stateRows": 7, "stateBytes": 70}],
}


def test_metrics_by_pipeline_without_removed_ones(tmp_path: Path) -> None:
    database = open_database(Settings(home=tmp_path, tokens=False))
    runs = Supervisor(tmp_path, database)
    with database.write() as session:
        pipeline = pipelines.create(session, "shop", "", "me")
        session.flush()
        runs.want_run(session, pipeline, 1, "me")
        id_ = pipeline.id
    runs.folder(id_).mkdir(parents=True)
    progress = ProgressFile(runs.progress(id_))
    figures = Figures(database, runs)
    assert "rows_in_total{" not in figures.text().decode()
    for _ in range(3):
        progress.tell(BATCH)
    assert 'compiled_plan_rows_in_total{plan="shop"} 30.0' in figures.text().decode()
    progress.tell(BATCH)
    text = figures.text().decode()
    assert 'compiled_plan_rows_in_total{plan="shop"} 40.0' in text
    assert 'compiled_plan_state_bytes{operator="join-1",plan="shop"} 70.0' in text
    assert figures.text().decode().count('rows_in_total{plan="shop"} 40.0') == 1
    with database.write() as session:
        pipelines.remove(session, pipelines.find(session, "shop"))
    assert "shop" not in figures.text().decode()
    progress.close()
    database.close()


def test_the_dashboard_uses_existing_metrics() -> None:
    registry = CollectorRegistry()
    RunMetrics(registry)
    known = {name for family in registry.collect() for name in (family.name, f"{family.name}_total")}
    known |= {f"{name}_bucket" for name in known}
    dashboard = json.loads((ROOT / "samples/grafana/compiled-plan.json").read_text())
    metrics = {
        name
        for panel in dashboard["panels"]
        for target in panel["targets"]
        for name in re.findall(r"compiled_plan_\w+", target["expr"])
    }
    assert len(metrics) >= 9
    assert metrics <= known
