"""Runs embedded in a program: the shared Spark session, and background runs that return their rows."""

from __future__ import annotations

import atexit
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import ExitStack, contextmanager
from queue import Queue
from typing import TYPE_CHECKING, Any

from py4j.protocol import Py4JError
from pyspark.sql import SparkSession

from compiled_plan.plans.errors import CompiledPlanError, ExecutionError
from compiled_plan.plans.execution import dataframes
from compiled_plan.plans.execution.chunks import Chunk
from compiled_plan.plans.execution.connectors.collect import RECEIVERS
from compiled_plan.plans.execution.interfaces.connectors import resolved_table
from compiled_plan.plans.execution.run import Run
from compiled_plan.plans.execution.session import spark_session as sessions
from compiled_plan.plans.execution.session.configured import check_classic
from compiled_plan.plans.execution.session.lakes import with_lakes
from compiled_plan.plans.execution.session.options import RunOptions
from compiled_plan.plans.execution.session.settings import FIXED, PROVIDER, ROCKSDB
from compiled_plan.plans.execution.session.stopping import StuckError
from compiled_plan.plans.execution.spark.arrow import values_of
from compiled_plan.plans.execution.spark.failures import translate
from compiled_plan.plans.execution.spark.java import java_class
from compiled_plan.plans.execution.spark.logs import silence_py4j
from compiled_plan.plans.execution.stages.prepared import table_spec
from compiled_plan.plans.inspection.changes import most_rows
from compiled_plan.plans.nodes.sink import Sink
from compiled_plan.plans.secrets.values import Secrets
from compiled_plan.plans.types import RowType

if TYPE_CHECKING:
    from compiled_plan.plans.plan import CompiledPlan

_LOCK = threading.RLock()
_OWN = ExitStack()


def session(*, debug: bool = False, plans: Sequence[CompiledPlan] = ()) -> SparkSession:
    """The session that runs plans in this process: the active one if it is suitable, otherwise a new one.

    Args:
        debug: keep the logs of a new session.
        plans: the plans whose tables a new session can read and write.

    Raises:
        ExecutionError: the active session lacks the kernel or a setting, or is one of Spark Connect; no suitable Java.
    """
    if _STARTS:
        return _STARTS[-1].result()
    with _LOCK:
        active = _active()
        if active is not None:
            _check(active)
            return active
        if not debug:
            silence_py4j()
        conf = with_lakes({}, plans)
        opened = _OWN.enter_context(sessions.spark_session(conf=conf, verbose=False, open_to_users=True))
        atexit.register(_OWN.close)
        return opened


#: The start of the session in the background, if there is one.
_STARTS: list[Future[SparkSession]] = []


@contextmanager
def session_started(
    master: str, settings: Mapping[str, str], *, verbose: bool = False
) -> Iterator[Future[SparkSession]]:
    """Start the session for the runs of this context in the background; they wait for it, or raise its error.

    Args:
        master: as for `spark_session`.
        settings: as for `spark_session`.
        verbose: as for `spark_session`.
    """
    with ThreadPoolExecutor(1, thread_name_prefix="start") as pool, ExitStack() as closing:

        def start() -> SparkSession:
            active = _active()
            if active is not None:
                _check(active)
                return active
            return closing.enter_context(sessions.spark_session(master, settings, verbose=verbose))

        future = pool.submit(start)
        _STARTS.append(future)
        try:
            yield future
        finally:
            _STARTS.remove(future)
            wait([future])


def _active() -> SparkSession | None:
    """The active session of this thread, or the one that another thread has started; None if there is none."""
    check_classic({})
    started = SparkSession._instantiatedSession
    if started is None or started._sc._jsc is None:
        return None
    return SparkSession.getActiveSession() or started


def _check(active: SparkSession) -> None:
    for name, value in {**FIXED, PROVIDER: ROCKSDB}.items():
        if (present := active.conf.get(name)) != value:
            raise ExecutionError(
                f"the active Spark session has {name}={present}; plans run with {value}",
                remedy="stop it (spark.stop()) and let the product start its own, or set it to that",
            )
    try:
        _ = java_class(active._jvm, "org.compiledplan.kernel.host.input.OrderNumber").register
    except Py4JError:
        raise ExecutionError(
            "the active Spark session lacks the product's kernel",
            remedy="stop it (spark.stop()) and let the product start its own, or start it with "
            "spark.jars set to compiled_plan.plans.execution.kernel.kernel_jar()",
        ) from None


def start(
    plan: CompiledPlan, options: RunOptions, *, debug: bool = False, secrets: Secrets | None = None
) -> tuple[EmbeddedRun, RowType | None]:
    """Start a plan; return the run, and the columns of the rows that it collects (None if it collects none).

    Raises:
        UnsupportedError: the plan has something that does not run.
        ExecutionError: secrets are missing, or Spark does not start.
    """
    secrets = secrets or Secrets(options.secrets)
    secrets.collect(plan, options.warm_up_from)
    spark = session(debug=debug, plans=[plan])
    queue: Queue[object] = Queue(maxsize=_WAITING)
    plan, name, row_type = _received(plan)
    job = EmbeddedRun(queue, row_type or RowType(), most_rows(plan) if name else None)
    if name:
        RECEIVERS[name] = job.receive
    try:
        with _LOCK:
            run = Run(spark, plan, options, secrets=secrets)
    except Exception as fault:
        raise fault if isinstance(fault, CompiledPlanError) else translate(fault) from fault
    finally:
        if name:
            del RECEIVERS[name]
    job.begin(run)
    return job, row_type


