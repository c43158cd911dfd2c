"""Progress reports of `execute-plan` for listeners."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.telemetry.progress_file import last_messages
from tests.support.commands import called

PROGRAM = """
CREATE TABLE names (id INT, name STRING) WITH ('connector' = 'filesystem', 'path' = '{folder}', 'format' = 'json');
CREATE TABLE longest (id INT, name STRING, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'print');
INSERT INTO longest SELECT id, MAX(name) FROM names GROUP BY id;
"""


@pytest.mark.wide
@pytest.mark.usefixtures("shared_session")
def test_progress_and_lineage_of_two_runs_on_one_checkpoint(tmp_path: Path) -> None:
    folder, plan, progress = tmp_path / "in", tmp_path / "shop.json", tmp_path / "progress.jsonl"
    folder.mkdir()
    plan.write_text(TableEnvironment().compile_script(PROGRAM.format(folder=folder)).to_json())
    to = ["--checkpoint", tmp_path / "checkpoint", "--progress-file", progress, "--lineage", tmp_path / "lineage"]
    (folder / "1.json").write_text('{"id": 1, "name": "a"}\n{"id": 2, "name": "b"}\n')
    done = called("execute_plan", *to, "--metrics-port", "0", "--available-now", "--log", plan)
    assert done.returncode == 0, done.stderr
    texts = [line.partition("Z INFO ")[2] for line in done.stderr.splitlines() if "Z INFO " in line]
    assert texts[0].startswith("compiled-plan ") and f"runs {plan} until its input ends" in texts[0]
    assert texts[1].startswith("Spark ") and ", UI " in texts[1]
    assert texts[2] == "source default_catalog.default_database.names: from its start position"
    assert texts[3].startswith("batch 0: 2 rows in, 2 out")
    assert texts[4:] == ["finished after 1 batch, 2 rows in"]
    (folder / "2.json").write_text('{"id": 1, "name": "not a number"}\n{"id": 3')
    done = called("execute_plan", *to, "--available-now", "--log", plan)
    assert done.returncode == 1, done.stderr
    assert 'source names: from {"logOffset":0}' in done.stderr
    assert done.stderr.count("error: ") == 1
    failed, again, end, batch, start = last_messages(progress)
    assert [event["event"] for event in (start, batch, end, again, failed)] == "start batch end start failed".split()
    assert [event["seq"] for event in (start, batch, end, again, failed)] == [1, 2, 3, 4, 5]
    (source,) = batch["sources"]
    assert (source["name"], source["rows"], source["lag"]) == (str(folder), 2, None)
    assert source["table"] == "default_catalog.default_database.names"
    scans = [node.id for node in CompiledPlan.from_json(plan.read_text()).nodes if node.kind == "table-source-scan"]
    assert source["nodes"] == scans
    (operator,) = batch["operators"]
    assert operator["stateRows"] == 2
    assert operator["stateBytes"] > 0
    assert (end["rowsIn"], end["rowsOut"], end["stopped"]) == (2, 2, False)
    assert (failed["error"], failed["refused"]) == ("DataError", False)
    assert str(folder) in failed["where"]
    events = [json.loads(line) for line in (tmp_path / "lineage").read_text().splitlines()]
    assert [(event["job"]["name"], event["eventType"]) for event in events] == [
        ("shop", "START"),
        ("shop", "COMPLETE"),
        ("shop", "START"),
        ("shop", "FAIL"),
    ]


def test_wrong_usage_of_the_port(tmp_path: Path) -> None:
    plan = tmp_path / "plan.json"
    plan.write_text(TableEnvironment().compile_script(PROGRAM.format(folder=tmp_path)).to_json())
    done = called("execute_plan", "--metrics-port", "soon", plan)
    assert done.returncode == 2
    assert "--metrics-port soon: no port" in str(done.stderr)
