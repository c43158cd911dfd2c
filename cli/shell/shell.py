"""Execution of statements, one by one: in a thread, so that an interrupt reaches no call of Spark."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from threading import Thread
from typing import TYPE_CHECKING, TypeVar

from compiled_plan.cli.common.terminal import console
from compiled_plan.cli.shell.interrupts import uninterrupted
from compiled_plan.cli.shell.results import Results
from compiled_plan.compiling.scripts import warnings_said
from compiled_plan.planner.sql.binding.writes import writes_of
from compiled_plan.planner.sql.grammar.splitting import Piece, split_script
from compiled_plan.planner.sql.nodes import statements as st
from compiled_plan.planner.sql.parse import parse_script
from compiled_plan.plans.errors import CompiledPlanError, ExecutionError
from compiled_plan.plans.text.visible import counted
from compiled_plan.results.table_result import TableResult

if TYPE_CHECKING:
    from compiled_plan.environment import TableEnvironment
    from compiled_plan.running.jobs import SessionJob

T = TypeVar("T")

#: Queries of the warm-up: an operator that keeps state, and rows of a source until Java has compiled their path.
_WARM_UP = (
    "SELECT k, COUNT(*) FROM (VALUES (1)) AS t (k) GROUP BY k",
    *["SELECT k + 1 FROM numbers LIMIT 1"] * 8,
)
_NUMBERS = "CREATE TEMPORARY TABLE numbers (k INT) WITH ('connector' = 'datagen', 'rows-per-second' = '100')"

#: The shell's own commands, as in Flink's SQL client, with their descriptions.
COMMANDS = {
    "HELP": "list the statements",
    "CLEAR": "clear the screen",
    "QUIT": "stop the jobs, and leave the shell",
    "EXIT": "as QUIT",
}
#: Other names of commands, as in other shells.
_ALIASES = {"?": "HELP", "\\?": "HELP", "\\H": "HELP", "\\Q": "QUIT", ":Q": "QUIT"}
_HELP = """A statement ends with a semicolon; a command needs none. Tab completes keywords, names and options.

