"""Operators of the kernel without Spark: a JVM that answers JSON requests, and helpers for changelogs."""

from __future__ import annotations

import json
import subprocess
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.kernel.specs import whole
from tools import build_kernel

INSERT, UPDATE_BEFORE, UPDATE_AFTER, DELETE = range(4)
KINDS = {"+I": INSERT, "-U": UPDATE_BEFORE, "+U": UPDATE_AFTER, "-D": DELETE}
NAMES = {number: name for name, number in KINDS.items()}

Values = tuple[Any, ...]
Table = Counter[Values]


@dataclass(frozen=True)
class Change:
    """One changelog row at an operator: kind (`+I`, ...), values, input and key.

    `watermark` is the one at the row's arrival; None: the row is never late. `at` is the event time that a timer emits.
    """

    kind: str
    values: Values
    port: int = 0
    key: str = ""
    watermark: int | None = None
    at: int | None = None

    @property
    def adds(self) -> bool:
        """Return True for +I and +U."""
        return self.kind in ("+I", "+U")


@dataclass(frozen=True)
class Step:
    """A micro-batch: its processing time in ms, its rows, the new spec after a restart, and its watermark in ms.

    `mapping`: moves the state to the operator of the new spec; without it the operator reads the bytes unchanged.
    """

    time: int
    rows: Sequence[Change]
    spec: dict[str, Any] | None = None
    watermark: int | None = None
    mapping: dict[str, Any] | None = None


@dataclass(frozen=True)
class Savepoint:
    """State of a Flink operator: its entries in the neutral form, without the operator's id.

    `time`: the processing time of the import; `written`: the time of last write of entries without one;
    `facts`: see the kernel's `FlinkMapping.Target`.
    """

    entries: Sequence[Mapping[str, Any]]
    time: int = 0
    watermark: int | None = None
    written: int = 0
    facts: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Answer:
    """Output of a step, the state after it, and its account: rows by outcome, changes of entries by reason.

    `uses`: by state entry, the uses by the end of their range of ages, in ms.
    """

    out: list[Change]
    late: int
    state_rows: int
    keys: int
    timers: int
    outcomes: Mapping[str, int]
    changes: Mapping[str, int]
    uses: tuple[Mapping[int, int], ...]


class OperatorError(Exception):
    """The operator failed; the message is that of the Java exception."""


def java_command(*libraries: Path) -> list[str]:
    """Java command with the kernel, its tests and Spark's jars on the class path; append a class name and arguments."""
    jars = (build_kernel.TESTS.jar, build_kernel.PRODUCT.jar, *libraries, build_kernel.spark_jars() / "*")
    return ["java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", ":".join(map(str, jars))]


