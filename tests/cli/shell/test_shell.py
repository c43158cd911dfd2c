"""Statements one by one: errors, interrupts, jobs."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import closing, nullcontext

import pytest

from compiled_plan.cli.shell.interrupts import Terminated, interrupt, uninterrupted
from compiled_plan.cli.shell.results import Results
from compiled_plan.cli.shell.shell import _WARM_UP, COMMANDS, Quit, Shell, command_of, needs_spark
from compiled_plan.plans.errors import ExecutionError, ProgramError
from compiled_plan.results.formats import Format
from compiled_plan.results.kinds import JobStatus
from tests.support.fake_jobs import FAILURE, ROWS, FakeEnvironment, FakeJob


def shell_of(job: FakeJob | None = None, *, insert_only: bool = True) -> Shell:
    env = FakeEnvironment(job, insert_only=insert_only)
    return Shell(env, Results(env.config, Format.CSV, False))


@pytest.fixture
def shell() -> Iterator[Shell]:
    shell = shell_of()
    yield shell
    shell.close()


def test_an_error_ends_a_script(shell: Shell, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ProgramError) as caught:
        shell.run("SHOW CATALOGS;\nSELECT 1; DESCRIBE nope;\nSHOW DATABASES;")
    assert caught.value.where.startswith("line 2, column 11\n")
    assert capsys.readouterr().out.splitlines()[:3] == ["catalog name", "default_catalog", "customer,n"]
    assert shell.environment.statements[-1] == "DESCRIBE nope"  # type: ignore[attr-defined]


def test_commands(shell: Shell, capsys: pytest.CaptureFixture[str]) -> None:
    cleared: list[bool] = []
    shell.clear = lambda: cleared.append(True)
    with pytest.raises(Quit):
        shell.run("clear; quit; SHOW CATALOGS")
    assert cleared == [True] and capsys.readouterr().out == ""
    shell.run("help")
    out = capsys.readouterr().out
    assert [word for word in COMMANDS if word not in out] == []


def interrupt_soon(number: signal.Signals = signal.SIGINT) -> None:
    """Send a signal to the main thread while it waits."""
    main = threading.main_thread().ident
    assert main is not None
    threading.Timer(0.2, signal.pthread_kill, (main, number)).start()


@pytest.mark.parametrize("statement", ["SELECT", "INSERT WAITING"])
def test_an_interrupt_stops_what_the_statement_has_started(statement: str, capsys: pytest.CaptureFixture[str]) -> None:
    earlier, job = FakeJob((), endless=True), FakeJob(ROWS[:1], endless=True)
    shell = shell_of(earlier)
    shell.run("INSERT")
    shell.environment.job = job  # type: ignore[attr-defined]
    interrupt_soon()
    with pytest.raises(KeyboardInterrupt):
        shell.run(statement)
    assert (job.status, earlier.status) == (JobStatus.CANCELED, JobStatus.RUNNING)
    if statement == "SELECT":
        assert capsys.readouterr().out == "customer,n\nann,1\nbob,1\n"
    shell.close()
    assert earlier.status is JobStatus.CANCELED


def test_a_failed_job_fails_the_script(shell: Shell) -> None:
    shell.environment.job = FakeJob((), FAILURE)  # type: ignore[attr-defined]
    shell.run("INSERT")
    with pytest.raises(ExecutionError, match=r"insert-into_a\) failed: the disk is full") as caught:
        shell.wait_for_jobs()
    assert caught.value.remedy == "empty it"


def test_a_failed_job_is_not_forgotten_among_many(shell: Shell) -> None:
    shell.environment.job = FakeJob((), FAILURE)  # type: ignore[attr-defined]
    shell.run("INSERT")
    shell.environment.context.jobs.clear()
    with pytest.raises(ExecutionError, match="the disk is full"):
        shell.wait_for_jobs()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_does_not_end_a_stop(number: signal.Signals) -> None:
    done: list[int] = []
    before = signal.signal(signal.SIGTERM, interrupt)
    interrupt_soon(number)
    with pytest.raises(Terminated) if number is signal.SIGTERM else nullcontext():
        uninterrupted(lambda: (time.sleep(0.4), done.append(1)))
    signal.signal(signal.SIGTERM, before)
    assert done == [1]


@pytest.mark.parametrize(
    ("script", "needed"),
    [
        ("SHOW TABLES; help; SET 'a' = 'b'", False),
        ("EXPLAIN SELECT 1", False),
        ("SELECT 1", True),
        ("BEGIN STATEMENT SET; INSERT INTO a SELECT 1; END;", True),
        ("EXECUTE PLAN 'p'", True),
        ("COMPILE PLAN 'p' FOR INSERT INTO a SELECT 1", False),
    ],
)
def test_scripts_that_need_spark(script: str, needed: bool) -> None:
    assert needs_spark(script) is needed


def test_the_state_of_spark(shell: Shell) -> None:
    states = [shell.spark_state()]
    for end in (None, FAILURE):
        started: Future[None] = Future()
        shell.start_spark(lambda future=started: future)  # type: ignore[misc]
        shell.work(lambda: None)
        shell.warm_up()
        states.append(shell.spark_state())
        started.set_result(None) if end is None else started.set_exception(end)
        states.append(shell.spark_state())
    shell.close()  # waits for the queries of the warm-up
    assert states == ["Spark starts", "Spark starts", "Spark is ready", "Spark starts", "Spark has not started"]


@pytest.mark.parametrize(("statements", "queries"), [("SHOW CATALOGS", len(_WARM_UP)), ("SELECT 1", 0)])
def test_the_warm_up_ends_at_the_first_query(statements: str, queries: int) -> None:
    warming: list[FakeEnvironment] = []

    class Environment(FakeEnvironment):
        def __init__(self) -> None:
            super().__init__()
            warming.append(self)

    env = Environment()
    with closing(Shell(env, Results(env.config, Format.CSV, False))) as shell:
        started: Future[None] = Future()
        shell.start_spark(lambda: started)  # type: ignore[arg-type, return-value]
        shell.warm_up()
        shell.run(statements)
        started.set_result(None)
        assert shell._warming is not None
        shell._warming.join()
    assert [text.startswith("SELECT") for text in warming[1].statements].count(True) == queries


@pytest.mark.parametrize(
    ("text", "command"),
    [
        *[("help", "HELP"), ("?", "HELP"), (r"\h", "HELP"), ("quit", "QUIT"), ("exit", "EXIT"), (r"\q", "QUIT")],
        *[("QUIT;", "QUIT"), ("SHOW TABLES", ""), ("SELECT help", ""), ("", "")],
    ],
)
def test_commands_need_no_semicolon(text: str, command: str) -> None:
    assert command_of(text) == command
