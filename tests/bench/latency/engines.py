"""Engines of the same program: this product in either mode, and Flink. Each runs as a process until it is stopped."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.bench.harness import ROOT, compile_plan
from tests.bench.nexmark import flink
from tools.maven import Artifact, fetched

#: Checkpoint interval in seconds: of real-time mode and of Flink.
CHECKPOINTS = 10
#: Flink's own connector, the newest on Maven Central.
FLINK_KAFKA = Artifact(
    "org.apache.flink",
    "flink-sql-connector-kafka",
    "5.0.0-2.2",
    "5605c691d11a501382c383fecba37a7a552467da5ab7ba904ef5d6f3d62c5616",
)
#: Flink tuned for latency: no mini-batch, and buffers are flushed after 1 ms as here, not after 100.
_FLINK: Mapping[str, str] = {
    "parallelism.default": "1",
    "state.backend.type": "rocksdb",
    "taskmanager.memory.managed.size": "1 gb",
    "pipeline.object-reuse": "true",
    "table.local-time-zone": "UTC",
    "execution.buffer-timeout.interval": "1 ms",
    "execution.checkpointing.interval": f"{CHECKPOINTS} s",
}
_STOPPING = 30
#: Starts a named program in a folder, with its output in a file.
Engine = Callable[[Sequence[str], Path, str, Path], subprocess.Popen[bytes]]


def _here(*options: str) -> Engine:
    def start(statements: Sequence[str], folder: Path, name: str, log: Path) -> subprocess.Popen[bytes]:
        plan = compile_plan(";\n".join(statements) + ";", folder, name)
        command = [sys.executable, "-m", "compiled_plan.cli.execute_plan", str(plan)]
        command += ["--checkpoint", str(folder / f"checkpoint_{name}"), "--conf", "spark.sql.shuffle.partitions=1"]
        return _started([*command, *options], folder, log)

    return start


def _on_flink(statements: Sequence[str], folder: Path, name: str, log: Path) -> subprocess.Popen[bytes]:
    from compiled_plan.plans.execution.kernel import use_suitable_java

    use_suitable_java()
    place = {
        "pipeline.jars": fetched(FLINK_KAFKA).as_uri(),
        "execution.checkpointing.dir": (folder / f"checkpoint_{name}").as_uri(),
    }
    request = folder / f"{name}.json"
    request.write_text(json.dumps({"options": {**_FLINK, **place}, "jobs": [list(statements)]}))
    script = Path(flink.__file__).with_name("jobs.py")
    return _started([str(flink.flink_python()), str(script)], folder, log, request)


def _started(command: Sequence[str], folder: Path, log: Path, source: Path | None = None) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    if source is not None:
        environment.pop("PYTHONPATH")
    with log.open("wb") as out, Path(source or os.devnull).open("rb") as stdin:
        return subprocess.Popen(
            command, cwd=folder, env=environment, stdin=stdin, stdout=out, stderr=out, start_new_session=True
        )


ENGINES: Mapping[str, Engine] = {
    "micro-batches": _here(),
    "real-time": _here("--trigger", f"real-time={CHECKPOINTS}s"),
    f"Flink {flink.VERSION}": _on_flink,
}


@contextmanager
def running(
    engine: str, statements: Sequence[str], folder: Path, name: str, log: Path
) -> Iterator[subprocess.Popen[bytes]]:
    """Run a program while a block runs.

    Args:
        engine: a name in `ENGINES`.
        statements: of the program.
        folder: of its plan and checkpoint.
        name: of both.
        log: receives its output.
    """
    process = ENGINES[engine](statements, folder, name, log)
    try:
        yield process
    finally:
        process.send_signal(signal.SIGINT)
        with suppress(subprocess.TimeoutExpired):
            process.wait(_STOPPING)
        # Child processes end with it; nothing of them is needed any more.
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
