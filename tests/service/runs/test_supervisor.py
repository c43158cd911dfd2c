"""Supervised runs, with a stand-in for `execute-plan`."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from compiled_plan.service.common.settings import Settings
from compiled_plan.service.runs import supervisor
from compiled_plan.service.runs.folders import COMMAND as COMMAND_FILE
from compiled_plan.service.runs.folders import PROCESS, latest_run, new_run, runs_of
from compiled_plan.service.runs.generations import generation_of
from compiled_plan.service.runs.launching import PROMOTE
from compiled_plan.service.runs.outcomes import Backoff
from compiled_plan.service.runs.processes import Launch, current, signal_run
from compiled_plan.service.runs.shadows import TAKE_OVER, ShadowJob
from compiled_plan.service.runs.supervisor import Supervisor
from compiled_plan.service.runs.upgrading import course_of
from compiled_plan.service.store import pipelines, versions
from compiled_plan.service.store.database import Database, open_database
from compiled_plan.service.store.tables import Pipeline, Status, Wanted
from tests.support.fake_runs import COMMAND

pytestmark = pytest.mark.slow

QUICK = Backoff(first=0.1, most=0.3, attempts=2)


class Runs:
    """A service's runs of one pipeline with two versions."""

    def __init__(self, home: Path, database: Database) -> None:
        self.home, self.database = home, database
        self.supervisor = self.another()
        with database.write() as session:
            pipeline = pipelines.create(session, "shop", "", "me")
            for _ in range(2):
                new = versions.NewVersion(kind="plan", plan="{}", operators=1, stateful=1)
                versions.add(session, pipeline, new, "me", in_force=False)
            pipelines.change(session, pipeline, in_force=1)
            self.id = pipeline.id

    def another(self) -> Supervisor:
        """A second process of the service."""
        return Supervisor(self.home, self.database, COMMAND, QUICK)

    def start(self, do: str = "run", version: int = 1, **settings: str) -> None:
        conf = {"fake.do": do, **{name: text for name, text in settings.items() if "." in name}}
        more = {name: text for name, text in settings.items() if "." not in name}
        with self.database.write() as session:
            pipeline = pipelines.find(session, "shop")
            pipelines.change(session, pipeline, run_settings={"conf": conf, **more})
            self.supervisor.want_run(session, pipeline, version, "me")

    def want(self, **values: object) -> None:
        with self.database.write() as session:
            wanted = session.get(Wanted, self.id)
            for name, value in values.items():
                setattr(wanted, name, value)

    def states_until(self, done: Callable[[], bool]) -> list[str]:
        """Tick until a condition holds, and return the states in order."""
        states: list[str] = []

        def is_done() -> bool:
            if states[-1:] != [self.status.state]:
                states.append(self.status.state)
            return done()

        self.until(is_done)
        return states

    @property
    def status(self) -> Status:
        with self.database.read() as session:
            status = session.get(Status, self.id)
            assert status is not None
            session.expunge(status)
            return status

    @property
    def wanted(self) -> Wanted:
        with self.database.read() as session:
            wanted = session.get(Wanted, self.id)
            assert wanted is not None
            session.expunge(wanted)
            return wanted

    @property
    def pipeline(self) -> Pipeline:
        with self.database.read() as session:
            pipeline = pipelines.find(session, "shop")
            session.expunge(pipeline)
            return pipeline

    @property
    def pid(self) -> int:
        run = latest_run(self.supervisor.folder(self.id))
        return 0 if run is None else int((run.read(PROCESS) or {}).get("pid", 0))

    @property
    def count(self) -> int:
        return len(list(runs_of(self.supervisor.folder(self.id))))

    def until(self, done: Callable[[], bool], seconds: float = 30) -> None:
        """Tick until the condition holds."""
        deadline = time.monotonic() + seconds
        while True:
            self.supervisor.tick()
            if done():
                return
            assert time.monotonic() < deadline, (self.status.state, self.status.message)
            time.sleep(0.05)


