"""Progress output and signal handling of a run."""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, NoReturn

from compiled_plan.cli.common.terminal import ExitCode, console
from compiled_plan.plans.errors import CompiledPlanError, ExecutionError
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.telemetry.listeners import Listener, Message, failed_message, now_text
from compiled_plan.plans.text.visible import counted

if TYPE_CHECKING:
    from compiled_plan.plans.execution.batches.following import RunResult
    from compiled_plan.plans.execution.batches.progress import BatchProgress
    from compiled_plan.plans.execution.run import Run
    from compiled_plan.plans.execution.upgrade.decision import Decision

INTERRUPTED = {signal.SIGINT: ExitCode.INTERRUPTED, signal.SIGTERM: ExitCode.TERMINATED}


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


class Stop:
    """SIGINT and SIGTERM handling: the first signal stops the run; a second one or a timeout ends the process.

    Args:
        path: the plan file, for messages.
        seconds: the timeout after the first signal.
    """

    def __init__(self, path: str, seconds: float) -> None:
        self.path, self.seconds = path, seconds
        self.signal: signal.Signals | None = None
        self.watch: threading.Timer | None = None
        self._run: Run | None = None
        self._out_of_time = False

    @contextmanager
    def heeded_by(self, run: Run) -> Iterator[None]:
        """Handle signals for this run."""
        self._run = run
        before = {number: signal.signal(number, self.on_signal) for number in INTERRUPTED}
        try:
            yield
        finally:
            if self._out_of_time and self.watch is not None:
                # Its thread ends the process with the signal's code; the failure of the killed Spark is no other error.
                self.watch.join()
            for number, handler in before.items():
                signal.signal(number, handler)

    def on_signal(self, number: int, frame: FrameType | None) -> None:
        """Handle a signal."""
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
        os.write(2, f"error: {self.path}: {why}: process ended, committed data is safe\n".encode())
        kill_spark()
        self._run.remove_temporary()
        os._exit(INTERRUPTED[self.signal])


class Progress:
    """Progress of a run, to stderr (text or JSON lines) and to listeners.

    Args:
        path: the plan file.
        as_json: print JSON lines.
        quiet: print no progress.
        listeners: receivers of the same messages.
    """

    def __init__(self, path: str, as_json: bool, quiet: bool, listeners: Sequence[Listener] = ()) -> None:
        self.path = path
        self.as_json = as_json
        self.quiet = quiet
        self.listeners = listeners

    def steps(self, run: Run, plan: CompiledPlan) -> None:
        """Print the stages of a run and the restored state (dry run)."""
        from compiled_plan.cli.common.upgrading import decision_dict, decision_lines
        from compiled_plan.plans.execution.explain import stages_of, stages_text

        layout = stages_of(plan, run.options)
        if self.as_json:
            print_line(json.dumps({**decision_dict(run.upgrade), **layout.model_dump(by_alias=True)}))
        else:
            print_line("\n".join([stages_text(layout), *decision_lines(run.upgrade)]))

    def start(self, run: Run) -> None:
        """Report the start of the run."""
        if run.upgrade is not None and run.upgrade.moves:
            self._moving(run.upgrade)
        how = "until its input ends" if run.bounded else "until it is stopped"
        self._send({"event": "start", "version": 1, "plan": self.path, "bounded": run.bounded})
        run.start.on_step = self._step
        if self.as_json:
            return
        if not self.quiet:
            console().print(f"{Path(self.path).name}: running {how}", highlight=False)

    def _moving(self, decision: Decision) -> None:
        from compiled_plan.cli.common.upgrading import decision_dict, decision_lines

        self._send({"event": "upgrade", "version": 1, **decision_dict(decision)})
        if not self.as_json and not self.quiet:
            console().print("\n".join(decision_lines(decision)), highlight=False)

    def _step(self, number: int) -> None:
        """Report the start of an upgrade step."""
        self._send({"event": "step", "number": number})

    def batch(self, progress: BatchProgress) -> None:
        """Report a finished micro-batch."""
        self._send(progress.to_dict())
        if not self.as_json and not self.quiet:
            rows = counted(progress.rows_in, "row")
            head = f"batch {progress.batch}: {rows} in, {progress.rows_out} out, {progress.millis} ms"
            if progress.dead_letters:
                head += f", {counted(progress.dead_letters, 'dead letter')}"
            lines = [
                f"  {o.uid}: {counted(o.rows_in, 'row')} in, {o.rows_out} out, {counted(o.state_rows, 'state row')}"
                + (f", {counted(o.rows_late, 'late row')}" if o.rows_late else "")
                for o in progress.operators
            ]
            console().print("\n".join([head, *lines]), highlight=False)

    def end(self, result: RunResult) -> None:
        """Report the end of the run."""
        message = {"event": "end", "batches": result.batches, "rowsIn": result.rows_in, "rowsOut": result.rows_out}
        self._send({**message, "stopped": result.stopped, "deadLetters": result.dead_letters})
        if not self.as_json and not self.quiet:
            how = "stopped" if result.stopped else "finished"
            text = f"{how} after {counted(result.batches, 'batch')}, {counted(result.rows_in, 'row')} in"
            text += f", {counted(result.dead_letters, 'dead letter')}" if result.dead_letters else ""
            console().print(text, highlight=False)

    def failed(self, fault: CompiledPlanError) -> None:
        """Report a refusal or failure to listeners; the caller prints the error."""
        self._send(failed_message(fault, self.path))

    def _send(self, message: Message) -> None:
        stamped = {**message, "at": message.get("at") or now_text()}
        for listener in self.listeners:
            listener.tell(stamped)
        if self.as_json:
            sys.stderr.write(json.dumps(stamped) + "\n")
            sys.stderr.flush()
