"""The service with real runs on Spark: all API operations on them, from the first start to the rollback."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx2
import psutil
import pytest

from compiled_plan.service.runs.auxiliary import auxiliary_processes
from tests.support.service import ending_runs, served
from tests.support.waiting import wait_until

TABLES = """
CREATE TABLE orders (customer STRING, amount INT)
  WITH ('connector' = 'filesystem', 'path' = '{folder}', 'format' = 'json', 'source.monitor-interval' = '1 s');
CREATE TABLE totals (customer STRING, orders BIGINT, amount INT, PRIMARY KEY (customer) NOT ENFORCED)
  WITH ('connector' = 'print');
"""
TOTALS = TABLES + "INSERT INTO totals SELECT customer, COUNT(*), SUM(amount) FROM orders GROUP BY customer;"
SETTINGS = {"master": "local[2]", "trigger": "1s", "conf": {"spark.sql.shuffle.partitions": "2"}}


class Service:
    """A client of a service, and the folder of its pipelines' sources."""

    def __init__(self, address: str, data: Path) -> None:
        self.http = httpx2.Client(base_url=address, timeout=200)
        self.data = data

    def pipeline(self, name: str, program: str = TOTALS) -> Path:
        """Create a pipeline; returns the empty folder that it reads."""
        folder = self.data / name
        folder.mkdir()
        assert self.http.post("pipelines", json={"name": name}).status_code == 201
        self.version(name, program.format(folder=folder))
        return folder

    def version(self, name: str, program: str) -> None:
        response = self.http.post(f"pipelines/{name}/versions", json={"program": program})
        assert response.status_code == 201, response.text

    def post(self, name: str, what: str, body: Any = None) -> dict[str, Any]:
        answer = self.http.post(f"pipelines/{name}/{what}", json=body)
        assert answer.status_code == 200, answer.text
        result: dict[str, Any] = answer.json()
        return result

    def get(self, name: str, what: str, **params: Any) -> dict[str, Any]:
        answer = self.http.get(f"pipelines/{name}/{what}", params=params)
        assert answer.status_code == 200, answer.text
        result: dict[str, Any] = answer.json()
        return result

    def start(self, name: str, **more: Any) -> None:
        self.post(name, "run/start", {"settings": {**SETTINGS, **more}})

    def until(self, name: str, what: Callable[[dict[str, Any]], bool], about: str) -> dict[str, Any]:
        """Wait until a condition on the document of a run holds."""
        last: dict[str, Any] = {}

        def holds() -> bool:
            nonlocal last
            last = self.get(name, "run")
            return what(last)

        try:
            wait_until(holds, about)
        except AssertionError as fault:
            raise AssertionError(f"{fault}: {last}; {self.get(name, 'run/logs', tail=20)['lines']}") from None
        return last

    def prints(self, name: str, line: str) -> None:
        """Wait until a run has printed a line."""
        wait_until(lambda: line in self.get(name, "run/logs", tail=1000)["lines"], line)

    def batches(self, name: str) -> list[dict[str, Any]]:
        result: list[dict[str, Any]] = self.get(name, "run/history", hours=1)["points"]
        return result


def write(folder: Path, name: str, *rows: tuple[str, int]) -> None:
    """Write a file atomically."""
    aside = folder / f".{name}"
    aside.write_text("".join(json.dumps({"customer": who, "amount": amount}) + "\n" for who, amount in rows))
    aside.rename(folder / name)


def tree(pid: int) -> list[psutil.Process]:
    """A process and its descendants."""
    process = psutil.Process(pid)
    return [process, *process.children(recursive=True)]


def alive(processes: list[psutil.Process]) -> list[psutil.Process]:
    """The processes that are running."""
    result = []
    for process in processes:
        with suppress(psutil.NoSuchProcess):
            if process.is_running() and process.status() != psutil.STATUS_ZOMBIE:
                result.append(process)
    return result


@pytest.mark.deep
def test_a_run_from_its_start_to_a_rollback(tmp_path: Path) -> None:
    home, data = tmp_path / "home", tmp_path / "data"
    data.mkdir()
    options = ("--no-tokens", "--data", str(data))
    with ending_runs(home):
        with served(home, *options) as (_, address, _):
            service = Service(address, data)
            folder = service.pipeline("shop")
            write(folder, "1.json", ("ann", 1), ("bob", 2), ("ann", 3))
            begin_and_look(service)
            pid = service.get("shop", "run")["pid"]
        # The service was killed; the run continues, and the next service adopts it.
        assert psutil.pid_exists(pid)
        write(folder, "2.json", ("ann", 10))
        with served(home, *options) as (_, address, _):
            service = Service(address, data)
            service.prints("shop", "+U[ann, 3, 14]")
            assert service.get("shop", "run")["pid"] == pid
            crash(service, folder)
            stop_and_go_on(service, home, folder)
            upgrade_and_go_back(service, folder)


