"""Flink in a virtual environment of its own, and jobs run on it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.bench.harness import ROOT, BenchError, PeakMemory
from tests.bench.nexmark.times import Times

VERSION = "2.3.0"
ENVIRONMENT = ROOT / "build" / f"flink-{VERSION}"

#: Settings of a user on this machine: state in RocksDB with memory of its own, mini-batch as in Flink's
#: page "Performance Tuning". Checkpoints are off, as is Flink's default.
TUNED: Mapping[str, str] = {
    "parallelism.default": "2",
    "state.backend.type": "rocksdb",
    "taskmanager.memory.managed.size": "1 gb",
    "pipeline.object-reuse": "true",
    "table.local-time-zone": "UTC",
    "table.exec.mini-batch.enabled": "true",
    "table.exec.mini-batch.allow-latency": "5 s",
    "table.exec.mini-batch.size": "5000",
}
#: One task, for reproducible results.
ONE_TASK: Mapping[str, str] = {"parallelism.default": "1", "table.local-time-zone": "UTC"}
BATCH: Mapping[str, str] = {**ONE_TASK, "execution.runtime-mode": "batch"}


def flink_python() -> Path:
    """The Python of Flink's environment, which is created if missing; FLINK_PYTHON names another one.

    Raises:
        BenchError: it cannot be created.
    """
    if interpreter := os.environ.get("FLINK_PYTHON"):
        return Path(interpreter)
    python = ENVIRONMENT / "bin" / "python"
    ready = ENVIRONMENT / ".ready"
    if not ready.exists():
        sys.stderr.write(f"installing Flink {VERSION} into {ENVIRONMENT} (some minutes)\n")
        _run([sys.executable, "-m", "venv", "--clear", str(ENVIRONMENT)])
        _run([str(python), "-m", "pip", "-qq", "--disable-pip-version-check", "install", f"apache-flink=={VERSION}"])
        ready.touch()
    return python


def _run(command: Sequence[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise BenchError(
            f"{' '.join(command)}\nended with {done.returncode}\n{done.stderr[-2000:]}\n"
            "Flink 2.3 needs Python 3.9 to 3.12; set FLINK_PYTHON to one that has apache-flink"
        )


def run_jobs(jobs: Sequence[Sequence[str]], options: Mapping[str, str], folder: Path) -> Times:
    """Run jobs one after another in one JVM; the times of each, from its submission to its end.

    Args:
        jobs: the statements of each, the last of which is the INSERT.
        options: of Flink, for all of them.
        folder: the working folder of the process.

    Raises:
        BenchError: a job failed.
    """
    from compiled_plan.plans.execution.kernel import use_suitable_java

    use_suitable_java()
    script = Path(__file__).with_name("jobs.py")
    process = subprocess.Popen(
        [str(flink_python()), str(script)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=folder,
    )
    with PeakMemory(process.pid) as peak:
        out, said = process.communicate(json.dumps({"options": options, "jobs": jobs}))
    answers = [json.loads(line) for line in out.splitlines() if line.startswith("{")]
    for answer in answers:
        if "error" in answer:
            raise BenchError(f"Flink: {answer['error']}")
    if process.returncode or len(answers) != len(jobs):
        raise BenchError(f"Flink ended with {process.returncode}\n{said[-2000:]}")
    return Times(tuple(float(answer["seconds"]) for answer in answers), peak.megabytes)
