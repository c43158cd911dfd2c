"""`python -m tests.savepoints --million`: the import of a savepoint with 1,000,000 keys, measured."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from shutil import rmtree

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.plan import CompiledPlan
from tests.savepoints.flink import stop_plan
from tests.support.commands import ROOT

KEYS = 1_000_000
#: The part of a process' command line by which its peak memory is shown.
_ROLES: Mapping[str, str] = {"ReadSavepoint": "reader", "SparkSubmit": "Spark"}
_PROGRAM = """
SET 'table.exec.state.ttl' = '1 h';
CREATE TABLE sales (customer STRING, price BIGINT)
WITH ('connector' = 'filesystem', 'path' = '{folder}/sales', 'format' = 'json', 'source.monitor-interval' = '100 ms');
CREATE TABLE totals (customer STRING, total BIGINT, n BIGINT) WITH ('connector' = 'blackhole');
INSERT INTO totals SELECT customer, SUM(price), COUNT(*) FROM sales GROUP BY customer;
"""
_FORMS: Mapping[str, tuple[str, dict[str, str]]] = {
    "canonical, HashMap": ("CANONICAL", {"state.backend.type": "hashmap"}),
    "native, RocksDB": ("NATIVE", {"state.backend.type": "rocksdb"}),
}


@dataclass(frozen=True, slots=True)
class Figures:
    """An import.

    Args:
        form: the form of the savepoint, and the state backend.
        seconds: the duration of the command.
        peaks: peak memory in MB by process.
        load: the machine's load when it began.
    """

    form: str
    seconds: float
    peaks: Mapping[str, float]
    load: float

    def __str__(self) -> str:
        peaks = ", ".join(f"{role} {megabytes:.0f} MB" for role, megabytes in self.peaks.items())
        return f"{KEYS:,} keys, {self.form}: {self.seconds:.0f} s; {peaks}; load {self.load:.1f}"


def figures(work: Path) -> Iterator[Figures]:
    """Import a savepoint of each form on two cores.

    Args:
        work: a folder, which is emptied.
    """
    rmtree(work, ignore_errors=True)
    (work / "sales").mkdir(parents=True)
    with (work / "sales" / "0.json").open("w") as file:
        file.writelines(f'{{"customer": "customer-{key:07}", "price": {key % 1000}}}\n' for key in range(KEYS))
    plan = TableEnvironment().compile_script(_PROGRAM.replace("{folder}", str(work)))
    (work / "plan.json").write_text(plan.to_json())
    for number, (name, (form, options)) in enumerate(_FORMS.items()):
        # By default Flink keeps checkpoints in the memory of the JobManager, which bounds their size.
        files = {"execution.checkpointing.storage": "filesystem", "execution.checkpointing.dir": work.as_uri()}
        savepoint = stop_plan(
            CompiledPlan.read_file(work / "plan.json"), KEYS, work / "savepoints", options=files | options, form=form
        )
        yield _imported(name, savepoint, work / "plan.json", work / f"checkpoint-{number}")


def _imported(form: str, savepoint: Path, plan: Path, checkpoint: Path) -> Figures:
    command = [sys.executable, "-m", "compiled_plan.cli.import_state", str(savepoint), str(plan)]
    load, begin = os.getloadavg()[0], time.monotonic()
    process = subprocess.Popen(
        [*command, "--checkpoint", str(checkpoint), "--master", "local[2]"],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    peaks: dict[str, float] = {}
    over = threading.Event()
    thread = threading.Thread(target=_sample, args=(process.pid, peaks, over), daemon=True)
    thread.start()
    said, _ = process.communicate()
    seconds = time.monotonic() - begin
    over.set()
    thread.join()
    if process.returncode:
        raise RuntimeError(said)
    return Figures(form, seconds, peaks, load)


def _sample(pid: int, peaks: dict[str, float], over: threading.Event) -> None:
    while not over.wait(0.25):
        for process in _descendants(pid):
            with contextlib.suppress(OSError, IndexError):
                line = Path(f"/proc/{process}/cmdline").read_text()
                status = Path(f"/proc/{process}/status").read_text()
                role = next((role for part, role in _ROLES.items() if part in line), "")
                if role:
                    peak = int(status.partition("VmHWM:")[2].split()[0]) / 1024
                    peaks[role] = max(peaks.get(role, 0.0), peak)


def _descendants(pid: int) -> Iterator[int]:
    with contextlib.suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            for child in map(int, (task / "children").read_text().split()):
                yield child
                yield from _descendants(child)