def begin_and_look(service: Service) -> None:
    """Streamed events, charts, printed lines, state."""
    events: list[dict[str, Any]] = []
    service.start("shop")

    def follow() -> None:
        with service.http.stream("GET", "pipelines/shop/run/progress", params={"seconds": 100}) as stream:
            for line in stream.iter_lines():
                if line.startswith("data: "):
                    events.append(json.loads(line.removeprefix("data: ")))
                    if events[-1]["rowsIn"]:
                        return

    thread = threading.Thread(target=follow)
    thread.start()
    service.prints("shop", "+I[ann, 2, 4]")
    thread.join()
    assert (events[-1]["rowsIn"], events[-1]["batch"]) == (3, 0)
    operator = events[-1]["operators"][0]
    assert (operator["rowsIn"], operator["stateRows"]) == (3, 2)
    assert service.batches("shop")[0]["batch"] == 0
    operators = service.get("shop", "state")["state"]["operators"]
    assert [(entry["uid"], sum(part["entries"] for part in entry["parts"])) for entry in operators] == [
        (operator["uid"], 2)
    ]
    ann = json.dumps(service.get("shop", "state", operator=operator["uid"], key="customer=ann"))
    assert '"ann"' in ann and '"bob"' not in ann


def crash(service: Service, folder: Path) -> None:
    """A run whose process is killed restarts after a delay from its checkpoint."""
    processes = tree(service.get("shop", "run")["pid"])
    os.kill(processes[0].pid, signal.SIGKILL)
    run_state = service.until("shop", lambda run: run["state"] == "waiting", "a crash")
    assert "ended by SIGKILL" in run_state["message"] and run_state["next_at"]
    service.until("shop", lambda run: run["number"] == 2 and run["pid"], "a restart")
    assert not alive(processes)
    write(folder, "3.json", ("bob", 5))
    service.prints("shop", "+U[bob, 2, 7]")
    assert service.get("shop", "run")["crashes"] == 1


def stop_and_go_on(service: Service, home: Path, folder: Path) -> None:
    """A stop is clean; the next start continues from the checkpoint."""
    last = service.batches("shop")[-1]["batch"]
    processes = tree(service.get("shop", "run")["pid"])
    service.post("shop", "run/stop")
    service.until("shop", lambda run: run["state"] == "stopped" and not run["pid"], "a stop")
    (exit_,) = (json.loads(file.read_text()) for file in home.glob("runs/*/2/exit.json"))
    assert (exit_["code"], exit_["left"]) == (143, [])
    assert not alive(processes)
    write(folder, "4.json", ("ann", 100))
    service.start("shop")
    service.prints("shop", "+U[ann, 4, 114]")
    assert service.batches("shop")[-1]["batch"] > last


def upgrade_and_go_back(service: Service, folder: Path) -> None:
    """Upgrade to another program on the state of the old one, and roll back."""
    changed = TOTALS.replace("SUM(amount)", "SUM(amount) + 1000")
    service.version("shop", changed.format(folder=folder))
    checked = service.http.post("pipelines/shop/upgrade/check", json={"version": 2, "partial": True})
    assert checked.status_code == 200, checked.text
    assert (checked.json()["start"], checked.json()["steps"] != []) == ("moves", True)
    service.post("shop", "upgrade/migrate", {"version": 2, "partial": True})
    wait_until(lambda: service.get("shop", "upgrade")["state"] in ("done", "refused"), "an upgrade")
    upgrade = service.get("shop", "upgrade")
    assert (upgrade["state"], upgrade["done"]) == ("done", upgrade["of"]), upgrade
    assert len(upgrade["steps"]) > 2 and upgrade["can_roll_back"]
    write(folder, "5.json", ("bob", 1))
    service.prints("shop", "+U[bob, 3, 1008]")
    assert service.http.get("pipelines/shop").json()["in_force"] == 2
    service.post("shop", "upgrade/rollback")
    wait_until(lambda: service.get("shop", "upgrade")["state"] in ("rolled-back", "refused"), "the way back")
    upgrade = service.get("shop", "upgrade")
    assert (upgrade["state"], upgrade["message"]) == ("rolled-back", "")
    service.prints("shop", "+U[bob, 3, 8]")
    service.post("shop", "run/stop")
    service.until("shop", lambda run: not run["pid"], "a stop")


