"""The service as a process, under attack with and without tokens: `/health` answers within a second throughout."""

from __future__ import annotations

import itertools
import json
import resource
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any

import httpx2
import psutil
import pytest

from compiled_plan.service.access.roles import Role
from compiled_plan.service.app import PREFIX, ROUTERS
from compiled_plan.service.web.description import roles_of
from tests.support.service import SERVE_FAKE_RUNS, served
from tests.support.waiting import wait_until

pytestmark = [pytest.mark.attack, pytest.mark.wide]

#: Limit for `/health`, in seconds.
BOUND = 1.0
PROGRAM = """
CREATE TABLE numbers (id INT) WITH ('connector' = 'datagen', 'rows-per-second' = '5');
CREATE TABLE lines (id INT) WITH ('connector' = 'jdbc', 'table-name' = 'lines', 'username' = 'jane',
  'password' = 'geheim', 'url' = 'jdbc:postgresql://127.0.0.1:1/shop');
INSERT INTO lines SELECT id FROM numbers;
"""


@dataclass
class Attacked:
    """A service under attack."""

    address: str
    tokens: dict[Role, str]
    process: psutil.Process
    gate: Path
    slowest: float = 0.0
    failed: list[str] = field(default_factory=list)

    @property
    def place(self) -> tuple[str, int]:
        host, _, port = self.address.split("/")[2].partition(":")
        return host, int(port)

    def client(self, role: Role | None = None) -> httpx2.Client:
        headers = {} if role is None else {"Authorization": f"Bearer {self.tokens[role]}"}
        return httpx2.Client(base_url=self.address, headers=headers, timeout=30, verify=False)

    def watch(self, over: threading.Event) -> None:
        """Poll the health endpoint, with a new connection each time, until the end."""
        while not over.is_set():
            begun = time.monotonic()
            connection = HTTPConnection(*self.place, timeout=10)
            try:
                connection.request("GET", "/api/v1/health")
                answer = connection.getresponse()
                if answer.status != 200:
                    self.failed.append(answer.read().decode())
            except (OSError, HTTPException) as fault:
                self.failed.append(repr(fault))
            finally:
                connection.close()
            self.slowest = max(self.slowest, time.monotonic() - begun)
            over.wait(0.05)


@contextmanager
def health_of(service: Attacked) -> Iterator[None]:
    """Assert that the service stays healthy while a block attacks it."""
    over = threading.Event()
    service.slowest, service.failed = 0.0, []
    watching = threading.Thread(target=service.watch, args=(over,))
    watching.start()
    try:
        yield
    finally:
        over.set()
        watching.join()
    print(f"/health took {service.slowest:.3f} s at most")
    assert service.failed == []
    assert service.slowest < BOUND


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Attacked]:
    folder = tmp_path_factory.mktemp("attacked")
    gate = folder / "gate"
    inspect = f"while [ ! -e {gate} ]; do sleep 0.05; done; echo '{{}}'"
    with served(folder / "home", "--tokens", "--inspect", inspect, command=SERVE_FAKE_RUNS) as (
        process,
        address,
        lines,
    ):
        threading.Thread(target=lambda: [None for _ in process.stderr or ()], daemon=True).start()
        first = "".join(lines).split("shown only once: ")[1].split()[0]
        attacked = Attacked(address, {Role.OPERATOR: first}, psutil.Process(process.pid), gate)
        with attacked.client(Role.OPERATOR) as client:
            for role in (Role.VIEWER, Role.EDITOR):
                response = client.post("tokens", json={"name": role.value, "role": role.value})
                attacked.tokens[role] = response.json()["secret"]
            assert client.post("pipelines", json={"name": "shop"}).status_code == 201
            assert client.post("pipelines/shop/versions", json={"program": PROGRAM}).status_code == 201
            checkpoint = folder / "home" / "checkpoints" / "1"
            checkpoint.mkdir(parents=True)
        yield attacked


def all_at_once(number: int, attack: Callable[[int], Any]) -> list[Any]:
    with ThreadPoolExecutor(number) as pool:
        return list(pool.map(attack, range(number)))


# ---- a viewer

#: Texts on which backtracking patterns are slow.
NASTY = ("a", "a.", "a=", "://a", "://a:", "'a'", "''", "'password'='", "?a=", "-", " ", "(", "%27", "\\", "a:a@", "{")


