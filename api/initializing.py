"""Files of programs: their text, and those that prepare a session."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from compiled_plan.plans.errors import ProgramError
from compiled_plan.plans.files import is_remote, read_text

if TYPE_CHECKING:
    from compiled_plan.planner.context import PlanningContext


def run_init_file(context: PlanningContext, path: str) -> None:
    """Carry out an init file in a session; modules beside it are found, after all others.

    Args:
        context: of the session.
        path: the file, local or remote.

    Raises:
        ProgramError: it cannot be read, is wrong, or has a statement that cannot stand in one; names file and line.
        UnsupportedError: it uses what is not supported.
    """
    from compiled_plan.planner.sql.initializing import initialize

    text = text_of(path)
    if not is_remote(path):
        find_modules_in(Path(path).resolve().parent)
    initialize(context, text, path)


def text_of(path: str) -> str:
    """The text of a file with statements, local or remote (`s3://...`).

    Raises:
        ProgramError: it cannot be read.
    """
    if is_remote(path):
        return read_text(path, "program")
    try:
        return Path(path).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise ProgramError("there is no such file", where=path, remedy="check the path") from None
    except (OSError, UnicodeDecodeError) as fault:
        raise ProgramError(f"the program cannot be read: {fault}", where=path) from None


def find_modules_in(folder: Path) -> None:
    """Have `CREATE FUNCTION ... AS 'module.Class'` find modules of a folder, after all others."""
    if str(folder) not in sys.path:
        sys.path.append(str(folder))
