"""Progress output and signal handling of a run."""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from operator import sub
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, NoReturn, Protocol

from compiled_plan.cli.common.terminal import console, status
from compiled_plan.cli.common.upgrading import decision_dict, decision_lines
from compiled_plan.commands.interrupts import code_of, handled_by
from compiled_plan.plans.errors import CompiledPlanError, ExecutionError
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.telemetry.listeners import Listener, Message, failed_message, now_text
from compiled_plan.plans.telemetry.log_lines import course, end_line, wrong_accounts
from compiled_plan.plans.text.visible import counted
from compiled_plan.plans.version import product_version

if TYPE_CHECKING:
    from compiled_plan.plans.execution.batches.following import RunResult
    from compiled_plan.plans.execution.batches.progress import BatchProgress, OperatorProgress
    from compiled_plan.plans.execution.run import Run
    from compiled_plan.plans.execution.state.upgrade.corrections import Correction
    from compiled_plan.plans.execution.state.upgrade.decision import Decision


def print_line(line: str) -> None:
    """Print a line of data.

    Raises:
        ExecutionError: the reader of stdout has gone, like `head` after its last line.
    """
    try:
        sys.stdout.write(line + "\n")
        sys.stdout.flush()
        return
    except BrokenPipeError:
        # Unwritten data would fail again at exit.
        with Path(os.devnull).open("w") as nowhere:
            os.dup2(nowhere.fileno(), sys.stdout.fileno())
    raise ExecutionError("nobody reads stdout any more", remedy="read it to its end, or write into a file")


def _start_message(run: Run, path: str) -> dict[str, object]:
    """The message of a start: the plan, the product, Spark, and the positions from which sources continue."""
    from compiled_plan.plans.inspection.lineage.origins import tables_read

    tables = tables_read(run.prepared.plan).values()
    context = run.spark.sparkContext
    spark = {"version": run.spark.version, "master": context.master, "ui": context.uiWebUrl}
    reached = run.start.positions or dict.fromkeys(".".join(table.path) for table in tables)
    sources = [{"name": name, "position": position} for name, position in reached.items()]
    facts = {"plan": path, "bounded": run.bounded, "product": product_version(), "checkpoint": run.options.checkpoint}
    return {"event": "start", "version": 1, **facts, "spark": spark, "sources": sources}


class Stoppable(Protocol):
    """A run that can be stopped."""

    def stop(self) -> None:
        """Request its end; safe in a signal handler."""

    def remove_temporary(self) -> None:
        """Remove its temporary files."""


class Stop:
    """Signal handling of a run: the first signal stops the run; a second one or a timeout ends the process.

    Args:
        path: the plan file, for messages.
        seconds: the timeout after the first signal.
    """

    def __init__(self, path: str, seconds: float) -> None:
        self.path, self.seconds = path, seconds
        self.signal: signal.Signals | None = None
        self.watch: threading.Timer | None = None
        self._run: Stoppable | None = None
        self._out_of_time = False

    @contextmanager
    def heeded_by(self, run: Stoppable) -> Iterator[None]:
        """Handle signals for this run."""
        self._run = run
        with handled_by(self.on_signal):
            try:
                yield
            finally:
                if self._out_of_time and self.watch is not None:
                    # Its thread ends the process with the signal's code; the killed Spark's failure is no other error.
                    self.watch.join()

    def on_signal(self, number: int, frame: FrameType | None) -> None:
        """Stop the run; a second signal ends the process."""
        if self.signal is not None:
            self.end_now(f"{self.signal.name} came again")
        self.signal = signal.Signals(number)
        assert self._run is not None
        self._run.stop()
        # The timer also covers Spark's shutdown, which may wait for the task.
        self.watch = threading.Timer(self.seconds, self._end_in_time)
        self.watch.daemon = True
        self.watch.start()

    def _end_in_time(self) -> NoReturn:
        self._out_of_time = True
        self.end_now()

    def end_now(self, why: str = "") -> NoReturn:
        """End this process and Spark's."""
        from compiled_plan.plans.execution.session.stopping import kill_spark

        assert self.signal is not None and self._run is not None
        why = why or f"the run did not stop within {self.seconds:g} s of {self.signal.name}"
        # Not by sys.stderr: the signal may interrupt a write to it.
        line = "\n" if status.is_shown else ""
        os.write(2, f"{line}error: {self.path}: {why}: process ended, committed data is safe\n".encode())
        kill_spark()
        self._run.remove_temporary()
        os._exit(code_of(self.signal))


