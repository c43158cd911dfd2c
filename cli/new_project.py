"""`compiled-plan new`: make a project from the template in `templates/project`.

Files of the template are named `*.template`, so that no tool takes them for files of this repository.
"""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated
from uuid import uuid4

import typer

from compiled_plan.cli.common.terminal import Debug, ExitCode, app_for, fail
from compiled_plan.plans.errors import CompiledPlanError, ProgramError
from compiled_plan.plans.files import quoted
from compiled_plan.plans.files.faults import writing
from compiled_plan.plans.text.visible import visible
from compiled_plan.plans.version import product_version

app = app_for("new-project")

_TEMPLATE, _SUFFIX = Path(__file__).parent / "templates" / "project", ".template"
_NEXT = """\
{folder}: a program, its tables and tests, a CI workflow. Next:
  cd {quoted}
  test-plan .
  compile-plan --init tables.sql totals.sql -o totals.json
  execute-plan totals.json --checkpoint checkpoints/totals"""


@app.command()
def new(
    folder: Annotated[str, typer.Argument(metavar="DIR", help="Folder of the project: a new or empty one.")],
    debug: Debug = False,
) -> None:
    """Make a project: a program with its tables, its tests, and a CI workflow.

    The project runs as it is, over files in its folder. A folder that is not empty is refused.

    Exit codes: 0 made, 1 the folder is not empty or cannot be written, 2 wrong usage.
    """
    try:
        make_project(Path(folder))
    except CompiledPlanError as fault:
        fail(fault, debug=debug)
        raise typer.Exit(ExitCode.FAILED) from None
    typer.echo(_NEXT.format(folder=folder, quoted=shlex.quote(folder)), err=True)


def make_project(folder: Path) -> None:
    """Make a project in a new or empty folder; an error leaves no file behind.

    Raises:
        ProgramError: there is something at that place, or it cannot be written.
    """
    with writing(folder, "project", ProgramError):
        exists = folder.is_dir()
        if not exists and (folder.exists() or folder.is_symlink()):
            raise ProgramError("the folder is a file", where=quoted(folder), remedy="name a new or empty folder")
        if exists and any(folder.iterdir()):
            raise ProgramError("the folder is not empty", where=quoted(folder), remedy="name a new or empty folder")
        # A draft on the same file system, so that moving it is a rename.
        draft = (folder if exists else folder.parent) / f".new-{uuid4().hex}"
        draft.mkdir()
        try:
            for path, text in _files(folder.resolve().name).items():
                (draft / path).parent.mkdir(parents=True, exist_ok=True)
                (draft / path).write_text(text, encoding="utf-8")
            if exists:
                # The folder itself stays: a shell may be in it.
                _move_entries(draft, folder)
            else:
                draft.rename(folder)
        finally:
            shutil.rmtree(draft, ignore_errors=True)


def _files(name: str) -> Mapping[str, str]:
    """Texts of the project's files by their relative paths."""
    version = product_version()
    values = {"PROJECT_NAME": " ".join(visible(name).split()), "PRODUCT_VERSION": f"=={version}" if version else ""}
    files = {}
    for path in sorted(_TEMPLATE.rglob(f"*{_SUFFIX}")):
        text = path.read_text(encoding="utf-8")
        for word, value in values.items():
            text = text.replace(word, value)
        files[str(path.relative_to(_TEMPLATE)).removesuffix(_SUFFIX)] = text
    return files


def _move_entries(source: Path, target: Path) -> None:
    """Move all entries of a folder into another one; after an error remove those that were moved."""
    moved: list[Path] = []
    try:
        for entry in sorted(source.iterdir()):
            moved.append(entry.rename(target / entry.name))
    except OSError:
        for path in moved:
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)
        raise