@pytest.fixture
def runs(tmp_path: Path) -> Iterator[Runs]:
    database = open_database(Settings(home=tmp_path / "home", tokens=False))
    runs = Runs(tmp_path / "home", database)
    yield runs
    folder = runs.supervisor.folder(runs.id)
    deadline = time.monotonic() + 30
    while (now := current(folder)) is not None and not now[1].is_over and time.monotonic() < deadline:
        # A run that has just been started has no process yet.
        signal_run(now[0], signal.SIGKILL)
        time.sleep(0.05)
    database.close()


def test_a_restarted_service_adopts_a_run_and_stops_it_once(runs: Runs) -> None:
    runs.start()
    runs.until(lambda: runs.status.state == "running" and runs.status.rows_per_second is not None)
    pid = runs.pid
    assert runs.status.lag == 3
    runs.supervisor = runs.another()
    runs.until(lambda: runs.status.rows_per_second is not None)
    assert (runs.pid, runs.count) == (pid, 1)
    runs.want(run=False)
    runs.until(lambda: runs.status.state == "stopped")
    assert (runs.supervisor.checkpoint(runs.id) / "stops").read_text() == f"{pid}\n"
    for _ in range(3):
        runs.supervisor.tick()
    assert runs.count == 1


@pytest.mark.wide
def test_a_crashing_run_restarts_until_the_limit(runs: Runs) -> None:
    runs.start("crash")
    runs.until(lambda: not runs.wanted.run)
    assert runs.count == 3
    assert runs.status.state == "failed"
    assert "the database does not answer" in runs.status.message
    assert "after 3 crashes in a row" in runs.status.message
    assert runs.status.remedy == "mend it"


def test_a_stop_during_the_restart_delay(runs: Runs) -> None:
    runs.start("crash")
    runs.until(lambda: runs.status.state == "waiting")
    assert runs.status.until == runs.wanted.next_at
    assert runs.status.message == "the database does not answer (at there); restart 1 follows"
    with runs.database.write() as session:
        runs.supervisor.want_stop(session, pipelines.find(session, "shop"))
    runs.until(lambda: runs.status.state == "stopped")
    assert (runs.wanted.run, runs.wanted.next_at, runs.status.message, runs.status.until) == (False, None, "", None)


def test_the_states_of_a_start_a_migration_a_crash_and_a_stop(runs: Runs) -> None:
    runs.start()
    states = runs.states_until(lambda: runs.status.rows_per_second is not None)
    assert states == ["starting", "running"]
    began = runs.status.since
    runs.want(version=2, fallback=1, generation=1, upgrade="migrate", outcome="migrating")
    states = runs.states_until(lambda: runs.wanted.outcome == "done" and runs.status.rows_per_second is not None)
    assert states == ["stopping", "starting", "migrating", "upgrade-waiting"], "version 1 stays in force"
    assert runs.status.since is not None and began is not None and runs.status.since > began
    os.kill(runs.pid, signal.SIGKILL)
    states = runs.states_until(lambda: runs.wanted.crashes == 1 and runs.status.rows_per_second is not None)
    assert [state for state in states if state in ("waiting", "starting")] == ["waiting", "starting"]
    with runs.database.write() as session:
        runs.supervisor.want_stop(session, pipelines.find(session, "shop"))
    states = runs.states_until(lambda: runs.status.state == "stopped")
    assert states[-2:] == ["stopping", "stopped"]


def test_figures_of_the_previous_run_do_not_stay(runs: Runs) -> None:
    runs.start()
    runs.until(lambda: runs.status.rows_per_second is not None)
    runs.want(run=False)
    runs.until(lambda: runs.status.state == "stopped")
    assert (runs.status.rows_per_second, runs.status.lag) == (None, None)
    runs.start()
    runs.until(lambda: runs.status.state == "starting")
    assert (runs.status.rows_per_second, runs.status.lag, runs.status.message) == (None, None, "Spark starts")