#: Maximum number of micro-batches that wait for the program to read their rows.
_WAITING = 16


def _received(plan: CompiledPlan) -> tuple[CompiledPlan, str, RowType | None]:
    """The plan, the id of its collecting sink, and that sink's columns."""
    for node in plan.sinks:
        if isinstance(node, Sink):
            options = resolved_table(node).options or {}
            if options.get("connector") == "collect":
                return plan, options.get("id", ""), table_spec(node).columns
    return plan, "", None


class EmbeddedRun:
    """A run in a thread of its own. See `api.results.job.Job`.

    Args:
        queue: the rows of micro-batches until they are read.
        row_type: the columns of the collected rows; empty if none are collected.
        most: the maximum number of rows, after which the run ends; None if it is unknown.
    """

    def __init__(self, queue: Queue[Any], row_type: RowType, most: int | None = None) -> None:
        self.id = uuid.uuid4().hex
        self._left = most
        self._ending = threading.Lock()
        self._reports: list[Callable[[BaseException | None, bool], None]] | None = []
        self._queue, self._row_type = queue, row_type
        self._run: Run | None = None
        self._thread: threading.Thread | None = None
        self._fault: BaseException | None = None
        self._closed = False
        self._began = self._ended = time.monotonic()
        self._collects = bool(row_type.fields)

    def begin(self, run: Run) -> None:
        """Start the thread. A program waits at exit for a bounded run, unless the run only collects."""
        self._run = run
        background = self._collects or not run.bounded
        self._thread = threading.Thread(target=self._work, name=f"plan-{self.id}", daemon=background)
        self._thread.start()

    def _work(self) -> None:
        assert self._run is not None
        try:
            self._run.execute()
        except Exception as fault:
            self._fault = fault if isinstance(fault, CompiledPlanError) else translate(fault)
            self._fault.__cause__ = self._fault.__cause__ or (None if self._fault is fault else fault)
        except BaseException as fault:
            self._fault = fault
        finally:
            self._ended = time.monotonic()
            with self._ending:
                reports, self._reports = self._reports or [], None
            for report in reports:
                report(self._fault, self._closed)
            self._put(None)

    def on_end(self, report: Callable[[BaseException | None, bool], None]) -> None:
        """Call `report` at the end of the run; at once if it has ended."""
        with self._ending:
            if self._reports is not None:
                self._reports.append(report)
                return
        report(self._fault, self._closed)

    @property
    def bounded(self) -> bool:
        """True if all sources end."""
        assert self._run is not None
        return self._run.bounded

    @property
    def runtime_ms(self) -> int:
        """The duration of an ended run in milliseconds."""
        return int(1000 * (self._ended - self._began))

    def receive(self, rows: Any) -> None:
        """Buffer the rows of a micro-batch: an Arrow table of `kind`, `f0`, ...; the last ones end the run."""
        self._put(rows)
        if self._left is None:
            return
        self._left -= rows.num_rows
        if self._left <= 0:
            assert self._run is not None
            self._run.stop()

    def _put(self, item: object) -> None:
        if self._collects and not self._closed:
            self._queue.put(item)

    def chunks(self) -> Iterator[Chunk]:
        """Iterate over the rows as they arrive; raise the fault of the run."""
        types = self._row_type.types
        while (rows := self._queue.get()) is not None:
            kinds = rows.column(0).to_pylist()
            columns = [values_of(rows.column(at + 1), type_) for at, type_ in enumerate(types)]
            yield Chunk(kinds, columns)
        self.wait(None)

    def is_ready(self, seconds: float) -> bool:
        """Wait until `chunks` has its next item, or the end; return False on timeout."""
        arrival = self._queue.not_empty
        with arrival:
            return arrival.wait_for(lambda: bool(self._queue.queue), seconds)

    def stop(self) -> None:
        """Stop the run, and wait for its end; no effect after it.

        Raises:
            StuckError: it did not end.
        """
        with self._ending:
            # An ended run keeps its rows; a fault from before the stop is still raised to readers.
            self._closed = self._closed or (self._reports is not None and self._fault is None)
        if not self._closed:
            return
        if self._run is not None:
            self._run.stop()
        while self._thread is not None and self._thread.is_alive():
            self._drain()
            self._thread.join(0.05)
        self._drain()
        self._queue.put(None)
        if isinstance(self._fault, StuckError):
            raise self._fault

    def _drain(self) -> None:
        while not self._queue.empty():
            self._queue.get_nowait()

    def wait(self, seconds: float | None) -> bool:
        """Wait for the end; return False on timeout. Raise the fault of the run."""
        if self._thread is not None:
            self._thread.join(seconds)
            if self._thread.is_alive():
                return False
        if self._fault is not None and not self._closed:
            raise self._fault
        return True

    def frame(self, kind: str, chunks: Sequence[Chunk], row_type: RowType) -> Any:
        """Rows as a DataFrame of pandas, PyArrow or Spark."""
        return dataframes.frame_of(kind, chunks, row_type, session)
