"""Queries to commands, which answer with a JSON document."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Semaphore

from compiled_plan.commands.tied import TIED
from compiled_plan.plans.errors import ExecutionError, PlanError
from compiled_plan.plans.execution.session.kept import OWNER
from compiled_plan.service.common.lanes import Lane
from compiled_plan.service.runs.endings import error_in
from compiled_plan.service.runs.folders import PLAN

#: The timeout of a command in seconds, and the number of concurrent commands, since each starts Spark.
PATIENCE, AT_ONCE = 180.0, 2
#: Running commands, and as many waiting requests.
LANE = Lane("access to a checkpoint", 2 * AT_ONCE)
_ASKING = Semaphore(AT_ONCE)


def ask(
    command: Sequence[str],
    options: Sequence[str],
    files: Mapping[str, str] | None = None,
) -> dict[str, object]:
    """Run a command, and return its JSON output.

    Args:
        command: the command.
        options: its options; `{name}` is replaced by the path of that file.
        files: temporary files for the command, by name.

    Raises:
        PlanError: the command fails; with its message and remedy.
        ExecutionError: the command does not answer.
        BusyError: too many requests wait.
    """
    with LANE.place(), _ASKING:
        return answer(command, options, files)


@contextmanager
def _pipe() -> Iterator[int]:
    """A pipe without data, which closes with this process: commands end with it, see `api.tied_commands`."""
    reader, writer = os.pipe()
    try:
        yield reader
    finally:
        os.close(reader)
        os.close(writer)


def answer(
    command: Sequence[str],
    options: Sequence[str],
    files: Mapping[str, str | None] | None = None,
    patience: float = PATIENCE,
    begun: Callable[[subprocess.Popen[str], Path], None] | None = None,
    ended: Callable[[], None] = lambda: None,
) -> dict[str, object]:
    """As `ask`, without a limit on concurrent commands.

    Args:
        command, options, files: as for `ask`; a file without a text does not exist at first.
        patience: the timeout in seconds.
        begun: called with the process and the folder of its files.
        ended: called after its end, before these are removed.
    """
    with tempfile.TemporaryDirectory(prefix="plan-service-") as folder:
        paths = {f"{{{name}}}": Path(folder) / name for name in files or {}}
        for name, text in (files or {}).items():
            if text is None:
                continue
            paths[f"{{{name}}}"].touch(mode=0o600)
            paths[f"{{{name}}}"].write_text(text)
        places = {key: str(path) for key, path in paths.items()}
        places |= {f"file:{key}": f"file:{path}" for key, path in paths.items()}
        argv = [*command, *(places.get(option, option) for option in options)]
        variables = {**os.environ, OWNER: str(os.getpid()), TIED: "1"}
        with (
            _pipe() as stdin,
            subprocess.Popen(
                argv, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=variables
            ) as process,
        ):
            if begun is not None:
                begun(process, Path(folder))
            try:
                out, said = process.communicate(timeout=patience)
            except BaseException as fault:
                process.kill()
                if not isinstance(fault, subprocess.TimeoutExpired):
                    raise
                raise ExecutionError(f"no answer within {patience:g} s", remedy="try again later") from None
            finally:
                ended()
    if process.returncode != 0:
        message, where, remedy = error_in(said) or ("the command failed", "", "look at the service's log")
        raise PlanError(message.removeprefix(f"{folder}/{PLAN}: "), where=where, remedy=remedy)
    try:
        document: dict[str, object] = json.loads(out)
    except ValueError:
        raise ExecutionError("the command gave no answer", remedy="look at the service's log") from None
    return document
