"""`execute-plan` ended by signals at chosen moments, start after start on one checkpoint: `python -m` runs many."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import sys
import time
import uuid
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from compiled_plan.environment import TableEnvironment

BIN = Path(sys.executable).parent
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
#: Files of the input, one per micro-batch, and their rows.
FILES, ROWS = 8, 50
#: The environment variable that marks the processes of a start.
_MARK = "SIGNALLED_START"
_SECONDS_TO_WAIT = 60
#: Lines of a report of progress.
_PROGRESS = re.compile(r"batch \d+: |  |[\w.-]+\.json: |finished after |stopped (after|by) |checkpoint: ")


@dataclass(frozen=True, slots=True)
class Ending:
    """The end of a start.

    Args:
        code: the exit code.
        stderr: what it printed.
        faults: what is wrong with it; empty if nothing.
    """

    code: int
    stderr: str
    faults: Sequence[str] = ()


@dataclass
class Starts:
    """Starts of plans on one checkpoint.

    Args:
        folder: an empty folder.
        migrates: later starts are of another program, which moves the state.
    """

    folder: Path
    migrates: bool = False
    plans: list[Path] = field(init=False)

    def __post_init__(self) -> None:
        (self.folder / "r").mkdir(parents=True)
        self.temporary.mkdir()
        for number in range(FILES):
            rows = ({"k": f"k{row % 7}", "v": number * ROWS + row} for row in range(ROWS))
            (self.folder / "r" / f"{number:02}.json").write_text("".join(json.dumps(row) + "\n" for row in rows))
        sums, counts = (
            f"INSERT INTO {table} SELECT k, {call} FROM r GROUP BY k;"
            for table, call in (("a", "SUM(v)"), ("b", "COUNT(*)"))
        )
        self.plans = [
            self._plan("first", sums),
            self._plan("second", f"EXECUTE STATEMENT SET BEGIN {sums} {counts} END;"),
        ]

    @property
    def temporary(self) -> Path:
        """The folder of temporary files."""
        return self.folder / "tmp"

    def _plan(self, name: str, statements: str) -> Path:
        tables = "".join(
            f"CREATE TABLE {table} (k STRING, v BIGINT) WITH ('connector' = 'filesystem', "
            f"'path' = '{self.folder / table}', 'format' = '{format_}');\n"
            for table, format_ in (("r", "json"), ("a", "debezium-json"), ("b", "debezium-json"))
        )
        path = self.folder / f"{name}.json"
        path.write_text(TableEnvironment().compile_script(tables + statements).to_json())
        return path

    def start(self, *, first: bool = False, number: int = 0, after: float | str = 0.0, to: str = "process") -> Ending:
        """Start, and send a signal.

        Args:
            first: start the first program; it reads a third of the input.
            number: the signal; 0 for none.
            after: the moment: seconds after the start, or a text of stderr that comes before it.
            to: its receiver: the process, its group, or java.
        """
        mark = uuid.uuid4().hex
        command = [str(BIN / "execute-plan"), "--checkpoint", str(self.folder / "cp"), "--available-now"]
        command += ["--max-files-per-batch", "1", "--upgrade", "migrate-partial", "--master", "local[1]"]
        command += ["--conf", "spark.driver.memory=1g", "--conf", "spark.sql.shuffle.partitions=1"]
        command += ["--conf", "spark.driver.extraJavaOptions=-XX:TieredStopAtLevel=1"]
        command.append(str(self.plans[1 if self.migrates and not first else 0]))
        environment = {**os.environ, _MARK: mark, "TMPDIR": str(self.temporary), "COMPILED_PLAN_CLASSES": "use"}
        before = self._left()
        with subprocess.Popen(
            command, env=environment, stderr=subprocess.PIPE, text=True, start_new_session=True, preexec_fn=_heeding
        ) as process:
            assert process.stderr is not None
            head = ""
            if isinstance(after, str):
                while after not in head and (line := process.stderr.readline()):
                    head += line
            else:
                time.sleep(after)
            if to == "java":
                _kill_java(process, mark)
            elif number:
                (os.killpg if to == "group" else os.kill)(process.pid, number)
            stderr = head + process.stderr.read()
            code = process.wait(_SECONDS_TO_WAIT)
        return Ending(code, stderr, list(self._faults(code, stderr, number, mark, before)))

    def _faults(self, code: int, stderr: str, number: int, mark: str, before: set[str]) -> Iterator[str]:
        killed = number == signal.SIGKILL
        if code not in ({0, 1} if killed else {128 + number, -number, 0} if number else {0}):
            yield f"exit code {code}"
        lines = [line for line in stderr.splitlines() if not _PROGRESS.match(line)]
        if killed and code == 1 and [line.startswith("error: ") for line in lines] != [True]:
            yield f"stderr has the lines {lines} instead of one error"
        if lines and not (killed and code == 1):
            yield f"stderr has the lines {lines}"
        if len(re.findall(r"^(?:finished|stopped) ", stderr, re.MULTILINE)) > 1:
            yield "two last lines"
        deadline = time.monotonic() + _SECONDS_TO_WAIT
        while (alive := _marked(mark)) and time.monotonic() < deadline:
            time.sleep(0.1)
        if alive:
            yield f"left processes: {alive}"
        if not killed and (left := self._left() - before):
            yield f"left in the folder of temporary files: {left}"

    def _left(self) -> set[str]:
        return {path.name for path in self.temporary.iterdir() if not path.name.startswith("hsperfdata")}

    def sums(self) -> dict[str, int]:
        """The result: the changes of the sink, applied."""
        sums: dict[str, int] = {}
        for file in sorted((self.folder / "a").glob("part-*")):
            for line in file.read_text().splitlines():
                change = json.loads(line)
                for side, step in (("before", -1), ("after", 1)):
                    if change[side]:
                        sums[change[side]["k"]] = sums.get(change[side]["k"], 0) + step * change[side]["v"]
        return sums

    def expected(self) -> dict[str, int]:
        """The right result."""
        sums: Counter[str] = Counter()
        for file in (self.folder / "r").glob("*.json"):
            for line in file.read_text().splitlines():
                sums[json.loads(line)["k"]] += json.loads(line)["v"]
        return dict(sums)

    def left(self) -> list[str]:
        """Unfinished files of the sinks."""
        return [str(path) for table in ("a", "b") for path in (self.folder / table).rglob("*") if path.name[0] in "._"]


def _kill_java(process: subprocess.Popen[str], mark: str) -> None:
    """Kill the JVM of a start once there is one, unless the start has ended."""
    while process.poll() is None:
        if java := [one for one in _processes(mark) if "SparkSubmit" in " ".join(one.info["cmdline"] or ())]:
            java[0].kill()
            return
        time.sleep(0.05)


def _heeding() -> None:
    """Undo the SIG_IGN of background processes of a shell."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _processes(mark: str) -> Iterator[psutil.Process]:
    """The live processes of a start."""
    for process in psutil.process_iter(["status", "cmdline"]):
        with suppress(psutil.Error):
            if process.environ().get(_MARK) == mark and process.info["status"] != psutil.STATUS_ZOMBIE:
                yield process


