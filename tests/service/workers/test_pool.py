from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from compiled_plan.plans.errors import ProgramError
from compiled_plan.service.common.lanes import BusyError
from compiled_plan.service.common.settings import Limits
from compiled_plan.service.workers import tasks
from compiled_plan.service.workers.pool import Refusal, Workers
from tests.support.waiting import wait_until

pytestmark = pytest.mark.slow

SQL = """
CREATE TABLE a (id INT) WITH ('connector' = 'datagen');
CREATE TABLE b (id INT) WITH ('connector' = 'print');
INSERT INTO b SELECT id FROM a;
"""
ENDLESS = "import time\ntime.sleep(1000)\ndef main(env): ...\n"
LARGE = "kept = bytearray(10**10)\ndef main(env): ...\n"
ENDING = "import os\nos._exit(3)\n"


def allowed(folder: Path) -> dict[str, list[str]]:
    return {"programs": [str(folder)], "data": []}


def file_of(folder: Path, text: str) -> str:
    file = folder / "given_program.py"
    file.write_text(text)
    return str(file)


@pytest.mark.wide
def test_a_task_that_takes_too_long_is_ended_and_the_next_one_is_done(tmp_path: Path) -> None:
    workers = Workers(Limits(compile_workers=1, compile_seconds=2))
    try:
        with pytest.raises(ProgramError, match="exceeded 2 s"):
            workers.run(tasks.submitted.compile_, file=file_of(tmp_path, ENDLESS), allowed=allowed(tmp_path))
        assert workers.run(tasks.submitted.compile_, text=SQL)["operators"] == 2
    finally:
        workers.close()


@contextmanager
def busy(workers: Workers, folder: Path) -> Iterator[None]:
    """Keep the only program worker busy with an endless program while a block runs."""
    file = file_of(folder, ENDLESS)

    def work() -> None:
        with pytest.raises(ProgramError):
            workers.run(tasks.submitted.compile_, file=file, allowed=allowed(folder))

    first = threading.Thread(target=work)
    first.start()
    try:
        wait_until(lambda: workers._submitted.free.empty(), "the worker has work")
        yield
    finally:
        first.join()
        workers.close()


@pytest.mark.wide
def test_waiting_too_long_for_a_worker_is_an_error(tmp_path: Path) -> None:
    workers = Workers(Limits(compile_workers=1, compile_seconds=1))
    with busy(workers, tmp_path), pytest.raises(BusyError, match="all workers are busy"):
        workers.run(tasks.submitted.compile_, text=SQL)


@pytest.mark.wide
def test_a_long_compilation_does_not_block_plan_requests(tmp_path: Path) -> None:
    workers = Workers(Limits(compile_workers=1, compile_seconds=3, waiting=0))
    plan = workers.run(tasks.submitted.compile_, text=SQL)["plan"]
    with busy(workers, tmp_path):
        assert workers.run(tasks.stored.graph, plan=plan)["nodes"]
        with pytest.raises(BusyError, match="too many requests wait"):
            workers.run(tasks.submitted.compile_, text=SQL)


@pytest.mark.parametrize(("program", "message"), [(LARGE, "MemoryError|memory"), (ENDING, "ended with code 3")])
def test_a_program_that_breaks_its_process_is_reported(
    program: str, message: str, workers: Workers, tmp_path: Path
) -> None:
    with pytest.raises((ProgramError, Refusal), match=message):
        workers.run(tasks.submitted.compile_, file=file_of(tmp_path, program), allowed=allowed(tmp_path))
    assert workers.run(tasks.submitted.compile_, text=SQL)["operators"] == 2


@pytest.mark.wide
def test_a_killed_worker_is_replaced() -> None:
    workers = Workers(Limits(compile_workers=1))
    try:
        workers.run(tasks.submitted.compile_, text=SQL)
        worker = workers._submitted.free.get()
        assert worker is not None
        os.kill(worker.process.pid, signal.SIGKILL)
        workers._submitted.free.put(worker)
        with pytest.raises(ProgramError, match="the worker ended"):
            workers.run(tasks.submitted.compile_, text=SQL)
        assert workers.run(tasks.submitted.compile_, text=SQL)["operators"] == 2
    finally:
        workers.close()


@pytest.mark.wide
def test_a_repeated_task_is_cached(workers: Workers, monkeypatch: pytest.MonkeyPatch) -> None:
    first = workers.run_once(tasks.submitted.check, plan="{}")
    monkeypatch.setattr(workers, "run", lambda *_, **__: pytest.fail("done again"))
    assert workers.run_once(tasks.submitted.check, plan="{}") is first


def test_programs_share_no_state(workers: Workers, tmp_path: Path) -> None:
    text = (
        "import builtins\nassert not hasattr(builtins, 'seen')\nbuiltins.seen = 1\n"
        "def main(env):\n"
        "    env.execute_sql(\"CREATE TABLE a (id INT) WITH ('connector' = 'datagen')\")\n"
        "    env.execute_sql(\"CREATE TABLE b (id INT) WITH ('connector' = 'print')\")\n"
        '    return env.from_path("a").insert_into("b")\n'
    )
    for _ in range(3):
        result = workers.run(tasks.submitted.compile_, file=file_of(tmp_path, text), allowed=allowed(tmp_path))
        assert result["program"] == text
