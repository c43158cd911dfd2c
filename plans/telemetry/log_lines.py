"""The messages of a run as log lines with time and level: `2026-03-01T10:00:00.000Z INFO batch 0: ...`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime

from compiled_plan.plans.telemetry.listeners import Message, lag_of
from compiled_plan.plans.text.masking import masked_text
from compiled_plan.plans.text.visible import counted, visible

#: The shortest and the longest interval of lines on micro-batches, in seconds, and its growth per line.
FIRST, LONGEST, GROWTH = 60.0, 600.0, 2.0
#: The maximum length of a position; that of a Kafka topic has an entry for each partition.
_LENGTH = 400


def run_line(message: Message) -> str:
    """The first line of a run: product, plan, kind of end, checkpoint."""
    return f"compiled-plan {message['product']} runs {message['plan']} {course(message)}"


def course(message: Message) -> str:
    """The kind of a run's end, and its checkpoint, from the message of its start."""
    how = "until its input ends" if message["bounded"] else "until it is stopped"
    return how + (f", checkpoint {message['checkpoint']}" if message.get("checkpoint") else "")


def end_line(message: Message) -> str:
    """The last line of a run."""
    how = "stopped" if message["stopped"] else "finished"
    text = f"{how} after {counted(message['batches'], 'batch')}, {counted(message['rowsIn'], 'row')} in"
    return text + (f", {counted(message['deadLetters'], 'dead letter')}" if message["deadLetters"] else "")


def wrong_accounts(message: Message) -> list[str]:
    """The operators of a micro-batch whose rows or entries of state do not add up: a fault of the product."""
    texts = []
    for operator in message["operators"]:
        if unaccounted := operator.get("unaccounted"):
            numbers = (unaccounted["rows"], "row"), (unaccounted["entries"], "state row")
            missing = " and ".join(counted(number, word) for number, word in numbers if number)
            texts.append(f"operator {operator['uid']} does not account for {missing}, please report it")
    return texts


class LogLines:
    """Writes log lines: the start, the first micro-batch and then summaries at growing intervals, the end.

    A failure has no line, since the command prints its error.

    Args:
        write: writes a line.
    """

    def __init__(self, write: Callable[[str], object]) -> None:
        self._write = write
        self._pending: list[Message] = []
        self._late = 0
        self._wrong: list[str] = []
        self._written_at: datetime | None = None
        self._interval = FIRST

    def tell(self, message: Message) -> None:
        """Write the lines of a message."""
        match message["event"]:
            case "start":
                self._lines(message, start_lines(message))
            case "upgrade":
                texts = [step["text"] for step in message["steps"]]
                self._lines(message, [f"the state migrates in {counted(len(texts), 'step')}", *texts])
            case "step":
                self._lines(message, [f"migration step {message['number']} begins"])
            case "corrected":
                self._lines(message, [f"corrected {message['table']}: {message['text']}"])
            case "batch":
                self._batch(message)
            case "end":
                self._summary()
                self._lines(message, [end_line(message)])
            case "failed":
                self._summary()

    def close(self) -> None:
        """Do nothing: the output belongs to the caller."""

    def _lines(self, message: Message, texts: Iterable[str], level: str = "INFO") -> None:
        for text in texts:
            self._write(f"{message['at']} {level} {visible(masked_text(text))}")

    def _batch(self, message: Message) -> None:
        self._pending.append(message)
        now = datetime.fromisoformat(message["at"])
        if self._written_at is None:
            self._written_at = now
            self._summary()
        elif (now - self._written_at).total_seconds() >= (FIRST if self._doubts() else self._interval):
            self._written_at, self._interval = now, min(LONGEST, self._interval * GROWTH)
            self._summary()

    def _doubts(self) -> list[str]:
        """Dead letters, late rows and wrong accounts of the micro-batches since the last line."""
        letters = sum(message["deadLetters"] for message in self._pending)
        late = _late(self._pending[-1]) - self._late
        doubts = [(letters, "dead letter"), (late, "late row")]
        wrong = [text for text in wrong_accounts(self._pending[-1]) if text not in self._wrong]
        return [*(counted(number, word) for number, word in doubts if number > 0), *wrong]

    def _summary(self) -> None:
        """Write a line on the micro-batches since the last line."""
        if not self._pending:
            return
        first, last, doubts = self._pending[0], self._pending[-1], self._doubts()
        rows_in, rows_out, millis = (
            sum(message[name] for message in self._pending) for name in ("rowsIn", "rowsOut", "batchMillis")
        )
        head = f"batch {last['batch']}" if first is last else f"batches {first['batch']} to {last['batch']}"
        text = f"{head}: {counted(rows_in, 'row')} in, {rows_out} out"
        text += f", {millis} ms" if first is last else f", {millis // len(self._pending)} ms on average"
        lag = lag_of(last)
        parts = [text, *([] if lag is None else [f"lag {lag}"]), *doubts]
        self._lines(last, [", ".join(parts)], "WARN" if doubts else "INFO")
        self._late, self._wrong, self._pending = _late(last), wrong_accounts(last), []


def _late(message: Message) -> int:
    return sum(operator.get("rowsLate", 0) for operator in message["operators"])


def start_lines(message: Message) -> list[str]:
    """The lines of a start: the run, Spark, the sources with their positions."""
    spark: dict[str, object] = message["spark"]
    lines = [run_line(message), f"Spark {spark['version']} at {spark['master']}, UI {spark['ui'] or 'none'}"]
    for source in message["sources"]:
        position = source["position"]
        shown = "from its start position" if position is None else f"from {position}"
        lines.append(f"source {source['name']}: {shown if len(shown) <= _LENGTH else shown[:_LENGTH] + '...'}")
    return lines