def test_a_process_that_was_killed_is_started_again(runs: Runs) -> None:
    runs.start()
    runs.until(lambda: runs.status.rows_per_second is not None)
    pid = runs.pid
    os.kill(pid, signal.SIGKILL)
    runs.until(lambda: runs.pid not in (0, pid) and runs.status.state == "running")
    assert runs.wanted.crashes == 1


def test_a_refusal_is_not_tried_again(runs: Runs) -> None:
    runs.start("refuse")
    runs.until(lambda: runs.status.state == "failed")
    for _ in range(5):
        runs.supervisor.tick()
    assert runs.count == 1
    assert not runs.wanted.run
    assert runs.status.message == "the plan does not fit the checkpoint (at there)"


@pytest.mark.wide
def test_a_schedule_starts_what_has_finished(runs: Runs) -> None:
    runs.start("finish", every="1 s")
    runs.until(lambda: runs.count >= 2)
    assert runs.wanted.run
    runs.want(run=False)
    runs.until(lambda: runs.status.state in ("finished", "stopped"))
    runs.start("finish", every="")
    runs.until(lambda: not runs.wanted.run and runs.status.state == "finished")


@pytest.mark.wide
def test_an_upgrade_and_its_rollback(runs: Runs) -> None:
    runs.start()
    runs.until(lambda: runs.status.rows_per_second is not None)
    runs.want(version=2, fallback=1, generation=1, upgrade="migrate", outcome="migrating")
    runs.until(lambda: runs.wanted.outcome == "done")
    assert (runs.wanted.version, runs.wanted.previous, runs.wanted.upgrade, runs.count) == (2, 1, "check", 2)
    runs.want(upgrade="rollback", outcome="rolling-back")
    runs.until(lambda: runs.wanted.outcome == "rolled-back" and runs.status.rows_per_second is not None)
    assert (runs.supervisor.checkpoint(runs.id) / "rolled-back").exists()
    assert (runs.wanted.version, runs.pipeline.in_force, runs.status.state) == (1, 1, "running")


@pytest.mark.wide
def test_an_upgrade_completes_without_input_rows(runs: Runs) -> None:
    runs.start()
    runs.until(lambda: runs.status.rows_per_second is not None)
    with runs.database.write() as session:
        pipelines.change(session, pipelines.find(session, "shop"), run_settings={"conf": {"fake.do": "idle"}})
    runs.want(version=2, fallback=1, generation=1, upgrade="migrate", outcome="migrating")
    runs.until(lambda: runs.wanted.outcome == "done")
    assert (runs.wanted.version, runs.wanted.previous, runs.count) == (2, 1, 2)


@pytest.mark.wide
def test_a_refused_upgrade_keeps_the_old_version_running(runs: Runs) -> None:
    runs.start(**{"fake.upgrade": "refuse"})
    runs.until(lambda: runs.status.rows_per_second is not None)
    runs.want(version=2, fallback=1, generation=1, upgrade="migrate", outcome="migrating")
    runs.until(lambda: runs.wanted.outcome == "refused" and runs.status.rows_per_second is not None)
    assert (runs.wanted.version, runs.pipeline.in_force, runs.status.state) == (1, 1, "running")


def following(runs: Runs, *options: str) -> ShadowJob:
    """A shadow that follows the run of version 1."""
    runs.start()
    runs.until(lambda: runs.status.rows_per_second is not None)
    options = ("--shadow", *options, "--checkpoint", str(runs.supervisor.checkpoint(runs.id)))
    arguments = [*options, "--promote-when", f"{{{TAKE_OVER}}}"]
    job = ShadowJob(arguments, {TAKE_OVER: None}, version=2, promotes=True)
    runs.supervisor.shadows.begin(runs.id, job)
    runs.until(lambda: job.follows)
    return job


def take_over(runs: Runs, job: ShadowJob) -> None:
    job.takes_over = True
    runs.want(version=2, fallback=1, generation=1, upgrade=PROMOTE, outcome="migrating")
    job.take_over()