def test_long_names_and_parameters_are_answered_quickly(service: Attacked) -> None:
    with health_of(service), service.client(Role.VIEWER) as client:
        for again in NASTY:
            text = again * (50_000 // len(again))
            for path, parameters in (
                (f"pipelines/{text[:20_000].replace('/', '.').replace('?', '.').replace('%', '.')}", {}),
                ("pipelines", {"q": text[:18_000]}),
                ("pipelines", {"cursor": text[:18_000]}),
                ("pipelines/shop/state", {"key": text[:18_000]}),
                ("pipelines/shop/run/logs", {"run": text[:18_000]}),
            ):
                begun = time.monotonic()
                with suppress(httpx2.HTTPError):
                    assert client.get(path, params=parameters).status_code in (400, 404, 414, 422), (path[:40], again)
                assert time.monotonic() - begun < 2 * BOUND, (path[:40], again)


def test_slow_programs_and_plans_block_no_other_client(service: Attacked) -> None:
    """Slow work runs in workers."""

    def attack(number: int) -> int:
        again = NASTY[number % len(NASTY)]
        program = f"CREATE TABLE t (a INT) WITH ('password' = '{again * (900_000 // len(again))}"
        bodies: list[Any] = [{"program": program}, {"plan": program}, {"plan": {"options": {"url": program}}}]
        with service.client(Role.EDITOR) as client:
            return client.post("compile", json=bodies[number % len(bodies)]).status_code

    with health_of(service):
        assert set(all_at_once(len(NASTY), attack)) <= {422, 503}


@pytest.mark.parametrize(
    "body",
    [
        b'{"edits": [' + b"0," * 450_000 + b"0]}",
        b'{"edits": [' + b'{"a": 1},' * 100_000 + b"0]}",
        b"[" * 900_000,
        b'{"a' + b"\\u00e4" * 150_000 + b'": 1}',
        b'{"edits": ' + b'{"a":' * 100_000 + b"1" + b"}" * 100_000 + b"}",
    ],
    ids=["numbers", "objects", "lists", "a long name", "nested"],
)
def test_slow_bodies_block_no_other_client(body: bytes, service: Attacked) -> None:
    def attack(number: int) -> int:
        headers = {"Content-Type": "application/json"}
        with service.client(Role.VIEWER) as client:
            return client.post("pipelines/shop/versions/1/ttl/check", content=body, headers=headers).status_code

    with health_of(service):
        assert set(all_at_once(4, attack)) <= {400, 422}


def test_state_queries_do_not_exhaust_threads(service: Attacked) -> None:
    codes: Counter[int] = Counter()

    def attack(number: int) -> None:
        path = "pipelines/shop/state" if number % 2 else "pipelines/shop/upgrade/check"
        with service.client(Role.EDITOR) as client:
            answer = client.get(path) if number % 2 else client.post(path, json={"version": 1})
            codes[answer.status_code] += 1
            if answer.status_code == 503:
                assert int(answer.headers["retry-after"]) > 0

    with health_of(service), ThreadPoolExecutor(60) as pool:
        attempts = [pool.submit(attack, number) for number in range(60)]
        wait_until(lambda: codes[503] >= 40, "refusals")
        with service.client(Role.VIEWER) as client:
            assert client.get("pipelines").status_code == 200
        service.gate.touch()
        for attempt in attempts:
            attempt.result()
    assert codes[503] < 60 and set(codes) <= {200, 422, 503}


# ---- clients without a token


def opened(service: Attacked, source: str) -> socket.socket:
    return socket.create_connection(service.place, timeout=5, source_address=(source, 0))


@pytest.mark.parametrize(
    ("source", "sent"),
    [
        ("127.0.0.1", b""),
        ("127.0.0.2", b"GET /api/v1/health HTTP/1.1\r\nHost: 127.0.0.1\r\nX-A: "),
        ("127.0.0.3", b"POST /api/v1/session HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 4000\r\n\r\n{"),
    ],
    ids=["connections", "heads", "bodies"],
)
def test_1100_slow_clients_block_no_other_client(source: str, sent: bytes, service: Attacked) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 4096), hard))
    held: list[socket.socket] = []
    try:
        with health_of(service):
            for _ in range(1_100):
                with suppress(OSError):
                    held.append(opened(service, source))
                    held[-1].sendall(sent)
            assert len(held) > 1_000
            wait_until(lambda: service.process.num_fds() < 400, "the end of most of them")
            with service.client(Role.VIEWER) as client:
                assert client.get("pipelines").status_code == 200
    finally:
        for connection in held:
            connection.close()
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_a_client_that_sends_a_byte_at_a_time_is_disconnected(service: Attacked) -> None:
    """The deadline is not extended by each byte."""
    begun = time.monotonic()
    with opened(service, "127.0.0.4") as connection, health_of(service):
        connection.settimeout(0.2)
        connection.sendall(b"GET /api/v1/health HTTP/1.1\r\nX-A: ")
        with suppress(ConnectionError):
            while time.monotonic() - begun < 20:
                connection.sendall(b"a")
                with suppress(TimeoutError):
                    if not connection.recv(1):
                        break
    assert time.monotonic() - begun < 15


