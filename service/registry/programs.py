"""Versions from submitted programs and plans, for the API and `plan-service sync`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from compiled_plan.plans.errors import PlanError, UnsupportedError
from compiled_plan.plans.text.masking import HIDDEN
from compiled_plan.service.common.places import Allowed, data_of
from compiled_plan.service.common.settings import Settings
from compiled_plan.service.registry.parts import Parts
from compiled_plan.service.store.tables import Language
from compiled_plan.service.store.versions import Kind, NewVersion
from compiled_plan.service.workers import tasks


@dataclass(frozen=True, slots=True)
class Source:
    """A submitted program or plan.

    Args:
        language: "sql", "python", or empty for a plan.
        text: the SQL script, or the JSON of the plan.
        file: the Python program.
        options: configuration options by key, as set with SET at the start of the program.
        program_ttls: drop TTLs that were edited in the version in force.
    """

    language: Language
    text: str = ""
    file: str = ""
    options: Mapping[str, str] = field(default_factory=dict)
    program_ttls: bool = False


@dataclass(frozen=True, slots=True)
class Before:
    """A version: that in force, over which a program is compiled, or another one."""

    number: int
    plan: str
    program: str | None
    options: Mapping[str, str] = field(default_factory=dict)
    language: str = ""
    tests: str = ""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A version to add, with warnings."""

    version: NewVersion
    warnings: Sequence[str] = ()


def allowed(settings: Settings) -> Allowed:
    """The resources that the operator allows to programs and plans."""
    home = str(settings.home.resolve())
    programs = tuple(str(folder.resolve()) for folder in settings.programs)
    return Allowed(programs, (data_of(home), *settings.data), home)


def prepare(
    parts: Parts,
    source: Source,
    before: Before | None,
    comment: str = "",
    kind: Kind | None = None,
    tests: str | None = None,
) -> Prepared:
    """Compile a program over the version in force, or read a plan.

    Args:
        parts: the parts of the service.
        source: the program or plan.
        before: the version in force; None for a new pipeline.
        comment: the comment of the new version.
        kind: its kind; by default "program" or "plan".
        tests: the tests of the program; None for those of the version in force.

    Raises:
        CompiledPlanError: the program or plan is refused.
    """
    how = arguments(parts, source, before)
    workers = parts.workers
    result = (
        workers.run(tasks.submitted.compile_, **how) if source.language else workers.run(tasks.submitted.read, **how)
    )
    return Prepared(
        NewVersion(
            kind=kind or ("program" if source.language else "plan"),
            plan=result["plan"],
            operators=result["operators"],
            stateful=result["stateful"],
            program=result["program"],
            language=source.language,
            options=how.get("settings", {}),
            origin=how.get("file", ""),
            comment=comment,
            parent=0 if before is None else before.number,
            tests=tests,
        ),
        result["warnings"],
    )


def arguments(parts: Parts, source: Source, before: Before | None) -> dict[str, Any]:
    """Arguments of the task that compiles a program over the version in force, or reads a plan.

    Raises:
        CompiledPlanError: the program or plan is refused.
    """
    check_size(parts.settings, source.text)
    may = allowed(parts.settings).fields()
    if not source.language:
        return {"plan": source.text, "allowed": may}
    in_python = source.language == "python"
    return {
        "text": "" if in_python else source.text,
        "file": str(program_file(parts.settings, source.file)) if in_python else "",
        "settings": _unmasked(source.options, {} if before is None else before.options),
        "old": None if before is None else before.plan,
        "known": (before.program if before is not None else None) or "",
        "program_ttls": source.program_ttls,
        "allowed": may,
    }


def preview(
    parts: Parts,
    source: Source,
    before: Before | None,
    at: int | str,
    rows: int,
    sample: Mapping[str, object] = MappingProxyType({}),
) -> str:
    """The plan of a preview.

    Args:
        parts: the parts of the service.
        source: the SQL script.
        before: the version in force, whose secrets the script may have masked; None for a new pipeline.
        at: the position of the cursor in the script, or a table of the script.
        rows: the maximum number of rows.
        sample: the arguments `tests` and `test` of the task `preview`.

    Raises:
        CompiledPlanError: there is nothing to preview, or it is refused.
    """
    how = arguments(parts, source, before)
    shared = {name: how[name] for name in ("text", "settings", "old", "known", "allowed")}
    return parts.workers.run(tasks.previews.preview, at=at, rows=rows, **{**shared, **sample})


def table_preview(parts: Parts, version: Before, node: int, rows: int) -> str:
    """The plan of a preview of the table of a source or sink.

    Args:
        parts: the parts of the service.
        version: the version.
        node: the id of the source or sink in its plan.
        rows: the maximum number of rows.

    Raises:
        CompiledPlanError: there is nothing to preview, or it is refused.
    """
    program = (version.program if version.language == "sql" else None) or ""
    return parts.workers.run(
        tasks.stored.table_preview,
        plan=version.plan,
        node=node,
        rows=rows,
        settings=dict(version.options),
        allowed=allowed(parts.settings).fields(),
        program=program,
    )


def _unmasked(options: Mapping[str, str], known: Mapping[str, str]) -> dict[str, str]:
    """Options with masked values replaced by those of the version in force."""
    for key, value in options.items():
        if value == HIDDEN and key not in known:
            raise PlanError(f"the value of {key!r} is masked", where="options", remedy="write the value")
    return {key: known[key] if value == HIDDEN else value for key, value in options.items()}


def check_size(settings: Settings, text: str) -> None:
    """Check the length of a program or plan.

    Raises:
        UnsupportedError: the text is too long.
    """
    most, size = settings.limits.program_bytes, len(text.encode(errors="replace"))
    if size > most:
        raise UnsupportedError(
            f"a text of {size} bytes exceeds the limit of {most} bytes",
            where="program",
            remedy="split it, or ask the operator to raise limits.program_bytes",
        )


def program_file(settings: Settings, name: str) -> Path:
    """The file of a Python program in an allowed folder.

    Args:
        settings: the settings with the allowed folders.
        name: the file, absolute or relative to one of the folders.

    Raises:
        UnsupportedError: the file is not a Python file in an allowed folder.
    """
    remedy = "the operator allows folders with --programs" if not settings.programs else "name a file in one of them"
    for folder in settings.programs:
        root = folder.resolve()
        try:
            path = (root / name).resolve()
            # Checked after resolving links, so that they cannot lead outside.
            if path.is_relative_to(root) and path.suffix == ".py" and path.is_file():
                return path
        except (OSError, ValueError):
            continue
    raise UnsupportedError("the program is not a Python file in an allowed folder", where=name, remedy=remedy)
