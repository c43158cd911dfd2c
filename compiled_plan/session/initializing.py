"""Program files and init files, which prepare a session."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from compiled_plan.plans.deferred import deferred
from compiled_plan.plans.files import PROGRAM, is_remote, quoted, read_text
from compiled_plan.plans.files.code_folders import code_folders

if TYPE_CHECKING:
    from compiled_plan.planner.sql import initializing as sql_initializing
    from compiled_plan.planner.sql.context import PlanningContext
else:
    sql_initializing = deferred("compiled_plan.planner.sql.initializing")


def run_init_file(context: PlanningContext, path: str) -> None:
    """Execute an init file in a session; Python modules in its folder become importable, after all others.

    Args:
        path: the file, local or remote.

    Raises:
        ProgramError: the file cannot be read, is wrong, or has a statement that is not allowed in an init file; with
            file and line.
        UnsupportedError: the file uses a feature that is not supported.
    """
    text = text_of(path)
    if not is_remote(path):
        find_modules_in(Path(path).resolve().parent)
    sql_initializing.initialize(context, text, quoted(path))


def text_of(path: str | Path) -> str:
    """The text of a program file: local, remote (`s3://...`) or standard input (`-`); lines end with a line feed.

    Raises:
        ProgramError: the file cannot be read, or is not a program.
    """
    text = read_text(path, PROGRAM).removeprefix("\ufeff")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def find_modules_in(folder: Path) -> None:
    """Make the modules of a folder importable for `CREATE FUNCTION ... AS 'module.Class'`, after all others.

    A folder from which no code may come stays unimportable: its modules could also stand in for packages that the
    product imports if they are installed.
    """
    allowed = code_folders()
    if str(folder) not in sys.path and (allowed is None or allowed.hold(folder)):
        sys.path.append(str(folder))