SELECT, WITH, VALUES       show rows as they arrive; Ctrl-C ends the query
INSERT, statement sets     run in the background: SHOW JOBS, DESCRIBE JOB 'id', STOP JOB 'id'
COMPILE PLAN 'f' FOR ...   write a plan; EXECUTE PLAN 'f' runs one
CREATE, ALTER, DROP, USE   declare tables, views, functions, databases, catalogs, models
SHOW, DESCRIBE, EXPLAIN    show names, columns and plans
SET 'key' = 'value'        set an option: 'sql-client.execution.result-mode' is table, changelog or tableau
SET, RESET                 list the options that are set; reset one or all of them
"""


def command_of(text: str) -> str:
    """The command that a text is, with or without a semicolon; empty for statements."""
    word = text.strip().removesuffix(";").rstrip().upper()
    return word if word in COMMANDS else _ALIASES.get(word, "")


class Quit(Exception):
    """Raised by the statement QUIT to end the shell."""


@dataclass
class Shell:
    """A session of statements.

    Args:
        environment: the session of the API, which executes them.
        results: shows their results.
        clear: clears the screen.
    """

    environment: TableEnvironment
    results: Results
    clear: Callable[[], None] = lambda: None
    _spark: Future[Future[object]] | None = None
    _warming: Thread | None = None
    _closing: bool = False
    #: The jobs to wait for by id: the session forgets ended ones, also failed ones, when there are many.
    _started: dict[str, SessionJob] = field(default_factory=dict)
    _pool: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1, thread_name_prefix="statements"))

    @property
    def jobs(self) -> Sequence[SessionJob]:
        """The runs of the session."""
        jobs: Sequence[SessionJob] = self.environment.context.jobs
        return jobs

    def start_spark(self, start: Callable[[], Future[object]]) -> None:
        """Call a function that starts Spark in the background, in the thread of the statements: it imports for long."""
        self._spark = self._pool.submit(start)

    def warm_up(self) -> None:
        """Run small queries once Spark is ready, until the user runs one: the first ones take seconds."""
        self._warming = Thread(target=self._warmed_up, name="warm-up", daemon=True)
        self._warming.start()

    def _warmed_up(self) -> None:
        assert self._spark is not None
        if self._spark.result().exception() is not None:
            return
        with suppress(CompiledPlanError):
            environment = type(self.environment)()
            environment.execute_sql(_NUMBERS)
            for query in _WARM_UP:
                if self._closing or self.jobs:
                    return
                deque(environment.execute_sql(query).collect(), maxlen=0)

    def spark_state(self) -> str:
        """The state of Spark in a few words."""
        if self._spark is None or not self._spark.done() or not self._spark.result().done():
            return "Spark starts"
        return "Spark has not started" if self._spark.result().exception() else "Spark is ready"

    def run(self, text: str) -> None:
        """Execute the statements of a text up to the first error; one without a semicolon, too.

        Raises:
            CompiledPlanError: a statement is wrong, or failed.
            Quit: the statement is QUIT.
            KeyboardInterrupt: a statement was interrupted; what it had started is stopped.
        """
        if command := command_of(text):
            self._command(command)
            return
        for piece in split_script(text):
            self._run(piece)

    def _run(self, piece: Piece) -> None:
        if len(piece.words) == 1 and piece.words[0] in COMMANDS:
            self._command(piece.words[0])
            return
        with self._stopping_on_interrupt():
            result = self.work(lambda: self._executed(piece.text))
            self.results.show(result)

    def _executed(self, text: str) -> TableResult:
        try:
            with warnings_said(console().print):
                return self.environment.execute_sql(text)
        finally:
            self._started |= {job.id: job for job in self.jobs if not job.collects}

    def _command(self, word: str) -> None:
        match word:
            case "HELP":
                commands = "".join(f"{name:26} {what}\n" for name, what in COMMANDS.items())
                console(stderr=False).print(_HELP + commands, end="")
            case "CLEAR":
                self.clear()
            case _:
                raise Quit

    # ---- interrupts

    def work(self, action: Callable[[], T]) -> T:
        """Do something in the thread of the statements, after what is done there already."""
        future = self._pool.submit(action)
        return future.result()

    @contextmanager
    def _stopping_on_interrupt(self) -> Iterator[None]:
        """On an interrupt or an error in showing rows, stop the jobs started in this context."""
        before = {job.id for job in self.jobs}
        try:
            yield
        except BaseException as fault:
            if not isinstance(fault, CompiledPlanError):
                console().print("stopping ...", style="dim")
            self._stop_jobs_since(before, queries_only=isinstance(fault, CompiledPlanError))
            raise

    def _stop_jobs_since(self, before: set[str], *, queries_only: bool) -> None:
        """Stop jobs that are not among those, and wait for the thread of the statements."""
        idle: Future[None] = self._pool.submit(lambda: None)
        while True:
            ended = wait([idle], timeout=_POLL).done
            for job in list(self.jobs):
                if job.running and job.id not in before and (job.collects or not queries_only):
                    uninterrupted(job.stop)
            if ended:
                return

    # ---- jobs

    def wait_for_jobs(self) -> None:
        """Wait for the end of all jobs.

        Raises:
            ExecutionError: one failed.
            KeyboardInterrupt: the wait was interrupted; the jobs are stopped.
        """
        try:
            for job in self._started.values():
                job.wait()
                if job.fault is not None:
                    raise ExecutionError(
                        f"job {job.id} ({job.name}) failed: {job.fault.message}",
                        where=job.fault.where,
                        remedy=job.fault.remedy,
                    )
        except BaseException:
            self.stop_jobs()
            raise

    def stop_jobs(self) -> None:
        """Stop all running jobs of the session."""

        def stop() -> None:
            for job in list(self.jobs):
                if job.running:
                    job.stop()

        uninterrupted(stop)

    def close(self) -> None:
        """Stop all jobs, and end the thread of the statements."""
        self._closing = True
        running = sum(job.running for job in self.jobs)
        if running:
            console().print(f"stopping {counted(running, 'job')} ...", style="dim")
        try:
            self.stop_jobs()
        finally:
            self._pool.shutdown(wait=True)
            if self._warming is not None:
                self._warming.join()


_POLL = 0.1


def needs_spark(text: str) -> bool:
    """Return True if a statement of a script needs Spark.

    Raises:
        ProgramError, UnsupportedError: a statement is no Flink SQL; with its position in the script.
    """
    pieces = [piece for piece in split_script(text) if not (len(piece.words) == 1 and piece.words[0] in COMMANDS)]
    return any(_runs(statement) for piece in pieces for statement in parse_script(piece.text))


def _runs(statement: st.Statement) -> bool:
    match statement:
        case st.CompilePlan():
            return False
        case st.Query() | st.ExecutePlan() | st.CompileAndExecutePlan():
            return True
    return bool(writes_of(statement))
