"""The service is killed at random moments while runs are started, stopped and watched: it adopts them again."""

from __future__ import annotations

import os
import random
import signal
import threading
import time
import uuid
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.support.service import SERVE_FAKE_RUNS, ending_runs, served
from tests.support.waiting import wait_until

pytestmark = pytest.mark.slow

PROGRAM = """
CREATE TABLE numbers (id INT) WITH ('connector' = 'datagen', 'rows-per-second' = '5');
CREATE TABLE lines (id INT) WITH ('connector' = 'print');
INSERT INTO lines SELECT id FROM numbers;
"""
ENDED = ("none", "stopped", "finished")


@dataclass
class Client:
    """A client that starts and stops one pipeline and records the answers. A request without an answer is sent again.

    Args:
        name: of the pipeline.
        do: the behaviour of its runs, see `fake_runs`.
        chance: chooses the next request.
        pending: the unanswered request: `start` or `stop`, and its key.
        wanted: whether the service said that it is to run.
        pid: the running process, once seen.
        service: number of starts of the service; and the one that last saw the process.
        counts: answered starts and stops, killed runs, and runs that a restarted service adopted.
    """

    name: str
    do: str
    chance: random.Random
    pending: tuple[str, str] | None = None
    wanted: bool = False
    pid: int = 0
    service: int = 0
    seen_by: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)

    def work(self, address: str, stop: threading.Event) -> None:
        """Send requests until the service is gone."""
        with httpx2.Client(base_url=f"{address}pipelines/{self.name}/", timeout=60) as http:
            while not stop.is_set() and not self.faults:
                try:
                    self.step(http)
                except httpx2.HTTPError:
                    return
                time.sleep(0.01)

    def step(self, http: httpx2.Client) -> None:
        """Send one request or two."""
        if self.pending is None:
            run = http.get("run").json()
            self.look(run)
            self.pending = self.next_of(run)
        if self.pending is not None:
            what, key = self.pending
            body = {"settings": {"conf": {"fake.do": self.do}}} if what == "start" else None
            answer = http.post(f"run/{what}", json=body, headers={"Idempotency-Key": key})
            if answer.status_code != 200:
                self.faults.append(f"{what}: {answer.text}")
            self.pending, self.wanted, self.pid = None, what == "start", 0
            self.counts[what] += 1

    def next_of(self, run: dict[str, Any]) -> tuple[str, str] | None:
        """The next request; None if the run is to continue, or has not ended yet."""
        if not run["wanted"] and not run["pid"] and run["state"] in ENDED and run["number"] == self.runs:
            return ("start", str(uuid.UUID(int=self.chance.getrandbits(128))))
        if self.do == "run" and self.wanted and run["pid"] and self.chance.random() < 0.01:
            return ("stop", str(uuid.UUID(int=self.chance.getrandbits(128))))
        return None

    @property
    def runs(self) -> int:
        """The expected number of runs."""
        return self.counts["start"] + self.counts["killed"]

    def look(self, run: dict[str, Any]) -> None:
        """A continuing run is always the same process, and there is never one more than requested."""
        if run["number"] > self.runs:
            self.faults.append(f"run {run['number']}, of {self.counts}: {run}")
        if self.do == "run" and self.wanted:
            if not run["wanted"]:
                self.faults.append(f"it is not to run any more: {run}")
            if self.pid and run["pid"] not in (0, self.pid):
                self.faults.append(f"process {run['pid']} in place of {self.pid}: {run}")
            if self.pid and run["pid"] and self.service != self.seen_by:
                self.counts["found again"] += 1
            self.pid, self.seen_by = self.pid or run["pid"], self.service


def prepare(address: str, clients: Sequence[Client]) -> None:
    """A pipeline for each client."""

    def make(client: Client) -> None:
        with httpx2.Client(base_url=address, timeout=60) as http:
            assert http.post("pipelines", json={"name": client.name}).status_code == 201
            response = http.post(f"pipelines/{client.name}/versions", json={"program": PROGRAM})
            assert response.status_code == 201, response.text

    with ThreadPoolExecutor(len(clients)) as pool:
        list(pool.map(make, clients))