@pytest.mark.wide
def test_a_shadow_takes_over_and_its_version_starts(runs: Runs) -> None:
    job = following(runs)
    checkpoint = runs.supervisor.checkpoint(runs.id)
    assert (runs.count, generation_of(checkpoint)) == (1, 1)
    take_over(runs, job)
    states = runs.states_until(lambda: runs.wanted.outcome == "done")
    assert states[:2] == ["stopping", "migrating"] and job.result is not None and job.result["promoted"] == 2
    assert (runs.wanted.version, runs.wanted.previous, runs.wanted.upgrade, runs.count) == (2, 1, "check", 2)
    run = latest_run(runs.supervisor.folder(runs.id))
    assert run is not None and "--upgrade" not in (run.read(COMMAND_FILE) or {})["argv"]
    course = course_of(runs.supervisor.folder(runs.id), runs.wanted)
    assert [(step.name, step.state) for step in course.steps] == [
        ("stop", "done"),
        ("promote", "done"),
        ("run", "done"),
    ]
    runs.until(lambda: runs.status.rows_per_second is not None)
    assert not (checkpoint / "two-runs").exists()


@pytest.mark.wide
def test_the_old_version_continues_if_the_shadow_does_not_take_over(runs: Runs) -> None:
    take_over(runs, following(runs, "--markdown"))
    runs.until(lambda: runs.wanted.outcome == "refused" and runs.status.rows_per_second is not None)
    assert (runs.wanted.version, runs.pipeline.in_force, runs.status.state) == (1, 1, "running")
    course = course_of(runs.supervisor.folder(runs.id), runs.wanted)
    assert [step.state for step in course.steps] == ["done", "failed", "waiting"]
    assert (course.message, course.remedy) == ("it differs otherwise", "look at it")


@pytest.mark.wide
def test_a_takeover_is_withdrawn_by_a_rollback(runs: Runs) -> None:
    job = following(runs)
    # The old run ends only once the shadow has been cancelled: nobody takes its place meanwhile.
    take_over(runs, job)
    runs.want(version=2, previous=1, fallback=0, upgrade="rollback", outcome="rolling-back")
    runs.until(lambda: runs.wanted.outcome == "rolled-back" and runs.status.rows_per_second is not None)
    assert job.has_ended and runs.wanted.version == 1


def test_a_service_that_restarts_in_a_takeover_goes_on_with_the_old_version(runs: Runs) -> None:
    runs.start()
    runs.until(lambda: runs.status.rows_per_second is not None)
    runs.want(version=2, fallback=1, generation=1, upgrade=PROMOTE, outcome="migrating")
    runs.until(lambda: runs.wanted.outcome == "refused" and runs.status.rows_per_second is not None)
    assert (runs.wanted.version, runs.count) == (1, 2)
    course = course_of(runs.supervisor.folder(runs.id), runs.wanted)
    assert course.message == "the shadow ended before it took over"


def test_a_reused_pid_is_not_the_run(runs: Runs) -> None:
    runs.start("finish")
    runs.until(lambda: runs.status.state == "finished")
    run = latest_run(runs.supervisor.folder(runs.id))
    assert run is not None
    (run.path / "exit.json").unlink()
    run.write(PROCESS, {"pid": os.getpid(), "started": 1.0, "at": time.time()})
    runs.until(lambda: (current_run := current(runs.supervisor.folder(runs.id))) is not None and current_run[1].is_over)


def test_a_run_that_was_never_started_is_no_crash(runs: Runs) -> None:
    """The process that would have started it was killed between two steps."""
    runs.start("finish")
    folder = new_run(runs.supervisor.folder(runs.id), {"version": 1, "what": "run", "seq": 0})
    runs.until(lambda: runs.status.state == "finished")
    assert (folder.number, runs.count, runs.wanted.crashes) == (1, 1, 0)
    runs.start("finish")
    new_run(runs.supervisor.folder(runs.id), {"version": 1, "what": "run", "seq": 0})
    runs.want(run=False)
    runs.until(lambda: runs.status.state == "stopped")
    assert runs.count == 2