def _marked(mark: str) -> list[str]:
    return [" ".join(process.info["cmdline"] or ())[:80] for process in _processes(mark)]


def chain(
    folder: Path, seed: int, signals: int, seconds: float, *, migrates: bool, kills: bool = False
) -> Iterator[tuple[str, Ending]]:
    """Starts that are ended at random moments of a run of so many seconds, then one that runs to its end.

    Args:
        folder: a folder for their files.
        seed: determines the moments.
        signals: the number of starts that are ended.
        seconds: the length of a run.
        migrates: the program changes after the first start.
        kills: kill Spark's JVM, instead of signals to the command.
    """
    chance, starts = random.Random(seed), Starts(folder, migrates)
    if migrates:
        late = [path.rename(folder / path.name) for path in sorted((folder / "r").glob("*.json"))[4:]]
        yield "first program", starts.start(first=True)
        for path in late:
            path.rename(folder / "r" / path.name)
    for _ in range(signals):
        number = signal.SIGKILL if kills else chance.choice(SIGNALS)
        to, after = "java" if kills else chance.choice(("group", "process")), chance.uniform(0, seconds)
        yield f"{number.name} to {to} after {after:.2f} s", starts.start(number=number, after=after, to=to)
    ending = starts.start()
    faults = [*ending.faults]
    if starts.sums() != starts.expected():
        faults.append(f"wrong rows: {starts.sums()} instead of {starts.expected()}")
    if starts.left():
        faults.append(f"left: {starts.left()}")
    yield "to the end", Ending(ending.code, ending.stderr, faults)


if __name__ == "__main__":
    place, count, seconds, kills = Path(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]), "java" in sys.argv
    place.mkdir(parents=True, exist_ok=True)
    for seed in range(count // 5):
        for what, ending in chain(place / str(seed), seed, 5, seconds, migrates=seed % 3 == 2, kills=kills):
            print(seed, what, ending.code, "; ".join(ending.faults) or "good", flush=True)
            if ending.faults:
                (place / f"{seed}-{what.replace(' ', '-')}.log").write_text(ending.stderr)
