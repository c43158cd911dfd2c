"""Runs that outlive their service: listed and ended from its folder, after each way to end its processes."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import psutil
import pytest
from typer.testing import CliRunner

from compiled_plan.plans.errors import ExecutionError
from compiled_plan.service.main import app
from compiled_plan.service.runs.living import live_runs, live_service
from compiled_plan.service.runs.processes import LOCK, is_taken
from compiled_plan.service.store.errors import NotFoundError
from tests.service.runs.test_supervisor_kills import PROGRAM
from tests.support.service import SERVE_FAKE_RUNS, ending_runs, served
from tests.support.waiting import wait_until

pytestmark = pytest.mark.slow


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    with ending_runs(tmp_path / "home"):
        yield tmp_path / "home"


def start(address: str, name: str = "shop") -> None:
    """Register and start a pipeline, and wait for its first micro-batch."""
    with httpx2.Client(base_url=address, timeout=60) as http:
        assert http.post("pipelines", json={"name": name}).status_code == 201
        assert http.post(f"pipelines/{name}/versions", json={"program": PROGRAM}).status_code == 201
        assert http.post(f"pipelines/{name}/run/start", json={}).status_code == 200
        wait_until(lambda: bool(http.get(f"pipelines/{name}/run/history").json()["points"]), "a micro-batch")


def listed(home: Path) -> dict[str, Any]:
    """The document of `ps`."""
    document = json.loads(command("ps", "--home", str(home), "--json"))
    assert isinstance(document, dict)
    return document


def command(*arguments: str, code: int = 0) -> str:
    result = CliRunner().invoke(app, arguments)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == code, result.output
    return result.output


def waiter_of(home: Path) -> psutil.Process:
    words = str(home.resolve() / "runs")
    return next(
        process
        for process in psutil.process_iter()
        if process.is_running()
        and "compiled_plan.service.runs.waiter" in (line := cmdline(process))
        and any(word.startswith(words) for word in line)
    )


def cmdline(process: psutil.Process) -> list[str]:
    try:
        return process.cmdline()
    except psutil.Error:
        return []


def processes_of(home: Path) -> list[list[str]]:
    """The processes that name the folder."""
    lines = [cmdline(process) for process in psutil.process_iter()]
    return [line for line in lines if any(word.startswith(str(home.resolve())) for word in line)]


def assert_nothing_is_left(home: Path) -> None:
    wait_until(lambda: not processes_of(home), "the end of all processes")
    wait_until(lambda: not listed(home)["processes"], "the end of auxiliary processes")
    assert listed(home) == {"version": 1, "service": None, "runs": [], "processes": []}
    assert not [path for path in (*home.glob(f"runs/*/{LOCK}"), *home.glob("locks/*")) if is_taken(path)]


@pytest.mark.wide
@pytest.mark.parametrize(
    "number",
    [
        signal.SIGTERM,
        *(pytest.param(one, marks=pytest.mark.wide) for one in (signal.SIGHUP, signal.SIGINT, signal.SIGKILL)),
    ],
)
def test_a_run_continues_after_its_service_and_is_ended_without(home: Path, number: signal.Signals) -> None:
    # A service that inherits an ignored SIGHUP, as under `nohup`, ignores it.
    command_ = ("env", "--default-signal=HUP", *SERVE_FAKE_RUNS)
    with served(home, command=command_) as (process, address, _):
        start(address)
        service = {"pid": process.pid, "address": address.removesuffix("/api/v1/")}
        assert listed(home)["service"] == service
        process.send_signal(number)
        process.wait(30)
        assert process.stderr is not None
        said = process.stderr.read()
    if number != signal.SIGKILL:
        text = f"1 run continues without the service (shop); to end: plan-service stop-all --home {home.resolve()}"
        assert text in said
    document = listed(home)
    (run,) = document["runs"]
    assert (document["service"], run["pipeline"], run["run"], run["stopping"]) == (None, "shop", 1, False)
    assert psutil.pid_exists(run["pid"])
    assert command("stop-all", "--home", str(home)) == "shop: stopped\n"
    assert_nothing_is_left(home)
    with served(home, command=SERVE_FAKE_RUNS) as (_, address, _):
        wait_until(lambda: httpx2.get(f"{address}pipelines/shop").json()["state"] == "stopped", "the state")
        assert httpx2.get(f"{address}pipelines/shop/run").json()["number"] == 1


@pytest.mark.wide
def test_a_stop_beside_the_service_is_one_signal(home: Path) -> None:
    with served(home, command=SERVE_FAKE_RUNS) as (_, address, _):
        start(address)
        start(address, "other")
        text = command("stop", "shop", "--home", str(home), "--json")
        assert json.loads(text) == {"pipeline": "shop", "result": "stopped"}
        assert [run["pipeline"] for run in listed(home)["runs"]] == ["other"]
        assert "other\trun 1\tversion 1\tpid " in command("ps", "--home", str(home))
        wait_until(lambda: httpx2.get(f"{address}pipelines/shop").json()["state"] == "stopped", "the state")
        assert command("stop", "shop", "--home", str(home)) == "shop: does not run\n"
    command("stop-all", "--home", str(home))
    assert not list(home.glob("checkpoints/*/two-signals"))
    assert_nothing_is_left(home)


@pytest.mark.wide
@pytest.mark.parametrize("service_first", [True, False])
def test_a_run_whose_waiter_was_killed_is_listed_and_ended(home: Path, service_first: bool) -> None:
    with served(home, command=SERVE_FAKE_RUNS) as (process, address, _):
        start(address)
        if service_first:
            process.kill()
            process.wait()
        waiter = waiter_of(home)
        waiter.kill()
        wait_until(lambda: not waiter.is_running() or waiter.status() == psutil.STATUS_ZOMBIE, "the waiter's end")
        assert [run["pipeline"] for run in listed(home)["runs"]] == ["shop"]
        assert command("stop", "shop", "--home", str(home)) == "shop: stopped\n"
    assert_nothing_is_left(home)


@pytest.mark.wide
def test_a_killed_run_leaves_nothing_and_its_restart_is_cancelled(home: Path) -> None:
    with served(home, command=SERVE_FAKE_RUNS) as (process, address, _):
        start(address)
        os.kill(listed(home)["runs"][0]["pid"], signal.SIGKILL)
        wait_until(lambda: httpx2.get(f"{address}pipelines/shop/run").json()["next_at"] is not None, "the restart")
        process.kill()
        process.wait()
    assert listed(home)["runs"] == []
    assert command("stop-all", "--home", str(home)) == "shop: does not run; its next start is cancelled\n"
    assert_nothing_is_left(home)


def kinds(home: Path) -> list[str]:
    """The kinds of the auxiliary processes."""
    return [str(process["what"]) for process in listed(home)["processes"]]


#: A preview that never ends, and does not notice the end of its service.
ENDLESS = "while :; do sleep 0.1; done"


@pytest.mark.wide
@pytest.mark.parametrize("is_killed", [False, True])
def test_a_preview_is_listed_and_ended(home: Path, is_killed: bool) -> None:
    with (
        served(home, "--preview", ENDLESS, command=SERVE_FAKE_RUNS) as (process, address, _),
        httpx2.Client(base_url=address, timeout=60) as http,
    ):
        start(address)
        question = {"program": PROGRAM, "table": "numbers"}
        http.post("preview", json=question).raise_for_status()
        wait_until(lambda: "preview" in kinds(home), "the preview")
        if is_killed:
            process.kill()
            process.wait()
            # Compilers read that their service has ended.
            wait_until(lambda: kinds(home) == ["preview"], "the end of the others")
        pid = next(item["pid"] for item in listed(home)["processes"] if item["what"] == "preview")
        assert f"preview\tpid {pid}\tsince 2" in command("ps", "--home", str(home))
        ended = command("stop-all", "--home", str(home)).splitlines()
        assert ended == ["shop: stopped", f"preview, pid {pid}: ended"]
        assert listed(home)["runs"] == []
        assert "preview" not in kinds(home)
        if not is_killed:
            # The service goes on, and says so.
            wait_until(lambda: http.get("preview").json()["state"] == "failed", "the state")
            http.post("preview", json=question).raise_for_status()
            assert http.delete("preview").json()["state"] == "cancelled"
    command("stop-all", "--home", str(home))
    assert_nothing_is_left(home)


@pytest.mark.wide
def test_what_is_not_there_is_refused(home: Path) -> None:
    with pytest.raises(ExecutionError, match="no service has run here"):
        command("ps", "--home", str(home))
    home.mkdir()
    assert command("ps", "--home", str(home)) == "no service\nno runs\n"
    assert (live_runs(home), live_service(home)) == ([], None)
    with pytest.raises(ExecutionError, match="its database is elsewhere"):
        command("stop-all", "--home", str(home))
    with served(home, command=SERVE_FAKE_RUNS), pytest.raises(NotFoundError, match="there is no pipeline 'shop'"):
        command("stop", "shop", "--home", str(home))
