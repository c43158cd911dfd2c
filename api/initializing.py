"""Files of programs: their text, and those that prepare a session."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from compiled_plan.plans.files import PROGRAM, is_remote, quoted, read_text

if TYPE_CHECKING:
    from compiled_plan.planner.sql.context import PlanningContext


def run_init_file(context: PlanningContext, path: str) -> None:
    """Carry out an init file in a session; modules beside it are found, after all others.

    Args:
        path: the file, local or remote.

    Raises:
        ProgramError: it cannot be read, is wrong, or has a statement that cannot stand in one; names file and line.
        UnsupportedError: it uses what is not supported.
    """
    from compiled_plan.planner.sql.initializing import initialize

    text = text_of(path)
    if not is_remote(path):
        find_modules_in(Path(path).resolve().parent)
    initialize(context, text, quoted(path))


def text_of(path: str | Path) -> str:
    """The text of a program, local, remote (`s3://...`) or of the standard input (`-`); lines end with a line feed.

    Raises:
        ProgramError: it cannot be read, or is no program.
    """
    text = read_text(path, PROGRAM).removeprefix("\ufeff")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def find_modules_in(folder: Path) -> None:
    """Have `CREATE FUNCTION ... AS 'module.Class'` find modules of a folder, after all others."""
    if str(folder) not in sys.path:
        sys.path.append(str(folder))
