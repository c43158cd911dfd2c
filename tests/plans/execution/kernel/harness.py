"""Operators of the kernel without Spark: a JVM that answers JSON requests, and helpers for changelogs."""

from __future__ import annotations

import json
import subprocess
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

INSERT, UPDATE_BEFORE, UPDATE_AFTER, DELETE = range(4)
KINDS = {"+I": INSERT, "-U": UPDATE_BEFORE, "+U": UPDATE_AFTER, "-D": DELETE}
NAMES = {number: name for name, number in KINDS.items()}

Values = tuple[Any, ...]
Table = Counter[Values]


@dataclass(frozen=True)
class Change:
    """One changelog row at an operator: kind (`+I`, ...), values, input and key.

    `watermark` is that at which the row arrives; None: it is never late. `at` is the time that a timer gave to it.
    """

    kind: str
    values: Values
    port: int = 0
    key: str = ""
    watermark: int | None = None
    at: int | None = None

    @property
    def adds(self) -> bool:
        """Whether the row adds rather than takes back."""
        return self.kind in ("+I", "+U")


@dataclass(frozen=True)
class Step:
    """A micro-batch: its processing time in ms, its rows, the new spec after a restart, and its watermark in ms."""

    time: int
    rows: Sequence[Change]
    spec: dict[str, Any] | None = None
    watermark: int | None = None


@dataclass(frozen=True)
class Answer:
    """What came out of a step, and what is left in state after it."""

    out: list[Change]
    state_rows: int
    keys: int
    timers: int


class OperatorError(Exception):
    """The operator failed; the message is the Java exception's."""


class Harness:
    """A running `OperatorHarness`."""

    def __init__(self, jar: Path, spark_jars: Path) -> None:
        """Start the JVM; `spark_jars` is where Jackson is."""
        self._process = subprocess.Popen(
            [
                "java",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                f"{jar}:{spark_jars}/*",
                "org.compiledplan.kernel.harness.OperatorHarness",
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )

    def run(
        self, spec: dict[str, Any], steps: Iterable[Step], states: Mapping[str, bytes] | None = None
    ) -> list[Answer]:
        """Run micro-batches through a fresh operator, which finds these states of keys.

        Raises:
            OperatorError: the operator threw.
        """
        request = {
            "spec": spec,
            "steps": [_step(step) for step in steps],
            "states": {key: state.hex() for key, state in (states or {}).items()},
        }
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline())
        if "error" in answer:
            raise OperatorError(answer["error"])
        return [_answer(step) for step in answer["steps"]]

    def close(self) -> None:
        """End the JVM."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(timeout=10)


def _step(step: Step) -> dict[str, Any]:
    rows = [
        {"key": r.key, "port": r.port, "kind": KINDS[r.kind], "values": r.values, **_watermark(r.watermark)}
        for r in step.rows
    ]
    return {"time": step.time, "rows": rows, "spec": step.spec, **_watermark(step.watermark)}


def _watermark(time: int | None) -> dict[str, int]:
    return {} if time is None else {"watermark": time}


def _answer(step: dict[str, Any]) -> Answer:
    out = [Change(NAMES[r["kind"]], _frozen(r["values"]), -1, r["key"], at=r.get("at")) for r in step["out"]]
    return Answer(out, step["stateRows"], step["keys"], step["timers"])


def _frozen(value: Any) -> Any:
    return tuple(_frozen(item) for item in value) if isinstance(value, list) else value


def add_up(changes: Iterable[Change], table: Table | None = None) -> Table:
    """The table that a changelog leaves; a row that is taken back must be there."""
    table = Counter() if table is None else table
    for change in changes:
        if change.adds:
            table[change.values] += 1
        else:
            assert table[change.values] > 0, f"{change} takes back what is not in {table}"
            table[change.values] -= 1
            if not table[change.values]:
                del table[change.values]
    return table


def short(changes: Iterable[Change]) -> list[str]:
    """Changes as text, `+I(a, 1)`, for literal expectations."""
    return [f"{c.kind}({', '.join('null' if v is None else str(v) for v in c.values)})" for c in changes]


def batches(steps: Sequence[Sequence[Change]], time: int = 1000) -> list[Step]:
    """Micro-batches one second apart."""
    return [Step(time + 1000 * i, rows) for i, rows in enumerate(steps)]
