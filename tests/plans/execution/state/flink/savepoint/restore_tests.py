"""The savepoints of Flink's restore tests, from the jar of its planner's tests."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

from tests.flink_programs.flink import PLANNER_TESTS
from tools.maven import fetched


def jar() -> Path:
    """The jar with the savepoints, and with the classes of the functions in their programs."""
    return fetched(PLANNER_TESTS)


def unpack(folder: Path, *programs: str) -> list[Path]:
    """Unpack the savepoints of programs, `NODE/PROGRAM`, or of all; returns their folders."""
    with zipfile.ZipFile(jar()) as content:
        names = [name for name in content.namelist() if name.startswith("restore-tests/") and "/savepoint/" in name]
        prefixes = tuple(f"restore-tests/{program}/savepoint/" for program in programs)
        chosen = [name for name in names if not programs or name.startswith(prefixes)]
        content.extractall(folder, chosen)
    return sorted({folder / name.rpartition("/")[0] for name in chosen if name.endswith("_metadata")})


def plan(program: str) -> str:
    """The plan of a program, `NODE/PROGRAM`; its tables have no options."""
    with zipfile.ZipFile(jar()) as content:
        names = content.namelist()
        (name,) = (name for name in names if re.fullmatch(f"restore-tests/{re.escape(program)}/plan/.*json", name))
        return content.read(name).decode()