class Progress:
    """Progress of a run, to stderr (text or JSON lines) and to listeners.

    Text on a terminal is one line in place, unless `verbose`; otherwise there are lines for each micro-batch that reads
    or writes rows.

    Args:
        path: the plan file.
        as_json: print JSON lines.
        quiet: print no progress.
        listeners: receivers of the same messages.
        verbose: print lines on a terminal, too, and a heartbeat while no rows come.
        heartbeat_seconds: the interval of the heartbeat.
    """

    def __init__(
        self,
        path: str,
        as_json: bool,
        quiet: bool,
        listeners: Sequence[Listener] = (),
        *,
        verbose: bool = False,
        heartbeat_seconds: float = 30,
    ) -> None:
        self.path = path
        self.as_json = as_json
        self.listeners = listeners
        self._silent = quiet or as_json
        self._verbose = verbose and not self._silent
        self._in_place = not (verbose or self._silent) and status.is_possible()
        self._totals: dict[str, tuple[int, int, int]] = {}
        self._wrong: list[str] = []
        self._rows_in = self._rows_out = 0
        self._last_batch, self._active_at = -1, time.monotonic()
        self._over, self._heartbeat_seconds = threading.Event(), heartbeat_seconds

    def steps(self, run: Run, plan: CompiledPlan) -> None:
        """Print the stages of a run and the restored state (dry run)."""
        from compiled_plan.plans.execution.explain import stages_of, stages_text

        layout = stages_of(plan, run.options)
        if self.as_json:
            print_line(json.dumps({**decision_dict(run.upgrade), **layout.model_dump(by_alias=True)}))
        else:
            print_line("\n".join([stages_text(layout), *decision_lines(run.upgrade)]))

    def follow(self, run: Run) -> None:
        """Report the start of the run and its steps, once it holds its checkpoint."""
        run.start.on_begin = lambda: self._start(run)
        run.start.on_step = self._step
        run.start.on_corrected = self._corrected

    def _start(self, run: Run) -> None:
        if run.upgrade is not None and run.upgrade.migrates:
            self._moving(run.upgrade)
        message = _start_message(run, self.path)
        self._send(message)
        if not self._silent:
            console().print(f"{Path(self.path).name}: running {course(message)}", highlight=False)
        if self._verbose:
            threading.Thread(target=self._beat, daemon=True).start()

    def _moving(self, decision: Decision) -> None:
        self._send({"event": "upgrade", "version": 1, **decision_dict(decision)})
        if not self._silent:
            console().print("\n".join(decision_lines(decision)), highlight=False)

    def _step(self, number: int) -> None:
        """Report the start of an upgrade step."""
        self._send({"event": "step", "number": number})

    def _corrected(self, correction: Correction) -> None:
        """Report a correction that the table of a sink has got."""
        self._send({"event": "corrected", **correction.to_dict(), "text": correction.text})
        if not self._silent:
            console().print(f"corrected {correction.table}: {correction.text}", highlight=False)

    def batch(self, progress: BatchProgress) -> None:
        """Report a finished micro-batch to stderr and the listeners."""
        message = progress.to_dict()
        self._send(message)
        if self._silent:
            return
        self._warn(progress.batch, wrong_accounts(message))
        moved = [line for operator in progress.operators if (line := self._operator(operator))]
        self._last_batch = progress.batch
        if not (progress.rows_in or progress.rows_out or progress.dead_letters or moved):
            return
        self._active_at = time.monotonic()
        head = f"batch {progress.batch}: {counted(progress.rows_in, 'row')} in, {progress.rows_out} out"
        head += f", {counted(progress.dead_letters, 'dead letter')}" if progress.dead_letters else ""
        head += f", {progress.millis} ms"
        if self._in_place:
            self._rows_in, self._rows_out = self._rows_in + progress.rows_in, self._rows_out + progress.rows_out
            state = sum(operator.state_rows for operator in progress.operators)
            late = sum(operator.rows_late for operator in progress.operators)
            text = f"{head}; run: {self._rows_in} in, {self._rows_out} out"
            text += f", {counted(late, 'late row')}" if late else ""
            status.show(f"{text}; {counted(state, 'state row')}")
            return
        console().print("\n".join([head, *moved]), highlight=False)

    def _warn(self, batch: int, wrong: list[str]) -> None:
        """Warn of wrong accounts once, also in a micro-batch without rows: entries may expire in it."""
        for text in wrong:
            if text not in self._wrong:
                console().print(f"warning: batch {batch}: {text}", highlight=False)
        self._wrong = wrong

    def _operator(self, operator: OperatorProgress) -> str:
        """The line of an operator: its rows since the last micro-batch; empty if there are none."""
        totals = operator.rows_in, operator.rows_out, operator.rows_late
        rows_in, rows_out, late = map(sub, totals, self._totals.get(operator.uid, (0, 0, 0)))
        self._totals[operator.uid] = totals
        if not (rows_in or rows_out or late):
            return ""
        text = f"  {operator.uid}: {counted(rows_in, 'row')} in, {rows_out} out"
        text += f", {counted(operator.state_rows, 'state row')}"
        return text + (f", {counted(late, 'late row')}" if late else "")

    def _beat(self) -> None:
        """Report that the run is alive while no rows come."""
        while not self._over.wait(self._heartbeat_seconds):
            seconds = time.monotonic() - self._active_at
            if seconds >= self._heartbeat_seconds:
                last = f"last batch: {self._last_batch}" if self._last_batch >= 0 else "no batch yet"
                console().print(f"running, no rows for {seconds:.0f} s, {last}", highlight=False)

    def end(self, result: RunResult) -> None:
        """Report the end of the run."""
        self._over.set()
        message = {"event": "end", "batches": result.batches, "rowsIn": result.rows_in, "rowsOut": result.rows_out}
        message |= {"stopped": result.stopped, "deadLetters": result.dead_letters}
        self._send(message)
        if not self._silent:
            console().print(end_line(message), highlight=False)

    def failed(self, fault: CompiledPlanError) -> None:
        """Report a refusal or failure to listeners; the caller prints the error."""
        self._over.set()
        self._send(failed_message(fault, self.path))

    def _send(self, message: Message) -> None:
        stamped = {**message, "at": message.get("at") or now_text()}
        for listener in self.listeners:
            listener.tell(stamped)
        if self.as_json:
            sys.stderr.write(json.dumps(stamped) + "\n")
            sys.stderr.flush()
