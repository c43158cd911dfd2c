"""The service as a process: started, queried, killed, and restarted."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import threading
import time
from pathlib import Path

import httpx2
import pytest

from tests.support.service import SERVE, served
from tests.support.waiting import wait_until

pytestmark = pytest.mark.slow


def test_the_first_start_prints_a_token_that_works(tmp_path: Path) -> None:
    with served(tmp_path) as (process, address, lines):
        secret = "".join(lines).split("shown only once: ")[1].split()[0]
        assert httpx2.get(f"{address}me").status_code == 401
        user = httpx2.get(f"{address}me", headers={"Authorization": f"Bearer {secret}"}).json()
        assert (user["role"], user["name"]) == ("operator", "first")
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) in (0, -signal.SIGTERM, 143)


@pytest.mark.wide
def test_an_address_in_use_is_reported(tmp_path: Path) -> None:
    with served(tmp_path / "a", "--no-tokens") as (_, address, _):
        port = address.split(":")[2].split("/")[0]
        done = subprocess.run(
            [*SERVE, str(tmp_path / "b"), "--port", port], capture_output=True, text=True, timeout=60, check=False
        )
    assert (done.returncode, "Traceback" in done.stderr) == (1, False)
    assert "cannot listen there" in done.stderr and "--port" in done.stderr


def write(address: str, who: str, accepted: dict[str, str], stop: threading.Event) -> None:
    """Create and change pipelines until the service is gone; records the answers."""
    with httpx2.Client(base_url=address, timeout=10) as client:
        number = 0
        while not stop.is_set():
            name, number = f"{who}-{number}", number + 1
            try:
                response = client.post("pipelines", json={"name": name, "description": "made"})
                if response.status_code != 201:
                    continue
                accepted[name] = "made"
                etag = response.headers["ETag"]
                changed = client.patch(f"pipelines/{name}", json={"description": "changed"}, headers={"If-Match": etag})
                if changed.status_code == 200:
                    accepted[name] = "changed"
            except httpx2.HTTPError:
                return


def kill_while_writing(home: Path, times: int, seed: int) -> int:
    """Kill the service this often while three threads write; the number of accepted writes, all of which are stored."""
    chance = random.Random(seed)
    accepted: dict[str, str] = {}
    for round_ in range(times):
        with served(home, "--no-tokens") as (process, address, _):
            stop = threading.Event()
            before = len(accepted)
            writers = [
                threading.Thread(target=write, args=(address, f"r{round_}-{at}", accepted, stop)) for at in range(3)
            ]
            for writer in writers:
                writer.start()
            wait_until(lambda before=before: len(accepted) > before, "a write")  # type: ignore[misc]
            time.sleep(chance.random() * 0.4)
            os.kill(process.pid, signal.SIGKILL)
            stop.set()
            for writer in writers:
                writer.join()
    with served(home, "--no-tokens") as (_, address, _):
        descriptions: dict[str, str] = {}
        cursor = ""
        while True:
            page = httpx2.get(f"{address}pipelines", params={"limit": 1000, "cursor": cursor}).json()
            descriptions |= {item["name"]: item["description"] for item in page["items"]}
            cursor = page["cursor"]
            if not cursor:
                break
    lost = {name for name, word in accepted.items() if descriptions.get(name) not in (word, "changed")}
    assert lost == set()
    return len(accepted)


@pytest.mark.wide
def test_no_accepted_write_is_lost(tmp_path: Path) -> None:
    assert kill_while_writing(tmp_path, 1, seed=1) > 0


@pytest.mark.deep
def test_no_accepted_write_is_lost_in_50_kills(tmp_path: Path) -> None:
    kills, seed = int(os.environ.get("SERVICE_KILLS", "50")), int(os.environ.get("SEED", "1"))
    print(f"{kill_while_writing(tmp_path, kills, seed)} accepted writes, {kills} kills, seed {seed}: none lost")