@pytest.mark.wide
def test_an_unrecorded_rollback_is_not_repeated(runs: Runs, monkeypatch: pytest.MonkeyPatch) -> None:
    """The service is killed as it starts the run after a rollback."""
    runs.start()
    runs.until(lambda: runs.status.rows_per_second is not None)
    runs.want(version=2, fallback=1, generation=1, upgrade="migrate", outcome="migrating")
    runs.until(lambda: runs.wanted.outcome == "done")
    runs.want(upgrade="rollback", outcome="rolling-back")
    start = supervisor.launch

    def killed(pipeline: Path, what: Launch, umask: int) -> None:
        start(pipeline, what)
        if what.facts["what"] == "run":
            raise KeyboardInterrupt

    monkeypatch.setattr(supervisor, "launch", killed)
    with pytest.raises(KeyboardInterrupt):
        runs.until(lambda: False)
    monkeypatch.undo()
    runs.supervisor = runs.another()
    runs.until(lambda: runs.status.rows_per_second is not None)
    assert (runs.wanted.outcome, runs.wanted.version, runs.pipeline.in_force) == ("rolled-back", 1, 1)
    assert runs.count == 4


@pytest.mark.wide
def test_old_state_is_removed_at_a_start_after_its_retention(runs: Runs) -> None:
    runs.start("finish")
    runs.until(lambda: runs.status.state == "finished")
    runs.want(version=2, run=True, fallback=1, generation=1, upgrade="migrate", outcome="migrating")
    runs.until(lambda: runs.wanted.outcome == "done" and runs.status.state == "finished")
    gone = runs.supervisor.checkpoint(runs.id) / "pruned"
    assert (runs.wanted.previous, gone.exists()) == (1, False)
    runs.want(upgraded_at=datetime.now(UTC) - timedelta(days=31), run=True)
    runs.until(lambda: not runs.wanted.run)
    assert (runs.wanted.previous, gone.exists(), runs.status.state, runs.count) == (0, True, "finished", 4)


@pytest.mark.wide
@pytest.mark.parametrize("moved", [True, False])
def test_rollback_of_an_upgrade_that_never_completes(runs: Runs, moved: bool) -> None:
    """The new version crashes repeatedly, after its state has moved or before."""
    how = {"fake.upgrade": "crash"} if moved else {"fake.do": "crash", "fake.moves": "no"}
    runs.start()
    runs.until(lambda: runs.status.rows_per_second is not None)
    with runs.database.write() as session:
        pipelines.change(session, pipelines.find(session, "shop"), run_settings={"conf": how})
    runs.want(version=2, fallback=1, generation=1, upgrade="migrate", outcome="migrating")
    runs.until(lambda: runs.wanted.outcome == "done" if moved else not runs.wanted.run)
    checkpoint = runs.supervisor.checkpoint(runs.id)
    assert (runs.wanted.outcome, generation_of(checkpoint) > 1) == ("done" if moved else "migrating", moved)
    with runs.database.write() as session:
        pipelines.change(session, pipelines.find(session, "shop"), run_settings={})
    runs.want(upgrade="rollback", outcome="rolling-back", previous=1, fallback=0, run=True)
    runs.until(lambda: runs.wanted.outcome == "rolled-back" and runs.status.rows_per_second is not None)
    assert (checkpoint / "rolled-back").exists() is moved
    assert (runs.wanted.version, runs.pipeline.in_force, runs.status.state) == (1, 1, "running")


@pytest.mark.wide
def test_a_thousand_pipelines_that_do_not_run_cost_little(runs: Runs) -> None:
    with runs.database.write() as session:
        for number in range(1000):
            pipeline = pipelines.create(session, f"p{number}", "", "me")
            session.flush()
            runs.supervisor.wanted(session, pipeline)
    runs.start("finish")
    runs.until(lambda: runs.status.state == "finished")
    begun = time.monotonic()
    runs.supervisor.tick()
    assert time.monotonic() - begun < 2