@pytest.mark.wide
def test_a_shadow_takes_over_from_a_run(tmp_path: Path) -> None:
    home, data = tmp_path / "home", tmp_path / "data"
    data.mkdir()
    with ending_runs(home), served(home, "--no-tokens", "--data", str(data)) as (_, address, _):
        service = Service(address, data)
        folder = service.pipeline("shop")
        write(folder, "1.json", ("ann", 7), ("bob", 2))
        service.start("shop")
        service.prints("shop", "+I[ann, 1, 7]")
        service.version("shop", TOTALS.replace("SUM(amount)", "MAX(amount)").format(folder=folder))
        begun = service.http.post(
            "pipelines/shop/upgrade/shadow", json={"version": 2, "partial": True, "promote": True}
        )
        assert begun.status_code == 202, begun.text
        shadow: dict[str, Any] = {}

        def follows(rows: int) -> bool:
            shadow.update(service.get("shop", "upgrade/shadow"))
            assert shadow["state"] == "running", shadow
            return bool(shadow["follows"] and shadow["so_far"]["rows_in"] == rows)

        wait_until(lambda: follows(0), "a shadow that follows the run")
        write(folder, "2.json", ("ann", 5))
        service.prints("shop", "+U[ann, 2, 12]")
        wait_until(lambda: follows(1), "the next micro-batch in the shadow")
        assert shadow["so_far"]["outcome"] == "differs as named"
        # The run is as it was, and goes on.
        assert (service.get("shop", "run")["version"], service.get("shop", "upgrade")["state"]) == (1, "none")
        service.post("shop", "upgrade/shadow/promote")
        wait_until(lambda: service.get("shop", "upgrade")["state"] in ("done", "refused"), "a takeover")
        upgrade = service.get("shop", "upgrade")
        assert (upgrade["state"], upgrade["done"], upgrade["can_roll_back"]) == ("done", upgrade["of"], True), upgrade
        assert service.get("shop", "upgrade/shadow")["result"]["promoted"] == shadow["generation"] == 2
        write(folder, "4.json", ("ann", 3))
        # The maximum since the shadow began, and the number of all rows.
        service.prints("shop", "+U[ann, 3, 5]")
        assert service.http.get("pipelines/shop").json()["in_force"] == 2
        service.post("shop", "run/stop")
        service.until("shop", lambda run: not run["pid"], "a stop")


@pytest.mark.deep
def test_failed_scheduled_and_interrupted_runs(tmp_path: Path) -> None:
    home, data = tmp_path / "home", tmp_path / "data"
    data.mkdir()
    with ending_runs(home), served(home, "--no-tokens", "--data", str(data)) as (_, address, _):
        service = Service(address, data)
        for step in (stopped_as_it_starts, healed, refused, failed, scheduled):
            begun = time.monotonic()
            step(service)
            print(f"{step.__name__}: {time.monotonic() - begun:.0f} s")


def stopped_as_it_starts(service: Service) -> None:
    """Processes that Spark has started end with the run."""
    service.pipeline("early")
    service.start("early")
    run = service.until("early", lambda run: run["pid"] > 0, "a start")
    wait_until(lambda: len(tree(run["pid"])) > 1, "Java")
    processes = tree(run["pid"])
    begun = time.monotonic()
    service.post("early", "run/stop")
    service.until("early", lambda run: run["state"] == "stopped" and not run["pid"], "a stop")
    print(f"stopped as it started: {time.monotonic() - begun:.1f} s")
    assert not alive(processes)


def healed(service: Service) -> None:
    """A missing input is reported with a remedy; once it exists, the run starts by itself."""
    folder = service.pipeline("gone")
    folder.rmdir()
    service.start("gone")
    run_state = service.until("gone", lambda run: run["state"] == "waiting", "a failure")
    assert run_state["wanted"] and run_state["next_at"]
    assert str(folder) in run_state["message"] and run_state["remedy"], run_state
    folder.mkdir()
    write(folder, "1.json", ("ann", 1))
    service.prints("gone", "+I[ann, 1, 1]")
    service.post("gone", "run/stop")
    service.until("gone", lambda run: run["state"] == "stopped" and not run["pid"], "a stop")


def refused(service: Service) -> None:
    """A failure that the next start would repeat is reported once, with its remedy, and not retried."""
    folder = service.data / "gone"
    service.version("gone", TABLES.format(folder=folder) + "INSERT INTO totals SELECT customer, 1, amount FROM orders;")
    service.post("gone", "run/start", {"version": 2})
    run_state = service.until("gone", lambda run: run["state"] == "failed", "a refusal")
    assert (run_state["wanted"], run_state["next_at"], run_state["crashes"]) == (False, None, 0), run_state
    assert "--upgrade" in run_state["remedy"] + run_state["message"], run_state