@contextmanager
def working(address: str, clients: Sequence[Client]) -> Iterator[None]:
    """Run the clients while a block runs."""
    stop = threading.Event()
    threads = [threading.Thread(target=client.work, args=(address, stop)) for client in clients]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def kill_a_run(client: Client) -> bool:
    """Kill the process of a client's run, if it has one that nobody asked to stop."""
    if not client.pid or client.pending is not None:
        return False
    try:
        os.kill(client.pid, signal.SIGKILL)
    except ProcessLookupError:
        return False
    client.counts["killed"] += 1
    client.pid = 0
    return True


def is_told(address: str, client: Client) -> bool:
    """Return True if the service reports the end of a run that was killed while it was away, and restarts the run."""
    run = httpx2.get(f"{address}pipelines/{client.name}/run").json()
    return run["state"] == "waiting" and "SIGKILL" in run["message"] and run["until"] is not None


def is_begun(clients: Sequence[Client], before: int) -> bool:
    """Return True if there are more starts than before, or a client found a fault."""
    return any(client.faults for client in clients) or sum(client.counts["start"] for client in clients) > before


def kill_while_running(home: Path, times: int, seed: int) -> Counter[str]:
    """Kill the service this often; counts of the clients' requests."""
    chance = random.Random(seed)
    clients = [
        Client(name, do, random.Random(f"{seed} {name}"))
        for name, do in (("one", "run"), ("two", "run"), ("short", "finish"))
    ]
    killed: Client | None = None
    for round_ in range(times + 1):
        with served(home, command=SERVE_FAKE_RUNS) as (process, address, _):
            if round_ == 0:
                prepare(address, clients)
            if killed is not None:
                stopped: Client = killed
                wait_until(
                    lambda client=stopped, address=address: is_told(address, client), f"the end of {stopped.name}"
                )  # type: ignore[misc]
            before = sum(client.counts["start"] for client in clients)
            for client in clients:
                client.service = round_
            with working(address, clients):
                if round_ % 5 == 0 or round_ == times:
                    wait_until(lambda before=before: is_begun(clients, before), "a start")  # type: ignore[misc]
                time.sleep(chance.random() * 1.5)
                if round_ < times:
                    os.kill(process.pid, signal.SIGKILL)
            assert [client.faults for client in clients if client.faults] == [], f"seed {seed}, kill {round_}"
            if round_ == times:
                finish(address, clients)
        victim = chance.choice(clients[:2])
        killed = victim if round_ < times and chance.random() < 0.4 and kill_a_run(victim) else None
    assert not list(home.glob("checkpoints/*/two-*"))
    return sum((client.counts for client in clients), Counter())


def finish(address: str, clients: Sequence[Client]) -> None:
    """Stop all clients, and check that each answered start is one run with its figures and its log."""
    for client in clients:
        with httpx2.Client(base_url=f"{address}pipelines/{client.name}/", timeout=60) as http:
            while client.pending is not None:
                client.step(http)
            # A stop may arrive before the accepted start has begun.
            wait_until(lambda http=http, client=client: http.get("run").json()["number"] == client.runs, "a start")  # type: ignore[misc]
            if client.wanted:
                wait_until(lambda http=http: http.get("run/history").json()["points"] != [], "a micro-batch")  # type: ignore[misc]
            assert http.post("run/stop").status_code == 200
            wait_until(lambda http=http: http.get("run").json()["state"] in ENDED, "the end")  # type: ignore[misc]
            run = http.get("run").json()
            assert (run["number"], run["pid"], run["wanted"], client.faults) == (client.runs, 0, False, [])
            for number in range(max(1, run["number"] - 5), run["number"] + 1):
                lines = http.get("run/logs", params={"run": number}).json()["lines"]
                # A run that was stopped at once may have no output yet.
                assert lines in (["it starts, password=******"], [])
            points = http.get("run/history", params={"hours": 1}).json()["points"]
            assert len(points) >= (client.runs - 1 if client.do == "finish" else client.wanted)


@pytest.mark.deep
@pytest.mark.parametrize("kills", [1, 50])
def test_runs_are_adopted_after_kills_of_the_service(tmp_path: Path, kills: int) -> None:
    seed, begun = int(os.environ.get("SEED", "1")), time.monotonic()
    with ending_runs(tmp_path / "home"):
        totals = kill_while_running(tmp_path / "home", kills, seed)
    print(f"{kills} kills, seed {seed}, {time.monotonic() - begun:.0f} s: {dict(totals)}; every run was found again")
    assert totals["start"] > kills // 10 and (totals["found again"] > kills // 4 or kills == 1)
