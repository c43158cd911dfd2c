"""Figures of a run, computed from its latest messages: rates, percentiles, growth of state, busy operators, hot keys.

The page, the API and `/metrics` show these figures and compute none of their own.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from itertools import pairwise
from statistics import median
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from compiled_plan.plans.inspection.graph.document import Graph
from compiled_plan.plans.telemetry.listeners import Message, lag_of

#: The time that figures cover, in seconds, and the maximum number of micro-batches in it.
WINDOW, BATCHES = 900.0, 1000
#: The time that rates cover, in seconds: at least one micro-batch.
_RATE = 10.0
#: The minimum time from which a growth per hour is extrapolated, in seconds. Growth is measured over the later half of
#: the window: state that fills up after a start and then expires at the rate of its rows does not grow.
_GROWTH = 300.0
#: The time between the micro-batches from which growth is measured, in seconds: `BATCHES` short ones cover less.
_SAMPLE = 10.0
#: Without a micro-batch for this time, in seconds, or for three intervals, a run is idle.
_IDLE = 10.0
#: The time in which the longest delay counts as the last one, in seconds: a single slow micro-batch stays visible to
#: rules, which are evaluated every two seconds, to the page, and to Prometheus, which scrapes every 15 seconds or so.
_LAST = 15.0
#: The number of pauses between micro-batches from which the usual one is known.
_PAUSES = 3


Number = TypeVar("Number", int, float)


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True)


class Percentiles(_Part):
    """Percentiles over the last 15 minutes."""

    p50: float
    p99: float


class HotKeyFigures(_Part):
    """A key with many rows."""

    key: str
    share: float = Field(description="share of the operator's rows, from 0 to 1")


class OperatorFigures(_Part):
    """Figures of a stateful operator."""

    uid: str
    in_per_second: list[float] = Field(description="rows per second by input; empty if unknown")
    out_per_second: float | None
    late: int = Field(description="rows dropped as late since the start of the run")
    rows_by_outcome: dict[str, int] = Field(description="rows received since the start of the run, by outcome")
    state_changes: dict[str, int] = Field(description="changes of its state rows since the start, by reason")
    state_rows: int
    state_bytes: int | None
    rows_per_hour: float | None = Field(
        description="growth of its state rows over the later half of the last 15 minutes, per hour; null before a run"
        " is observed for five minutes"
    )
    bytes_per_hour: float | None = Field(description="growth of its state bytes, likewise")
    busy: float | None = Field(description="estimated share of the task slots' time, from 0 to 1")
    busiest: bool = Field(description="true for the operator with the largest share")
    hot_keys: list[HotKeyFigures]


class SourceFigures(_Part):
    """Throughput and lag of one source table."""

    name: str
    table: str
    nodes: list[int]
    per_second: float | None
    lag: int | None


class EdgeFigures(_Part):
    """Rows on an edge of the plan."""

    model_config = ConfigDict(frozen=True, serialize_by_alias=True)

    source: int = Field(alias="from")
    target: int = Field(alias="to")
    port: int
    per_second: float


class RunFigures(_Part):
    """Throughput and delays of a run in its last micro-batches."""

    at: str = Field(description="end of the last micro-batch")
    in_per_second: float | None
    out_per_second: float | None
    batch_ms: Percentiles
    delay_ms: Percentiles | None = Field(
        description="estimated time from a row's arrival at its source until it is written; None without rows"
    )
    last_delay_ms: float | None = Field(
        description="the longest delay in the last 15 seconds; without rows in them, that of the last rows"
    )
    watermark: str | None
    watermark_lag_ms: int | None = Field(description="time from the watermark to the end of the last micro-batch")
    lag: int | None = Field(description="unread records of all sources; None if unknown")
    state_bytes: int | None = Field(description="size of all state; None if unknown")
    bytes_per_hour: float | None = Field(description="growth of all state in bytes, likewise")
    sources: list[SourceFigures]
    operators: list[OperatorFigures]


class Window:
    """The micro-batches of the current run that figures cover."""

    def __init__(self, messages: Iterable[Message] = ()) -> None:
        self._batches: deque[Message] = deque(maxlen=BATCHES)
        self._samples: deque[Message] = deque()
        #: The sequence number of the last start or micro-batch; 0 for none.
        self.number = 0
        for message in messages:
            self.take(message)

    def take(self, message: Message) -> None:
        """Add a message; a start drops the micro-batches of the previous run."""
        if message["event"] == "start":
            self._batches.clear()
            self._samples.clear()
            self.number = message.get("seq", 0)
        if message["event"] != "batch":
            return
        self.number = message.get("seq", 0)
        self._batches.append(message)
        if not self._samples or _end(message) - _end(self._samples[-1]) >= _SAMPLE:
            self._samples.append(message)
        for messages in (self._batches, self._samples):
            while _end(messages[0]) < _end(message) - WINDOW:
                messages.popleft()

    @property
    def batches(self) -> Sequence[Message]:
        return tuple(self._batches)

    def figures(self, now: float | None = None) -> RunFigures | None:
        """The figures; None before the first micro-batch.

        Args:
            now: epoch seconds, after which rates of an idle run are 0; by default the end of the last micro-batch.
        """
        return _figures(list(self._batches), list(self._samples), now) if self._batches else None


def _end(batch: Message) -> float:
    return datetime.fromisoformat(batch["at"]).timestamp()


def _figures(batches: Sequence[Message], samples: Sequence[Message], now: float | None) -> RunFigures:
    last, ends = batches[-1], [_end(batch) for batch in batches]
    recent = _recent(batches, ends, now)
    delays = _delays(batches, ends)
    latest = [delay for end, delay in delays if end > (now or ends[-1]) - _LAST] or [delay for _, delay in delays[-1:]]
    watermark, operators = last["watermark"], _operators(last, samples, recent)
    return RunFigures(
        at=last["at"],
        in_per_second=recent.rate(sum(batch["rowsIn"] for batch in recent.counted)),
        out_per_second=recent.rate(sum(batch["rowsOut"] for batch in recent.counted)),
        batch_ms=_percentiles([batch["batchMillis"] for batch in batches]),
        delay_ms=_percentiles([delay for _, delay in delays]) if delays else None,
        last_delay_ms=round(max(latest), 1) if latest else None,
        watermark=watermark,
        watermark_lag_ms=_watermark_lag(watermark, ends[-1]),
        lag=lag_of(last),
        state_bytes=_sum(operator.state_bytes for operator in operators),
        bytes_per_hour=_sum(operator.bytes_per_hour for operator in operators),
        sources=[_source(source, recent) for source in last["sources"]],
        operators=operators,
    )


def _sum(values: Iterable[Number | None]) -> Number | None:
    """The sum of the known values; None without any."""
    known = [value for value in values if value is not None]
    return sum(known[1:], known[0]) if known else None


class _Recent:
    """The micro-batches that rates cover: those after `base`, and the seconds since its end; idle runs have none."""

    def __init__(self, base: Message | None, counted: Sequence[Message], seconds: float, *, idle: bool) -> None:
        self.base, self.counted, self.seconds, self.idle = base, counted, max(seconds, 0.001), idle

    def rate(self, rows: float) -> float | None:
        if self.idle:
            return 0.0
        return round(max(0.0, rows) / self.seconds, 2)


def _recent(batches: Sequence[Message], ends: Sequence[float], now: float | None) -> _Recent:
    steps = [after - before for before, after in pairwise(ends)]
    idle = now is not None and now - ends[-1] > max(_IDLE, 3 * median(steps) if steps else 0.0)
    if len(batches) == 1:
        return _Recent(None, batches, batches[0]["batchMillis"] / 1000, idle=idle)
    base = max((at for at, end in enumerate(ends[:-1]) if end <= ends[-1] - _RATE), default=0)
    return _Recent(batches[base], batches[base + 1 :], ends[-1] - ends[base], idle=idle)


def _percentiles(values: Sequence[float]) -> Percentiles:
    ordered = sorted(values)

    def at(share: float) -> float:
        # The nearest rank: a value that was measured.
        return round(ordered[max(0, -int(-share * len(ordered) // 1) - 1)], 1)

    return Percentiles(p50=at(0.5), p99=at(0.99))


def _delays(batches: Sequence[Message], ends: Sequence[float]) -> list[tuple[float, float]]:
    """The end of each micro-batch with rows, and the longest delay of its rows, in ms, estimated.

    A row that arrives just after a micro-batch was planned waits for its end, the pause, and the next micro-batch; and
    for the backlog at the rate of that micro-batch. A pause longer than the usual one is a time without rows.
    """
    starts = [end - batch["batchMillis"] / 1000 for batch, end in zip(batches, ends, strict=True)]
    pauses = [max(0.0, start - end) for start, end in zip(starts[1:], ends[:-1], strict=True)]
    usual = median(pauses) if len(pauses) >= _PAUSES else 0.0
    delays = []
    for at, batch in enumerate(batches):
        if not batch["rowsIn"]:
            continue
        before = batches[at - 1]["batchMillis"] / 1000 + min(pauses[at - 1], usual) if at else 0.0
        seconds = before + batch["batchMillis"] / 1000
        backlog = sum(source["lag"] or 0 for source in batch["sources"])
        delays.append((ends[at], 1000 * seconds * (1 + backlog / batch["rowsIn"])))
    return delays


def _watermark_lag(watermark: str | None, end: float) -> int | None:
    # The end of input moves the watermark to a year with more digits than Python parses.
    if watermark is None or watermark.startswith("+"):
        return None
    return round((end - datetime.fromisoformat(watermark).timestamp()) * 1000)


def _source(source: Mapping[str, Any], recent: _Recent) -> SourceFigures:
    key = _source_key(source)
    rows = sum(one["rows"] for batch in recent.counted for one in batch["sources"] if _source_key(one) == key)
    return SourceFigures(
        name=source["name"],
        table=source.get("table", ""),
        nodes=source.get("nodes", []),
        per_second=recent.rate(rows),
        lag=source["lag"],
    )


def _source_key(source: Mapping[str, Any]) -> tuple[object, ...]:
    return source["name"], source.get("table", ""), tuple(source.get("nodes", ()))


def _operators(last: Message, samples: Sequence[Message], recent: _Recent) -> list[OperatorFigures]:
    middle = _middle(samples, _end(last))
    hours = (_end(last) - _end(middle)) / 3600
    begun = {operator["uid"]: operator for operator in middle["operators"]} if hours * 3600 >= _GROWTH / 2 else {}
    base = {operator["uid"]: operator for operator in recent.base["operators"]} if recent.base else {}
    busy = {operator["uid"]: _busy(operator, base.get(operator["uid"]), last, recent) for operator in last["operators"]}
    most = max((share for share in busy.values() if share), default=None)
    operators = []
    for operator in last["operators"]:
        uid, before = operator["uid"], base.get(operator["uid"], {})
        inputs = _inputs(operator)
        earlier = _inputs(before) or [0] * len(inputs)
        operators.append(
            OperatorFigures(
                uid=uid,
                in_per_second=[recent.rate(now - then) or 0.0 for now, then in zip(inputs, earlier, strict=False)],
                out_per_second=recent.rate(operator["rowsOut"] - before.get("rowsOut", 0)),
                # Releases before 0.3 report no late rows.
                late=operator.get("rowsLate", 0),
                # Releases before 0.5 report no accounts.
                rows_by_outcome=operator.get("rowsInByOutcome", {}),
                state_changes=operator.get("stateChanges", {}),
                state_rows=operator["stateRows"],
                state_bytes=operator["stateBytes"],
                rows_per_hour=_growth(operator, begun.get(uid, {}), "stateRows", hours),
                bytes_per_hour=_growth(operator, begun.get(uid, {}), "stateBytes", hours),
                busy=busy[uid],
                busiest=most is not None and busy[uid] == most,
                hot_keys=[HotKeyFigures(**hot) for hot in operator.get("hotKeys", ())],
            )
        )
    return operators


def _middle(samples: Sequence[Message], end: float) -> Message:
    """The last sample of the earlier half of the time up to `end`."""
    half = (_end(samples[0]) + end) / 2
    return next((sample for sample in reversed(samples) if _end(sample) <= half), samples[0])


def _inputs(operator: Mapping[str, Any]) -> Sequence[int]:
    """Rows by input since the start of the run; empty if a release did not report them."""
    inputs: Sequence[int] = operator.get("rowsInByInput", ())
    return inputs


def _busy(
    operator: Mapping[str, Any], before: Mapping[str, Any] | None, last: Message, recent: _Recent
) -> float | None:
    if "busyMillis" not in operator:
        return None
    if recent.idle:
        return 0.0
    millis: float = operator["busyMillis"] - (before or {}).get("busyMillis", 0)
    slots: int = last["slots"]
    return round(min(1.0, max(0.0, millis / (recent.seconds * 1000 * slots))), 4)


def _growth(operator: Mapping[str, Any], first: Mapping[str, Any], key: str, hours: float) -> float | None:
    now, then = operator[key], first.get(key)
    return None if now is None or then is None else round((now - then) / hours, 1)


def edge_figures(graph: Graph, figures: RunFigures) -> list[EdgeFigures]:
    """Rows per second on the edges of a plan: those that an end counts; edges between other operators have none."""
    uids = {node.id: node.uid for node in graph.nodes}
    by_uid = {operator.uid: operator for operator in figures.operators}
    sinks = [node.id for node in graph.nodes if node.role == "sink"]
    edges = []
    for edge in graph.edges:
        source, target = by_uid.get(uids[edge.source]), by_uid.get(uids[edge.target])
        if target is not None and edge.port < len(target.in_per_second):
            rate: float | None = target.in_per_second[edge.port]
        elif source is not None:
            rate = source.out_per_second
        elif len(sinks) == 1 and edge.target == sinks[0]:
            rate = figures.out_per_second
        else:
            rate = _read(edge.source, figures.sources)
        if rate is not None:
            edges.append(EdgeFigures(**{"from": edge.source, "to": edge.target}, port=edge.port, per_second=rate))
    return edges


def _read(node: int, sources: Iterable[SourceFigures]) -> float | None:
    """Rows that a scan reads; None for other operators."""
    rates = [source.per_second for source in sources if node in source.nodes and source.per_second is not None]
    return sum(rates) if rates else None