class Harness:
    """A running `OperatorHarness`."""

    def __init__(self) -> None:
        """Start the JVM; Jackson is the only jar of Spark's that it needs."""
        self._process = subprocess.Popen(
            [*java_command(), "org.compiledplan.kernel.harness.OperatorHarness"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )

    def create(self, spec: dict[str, Any]) -> None:
        """Create an operator from a complete spec.

        Raises:
            OperatorError: the kernel refuses the spec.
        """
        self._answered({"spec": spec, "steps": []})

    def run(
        self,
        spec: dict[str, Any],
        steps: Iterable[Step],
        states: Mapping[str, bytes] | None = None,
        savepoint: Savepoint | None = None,
    ) -> list[Answer]:
        """Run micro-batches through a new operator that starts with these states, or with those of a savepoint.

        Runs them again with the state moved to another checkpoint between each two, and with the rows of a key folded
        first: the output must stay the same and no state may stay longer. And again with each state passed back
        as written: the output must stay the same.

        Raises:
            OperatorError: the operator failed.
        """
        steps = list(steps)
        more = {} if savepoint is None else {"savepoint": _savepoint(savepoint)}
        answer = self._ask(spec, steps, states, **more)
        answers = [_answer(step) for step in answer["steps"]]
        moved = self._ask(spec, steps, states, reseeds=True, folds=True, **more)
        for number, step in enumerate(moved["steps"]):
            assert _answer(step).out == answers[number].out, f"after a move, micro-batch {number} gives something else"
            outcomes, folded = answers[number].outcomes, _answer(step).outcomes
            assert folded == outcomes, f"folded, micro-batch {number} has other outcomes: {folded}, not {outcomes}"
            assert _answer(step).uses == answers[number].uses, f"folded, micro-batch {number} has other ages at uses"
            assert _answer(step).keys <= answers[number].keys, f"after a move, micro-batch {number} forgets less"
        recorded = self._ask(spec, steps, states, keeps=True, **more)
        for number, step in enumerate(recorded["steps"]):
            assert _answer(step).out == answers[number].out, (
                f"with states kept, micro-batch {number} gives something else"
            )
            recorded_answer = _answer(step)
            assert (recorded_answer.outcomes, recorded_answer.changes, recorded_answer.uses) == (
                answers[number].outcomes,
                answers[number].changes,
                answers[number].uses,
            )
        return answers

    def once(self, spec: dict[str, Any], steps: Iterable[Step]) -> list[Answer]:
        """Like `run`, without the repetitions: for thousands of micro-batches.

        Raises:
            OperatorError: the operator failed.
        """
        return [_answer(step) for step in self._ask(spec, steps, None)["steps"]]

    def writes(self, spec: dict[str, Any], steps: Iterable[Step], *, keeps: bool = False) -> int:
        """Like `run`; the number of state writes. With `keeps`, state is written every three micro-batches.

        Raises:
            OperatorError: the operator failed.
        """
        return int(self._ask(spec, steps, None, keeps=keeps)["writes"])

    def states(
        self,
        spec: dict[str, Any],
        steps: Iterable[Step],
        states: Mapping[str, bytes] | None = None,
        *,
        keeps: bool = False,
    ) -> dict[str, Any]:
        """Like `run`; the state at the end: its `format`, and by key the `bytes` and their decoded form `means`.

        Raises:
            OperatorError: the operator failed, or does not know the state's format.
        """
        answer = self._ask(spec, steps, states, showStates=True, keeps=keeps)
        return {"format": answer["format"], "states": answer["states"]}

    def exported(self, spec: dict[str, Any], savepoint: Savepoint) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        """Flink's states of an operator that has started with a savepoint, and their entries.

        Raises:
            OperatorError: the operator's state is not converted into Flink's.
        """
        answer = self._ask(spec, [], None, savepoint=_savepoint(savepoint), exports=True)
        return answer["described"], answer["lines"]

    def forms(self) -> tuple[dict[str, int], dict[str, int]]:
        """All state formats of operators and all accumulator formats, with their versions."""
        spec = {"uid": "any", "type": "row-counter", "inputTypes": [[]], "outputTypes": []}
        answer = self._ask(spec, [], None, showForms=True)
        return answer["kinds"], answer["forms"]

    def _ask(
        self, spec: dict[str, Any], steps: Iterable[Step], states: Mapping[str, bytes] | None, **more: Any
    ) -> dict[str, Any]:
        request = {
            "spec": whole(spec),
            "steps": [_step(step) for step in steps],
            "states": {key: state.hex() for key, state in (states or {}).items()},
            **more,
        }
        return self._answered(request)

    def _answered(self, request: dict[str, Any]) -> dict[str, Any]:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        if "error" in answer:
            raise OperatorError(answer["error"])
        return answer

    def close(self) -> None:
        """Stop the JVM."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(timeout=10)


def _savepoint(savepoint: Savepoint) -> dict[str, Any]:
    fields = {"time": savepoint.time, "written": savepoint.written, "entries": list(savepoint.entries)}
    fields["facts"] = savepoint.facts or {}
    return fields | _watermark(savepoint.watermark)


def _step(step: Step) -> dict[str, Any]:
    rows = [
        {"key": r.key, "port": r.port, "kind": KINDS[r.kind], "values": r.values, **_watermark(r.watermark)}
        for r in step.rows
    ]
    return {
        "time": step.time,
        "rows": rows,
        "spec": step.spec and whole(step.spec),
        "mapping": step.mapping,
        **_watermark(step.watermark),
    }


def _watermark(time: int | None) -> dict[str, int]:
    return {} if time is None else {"watermark": time}


def _answer(step: dict[str, Any]) -> Answer:
    out = [Change(NAMES[r["kind"]], _frozen(r["values"]), -1, r["key"], at=r.get("at")) for r in step["out"]]
    uses = tuple({int(end): count for end, count in entry.items()} for entry in step["uses"])
    state = step["stateRows"], step["keys"], step["timers"]
    return Answer(out, step["late"], *state, step["outcomes"], step["changes"], uses)


def _frozen(value: Any) -> Any:
    return tuple(_frozen(item) for item in value) if isinstance(value, list) else value


def add_up(changes: Iterable[Change], table: Table | None = None) -> Table:
    """The table that a changelog results in; a retracted row must exist."""
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
