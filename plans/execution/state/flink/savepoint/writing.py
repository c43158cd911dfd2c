"""The process that writes savepoints, with the jars of Flink."""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from pathlib import Path

from compiled_plan.plans.errors import CheckpointError
from compiled_plan.plans.execution.state.flink.savepoint.reading import clear, jars_of_spark, java_command
from compiled_plan.plans.files.paths import is_remote, local_path, quoted

#: Jars of Spark beside those of the reader, by the start of their names: Flink's conversions of lists need them.
_OF_SPARK = ("commons-lang3-",)
_MAIN = "org.compiledplan.kernel.flink.savepoint.WriteSavepoint"


def write_savepoint(form: Path, to: str | Path) -> None:
    """Write the neutral form as a savepoint in the canonical format.

    Args:
        form: the folder with the form.
        to: a folder that is new or empty. A failure leaves it as it was.

    Raises:
        CheckpointError: the folder is remote or not empty, or a state has an unknown type.
        ExecutionError: no Java, or Flink's jars cannot be fetched.
    """
    if is_remote(to):
        raise CheckpointError(
            "a savepoint is written into a local folder",
            where=quoted(to),
            remedy="write it locally, and copy the folder: its files name each other relatively",
        )
    to = local_path(to)
    new = not to.exists()
    if not new and (not to.is_dir() or any(to.iterdir())):
        raise CheckpointError(
            "the folder for the savepoint is not empty", where=quoted(to), remedy="name a folder that is new or empty"
        )
    with tempfile.TemporaryDirectory(prefix="compiled-plan-savepoint-") as scratch:
        done = subprocess.run(
            [*java_command(_MAIN, jars_of_spark(_OF_SPARK), scratch), str(form.absolute()), str(to.absolute())],
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )
    lines = done.stdout.splitlines()
    error = json.loads(lines[-1]).get("error") if lines else None
    if done.returncode == 0 and error is None:
        return
    clear(to)
    if new:
        shutil.rmtree(to, ignore_errors=True)
    if error is not None:
        raise CheckpointError(error["message"], where=error["where"], remedy=error["remedy"])
    last = (done.stderr.strip() or f"exit code {done.returncode}").splitlines()[-1]
    raise CheckpointError(f"the process that writes the savepoint ended: {last}", where=quoted(to))
