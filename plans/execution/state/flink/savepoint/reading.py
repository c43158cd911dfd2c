"""The process that reads savepoints: Java with the jars of Flink, a small heap, and no compiler of code."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path

from compiled_plan.plans.connectors.jars import FLINK, SAVEPOINT
from compiled_plan.plans.errors import CheckpointError, ExecutionError, PlanError
from compiled_plan.plans.execution.kernel import kernel_jar
from compiled_plan.plans.execution.kernel.java import find_java, missing_java_text
from compiled_plan.plans.execution.state.flink.savepoint.head import SavepointHead, head_in
from compiled_plan.plans.files.local import exists
from compiled_plan.plans.files.maven import FetchError, artifact_of, fetched
from compiled_plan.plans.files.paths import is_remote, local_path, quoted
from compiled_plan.plans.files.remote import copy_folder

METADATA = "_metadata"
_MAIN = "org.compiledplan.kernel.flink.savepoint.ReadSavepoint"

#: Jars of Spark on the class path, by the start of their names. Janino is not among them: no code in a savepoint is
#: ever compiled.
_OF_SPARK = (
    "jackson-annotations-",
    "jackson-core-2",
    "jackson-databind-",
    "rocksdbjni-",
    "slf4j-api-",
    "snappy-java-",
    "RoaringBitmap-",
)

#: The folder of a retained checkpoint, and folders beside it with files that it may name.
_CHECKPOINT = re.compile("chk-[0-9]+")
_SHARED = ("shared", "taskowned")

_OPTIONS = (
    "-Xmx512m",
    "-XX:+UseSerialGC",
    "-XX:-UsePerfData",
    "-Dfile.encoding=UTF-8",
    "-Dslf4j.internal.verbosity=ERROR",
)


def is_savepoint(path: str) -> bool:
    """Return True for a folder with the metadata of a savepoint, and for that file."""
    if Path(path).name == METADATA:
        return True
    try:
        return exists(f"{path.rstrip('/')}/{METADATA}")
    except PlanError:
        # A file system that Spark alone reaches.
        return False


def read_savepoint(path: str | Path, to: Path, *, uids: Sequence[str] = (), jars: Sequence[Path] = ()) -> SavepointHead:
    """Write a savepoint or retained checkpoint in the neutral form, and return its head.

    Args:
        path: its folder, or the file `_metadata` in it; local, or a URL that fsspec supports, which is copied first.
        to: a folder that is new or empty. A failure leaves it as it was.
        uids: uids to find in a savepoint of an earlier Flink, which stores only their hashes.
        jars: jars with the job's own classes, if its state has any. Their code runs.

    Raises:
        CheckpointError: the savepoint is broken or of an unsupported kind, or names a class that is not allowed.
        ExecutionError: no Java, or Flink's jars cannot be fetched.
    """
    result = read_savepoints([(path, to)], uids=uids, jars=jars)[to]
    if isinstance(result, CheckpointError):
        raise result
    return result


def read_savepoints(
    pairs: Sequence[tuple[str | Path, Path]], *, uids: Sequence[str] = (), jars: Sequence[Path] = ()
) -> Mapping[Path, SavepointHead | CheckpointError]:
    """Read several savepoints in one process; return the head, or the error, by target folder.

    Raises:
        ExecutionError: no Java, or Flink's jars cannot be fetched.
    """
    new = [to for _, to in pairs if not to.exists()]
    arguments = [argument for jar in jars for argument in ("-jar", str(jar.absolute()))]
    arguments += [argument for uid in uids for argument in ("-uid", uid)]

    with tempfile.TemporaryDirectory(prefix="compiled-plan-savepoint-") as scratch:
        for number, (path, to) in enumerate(pairs):
            local = _copied(str(path), Path(scratch) / f"copy-{number}") if is_remote(path) else local_path(path)
            arguments += [str(local.absolute()), str(to.absolute())]
        done = subprocess.run(
            [*java_command(_MAIN, jars, scratch), *arguments],
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    results: dict[Path, SavepointHead | CheckpointError] = {}
    for (_, to), line in zip(pairs, lines, strict=False):
        error = line.get("error")
        results[to] = (
            CheckpointError(error["message"], where=error["where"], remedy=error["remedy"]) if error else head_in(to)
        )
    for path, to in pairs[len(lines) :]:
        results[to] = _ended(done, path)
        clear(to)
    for to in new:
        if isinstance(results[to], CheckpointError):
            shutil.rmtree(to, ignore_errors=True)
    return results


def _ended(done: subprocess.CompletedProcess[str], path: str | Path) -> CheckpointError:
    """The error of a process that ended without a word, such as in native code."""
    last = (done.stderr.strip() or f"exit code {done.returncode}").splitlines()[-1]
    return CheckpointError(
        f"the process that reads the savepoint ended: {last}",
        where=quoted(path),
        remedy="check that it was copied as a whole, or take it again",
    )


def clear(folder: Path) -> None:
    """Remove the content of a folder."""
    for entry in folder.iterdir() if folder.is_dir() else ():
        shutil.rmtree(entry) if entry.is_dir() else entry.unlink()


def _copied(url: str, to: Path) -> Path:
    """The local copy of a remote savepoint; of a checkpoint, also of the files that it shares with others of its job.

    Raises:
        CheckpointError: the driver is missing, or the store fails.
    """
    folder = url.removesuffix(f"/{METADATA}").rstrip("/")
    job, _, name = folder.rpartition("/")
    parts = [name, *_SHARED] if _CHECKPOINT.fullmatch(name) else [name]
    try:
        for part in parts:
            copy_folder(f"{job}/{part}", to / part, "savepoint")
    except PlanError as error:
        raise CheckpointError(error.message, where=error.where, remedy=error.remedy) from None
    return to / name


def java_command(main: str, jars: Iterable[Path], scratch: str) -> list[str]:
    """The command of a Java process with Flink's jars.

    Args:
        main: its class.
        jars: further jars.
        scratch: its temporary folder.

    Raises:
        ExecutionError: no Java, or Flink's jars cannot be fetched.
    """
    java = find_java()
    if java is None:
        raise ExecutionError(missing_java_text())
    path = [kernel_jar(), *_of_flink(), *jars_of_spark(_OF_SPARK), *jars]
    return [
        str(java.home / "bin/java"),
        *_OPTIONS,
        f"-Djava.io.tmpdir={scratch}",
        "-cp",
        os.pathsep.join(map(str, path)),
        main,
    ]


def _of_flink() -> list[Path]:
    try:
        return [fetched(artifact_of(package.coordinates, package.sha256)) for package in (*FLINK, *SAVEPOINT)]
    except FetchError as error:
        message, _, remedy = str(error).partition("\n  try: ")
        raise ExecutionError(
            f"reading or writing a savepoint needs Flink's jars: {message}",
            remedy=f"{remedy}; MAVEN_CENTRAL sets a mirror",
        ) from None


def jars_of_spark(names: tuple[str, ...]) -> list[Path]:
    """Jars of Spark by the start of their names."""
    spec = find_spec("pyspark")
    folder = Path(spec.origin).parent / "jars" if spec and spec.origin else None
    if folder is None:
        raise ExecutionError("pyspark is not installed", remedy="pip install pyspark")
    return [jar for jar in sorted(folder.iterdir()) if jar.name.startswith(names)]