def failed(service: Service) -> None:
    """A bad row is reported with its remedy."""
    folder = service.pipeline("bad")
    (folder / "1.json").write_text('{"customer": "ann", "amount": "much"}\n')
    service.start("bad")
    run_state = service.until("bad", lambda run: run["state"] == "waiting", "a failure")
    assert "much" in run_state["message"] and run_state["remedy"], run_state
    service.post("bad", "run/stop")
    service.until("bad", lambda run: run["state"] == "stopped" and not run["pid"], "a stop")


def scheduled(service: Service) -> None:
    """A run that reads the available data and ends restarts at its scheduled time, from its checkpoint."""
    folder = service.pipeline("nightly")
    write(folder, "1.json", ("ann", 1))
    service.start("nightly", trigger="", every="2 s")
    service.until("nightly", lambda run: run["state"] == "finished" and run["wanted"], "the first end")
    write(folder, "2.json", ("ann", 2))
    service.until("nightly", lambda run: run["number"] > 1, "the second start")
    wait_until(lambda: any(batch["batch"] > 0 for batch in service.batches("nightly")), "what came later")
    assert service.batches("nightly")[-1]["rowsIn"] == 1
    service.post("nightly", "run/stop")
    service.until("nightly", lambda run: run["state"] in ("finished", "stopped") and not run["pid"], "a stop")


SHOUT = """
from compiled_plan import ScalarFunction


class Shout(ScalarFunction):
    def eval(self, text: str) -> str:
        return text.upper() + "!"
"""
SHOUTED = """
CREATE FUNCTION shout AS 'words.Shout' LANGUAGE PYTHON;
CREATE TABLE orders (customer STRING) WITH ('connector' = 'filesystem', 'path' = '{folder}', 'format' = 'json',
  'source.monitor-interval' = '1 s');
CREATE TABLE lines (customer STRING) WITH ('connector' = 'print');
INSERT INTO lines SELECT shout(customer) FROM orders;
"""


@pytest.mark.deep
@pytest.mark.parametrize("launcher", ["process", "spark-submit"])
def test_functions_in_python_by_each_launcher(tmp_path: Path, launcher: str) -> None:
    home, data, programs = tmp_path / "home", tmp_path / "data", tmp_path / "programs"
    data.mkdir()
    programs.mkdir()
    (programs / "words.py").write_text(SHOUT)
    with (
        ending_runs(home),
        served(home, "--no-tokens", "--data", str(data), "--programs", str(programs)) as (_, address, _),
    ):
        service = Service(address, data)
        folder = service.pipeline("shop", SHOUTED)
        write(folder, "1.json", ("ann", 1))
        service.start("shop", launcher=launcher)
        service.prints("shop", "+I[ANN!]")
        processes = tree(service.get("shop", "run")["pid"])
        service.post("shop", "run/stop")
        service.until("shop", lambda run: run["state"] == "stopped" and not run["pid"], "a stop")
        (exit_,) = (json.loads(file.read_text()) for file in home.glob("runs/*/1/exit.json"))
        assert (exit_["code"], exit_["left"]) == (143, [])
        assert not alive(processes)


#: A preview whose rows never come, and a test that never ends: Java remembers no positions beside a group reference.
SILENT = """CREATE TABLE numbers (n INT) WITH ('connector' = 'datagen', 'rows-per-second' = '1');
SELECT n FROM numbers WHERE n IS NULL;"""
ENDLESS = """CREATE TABLE a (t STRING) WITH ('connector' = 'datagen');
CREATE TABLE b (t STRING) WITH ('connector' = 'print');
INSERT INTO b SELECT REGEXP_REPLACE(t, '(a+)+\\1b', 'x') FROM a;"""


@pytest.mark.wide
@pytest.mark.spark
def test_previews_and_tests_end_with_a_killed_service(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with served(home, "--no-tokens") as (process, address, _), httpx2.Client(base_url=address, timeout=200) as http:
        preview = {"program": SILENT, "cursor": len(SILENT), "seconds": 120}
        tests = {"program": ENDLESS, "tests": f"steps: [{{rows: {{a: [[{'a' * 60}c]]}}}}]"}
        assert http.post("preview", json=preview).status_code == 202
        test = http.post("tests", json=tests).json()
        wait_until(lambda: http.get(f"tests/{test['id']}").json()["tests"] == 1, "the tests")
        wait_until(lambda: "warm_server" in str(lines_of(home)), "Spark")
        assert http.get("preview").json()["state"] == "running"
        kinds = {item.kind for item in auxiliary_processes(home)}
        assert kinds == {"preview", "Spark of previews and state queries", "tests", "compiler"}
        begun = time.monotonic()
        process.kill()
        process.wait()
    wait_until(lambda: not auxiliary_processes(home), "their end")
    assert time.monotonic() - begun < 30


def lines_of(home: Path) -> list[list[str]]:
    return [item.process.cmdline() for item in auxiliary_processes(home)]