def test_wrong_tokens_and_large_sign_ins_lock_out_no_client(service: Attacked) -> None:
    codes: Counter[int] = Counter()

    def attack(number: int) -> None:
        with service.client() as client:
            for at in range(10):
                bad = {"Authorization": f"Bearer plansvc_{number}_{at}"}
                codes[client.get("me", headers=bad).status_code] += 1
                codes[client.post("session", json={"token": f"x{at}"}).status_code] += 1
                with suppress(httpx2.HTTPError):
                    large = b'{"token": "' + b"[" * 3_000_000
                    assert client.post("session", content=large).status_code == 413

    with health_of(service):
        all_at_once(8, attack)
        assert set(codes) <= {401, 429} and codes[429] > 100
        for role in Role:
            with service.client(role) as client:
                assert client.get("me").json()["role"] == role.value
                assert client.post("session", json={"token": service.tokens[role]}).status_code == 200


def test_a_flood_of_requests(service: Attacked) -> None:
    over = time.monotonic() + 4

    def attack(number: int) -> Counter[int]:
        codes: Counter[int] = Counter()
        paths = itertools.cycle(("me", "pipelines", "pipelines/shop/versions/1/plan", "pipelines/shop/run/history"))
        with service.client(Role.VIEWER if number % 2 else None) as client:
            while time.monotonic() < over:
                codes[client.get(next(paths)).status_code] += 1
        return codes

    with health_of(service):
        codes: Counter[int] = sum(all_at_once(16, attack), Counter())
        with service.client(Role.EDITOR) as client:
            assert client.get("pipelines").status_code == 200
    assert set(codes) <= {200, 401, 404, 429, 503}


# ---- roles

#: Arguments for routes with path parameters, and excluded changes that would break later requests.
FILLED = {"{name}": "shop", "{number}": "1", "{id}": "999"}
BODIES: dict[str, Any] = {
    "/pipelines": {"name": "shop"},
    "/session": {"token": "x"},
    "/tokens": {"name": "x", "role": "viewer", "days": 0.01},
}


def test_every_route_checks_its_role(service: Attacked) -> None:
    routes = roles_of(ROUTERS, PREFIX)
    assert len(routes) > 25
    clients = {role: service.client(role) for role in Role}
    for (method, path), needed in routes.items():
        place = path.removeprefix(f"{PREFIX}/")
        for name, value in FILLED.items():
            place = place.replace(name, value)
        for role, client in clients.items():
            if (method, place) == ("DELETE", "session") or (method == "DELETE" and role.may(needed)):
                continue
            # Without an ETag nothing changes; most of the request bodies are invalid.
            body = BODIES.get(path.removeprefix(PREFIX), {})
            how = {"params": {"seconds": 0, "to": 1}} if method == "GET" else {"json": body}
            code = client.request(method, place, **how).status_code
            # An invalid body may be reported before the role: nothing was done.
            assert (code == 403) if not role.may(needed) else code not in (401, 403), (method, place, role, code)
    for client in clients.values():
        client.close()


# ---- folders


def test_no_connector_reaches_the_service_itself(service: Attacked, tmp_path: Path) -> None:
    home = Path(service.process.cmdline()[-4]).resolve()
    assert (home / "service.db").exists()
    with service.client(Role.EDITOR) as client:
        for place, connector in itertools.product(
            (
                f"{home}",
                f"{home}/runs",
                f"{home}/service.db",
                f"{home}/data/../checkpoints",
                "/etc",
                f"{home.parent}/*",
            ),
            (
                "'connector' = 'filesystem', 'format' = 'json', 'path' =",
                "'connector' = 'spark', 'provider' = 'text', 'path' =",
            ),
        ):
            reads = (
                f"CREATE TABLE a (id STRING) WITH ({connector} '{place}');"
                "CREATE TABLE b (id STRING) WITH ('connector' = 'blackhole'); INSERT INTO b SELECT id FROM a;"
            )
            answer = client.post("compile", json={"program": reads})
            assert answer.status_code == 422, (place, answer.text)
        plan = client.get("pipelines/shop/versions/1/plan").text
        hostile = plan.replace('"connector": "datagen"', f'"connector": "filesystem", "path": "{home}/runs"')
        assert client.post("compile", json={"plan": json.loads(hostile)}).status_code == 422


# ---- secrets of runs


def test_process_lists_show_no_secret(service: Attacked) -> None:
    conf = {"spark.ssl.keyPassword": "geheim-conf", "fake.do": "idle"}
    with service.client(Role.OPERATOR) as client:
        assert client.post("pipelines/shop/run/start", json={"settings": {"conf": conf}}).status_code == 200
        try:
            wait_until(lambda: client.get("pipelines/shop/run").json()["pid"] != 0, "a start")
            lines = [" ".join(process.info["cmdline"] or ()) for process in psutil.process_iter(["cmdline"])]
            assert any("tests.support.fake_runs" in line for line in lines)
            assert [line for line in lines if "geheim-conf" in line] == []
        finally:
            client.post("pipelines/shop/run/stop")
            wait_until(lambda: client.get("pipelines/shop/run").json()["pid"] == 0, "a stop")
