"""Programs and plans that somebody gives, as versions: what the API and `plan-service sync` do alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from compiled_plan.plans.errors import PlanError, UnsupportedError
from compiled_plan.plans.text.masking import HIDDEN
from compiled_plan.service.common.outside import Allowed, data_of
from compiled_plan.service.common.settings import Settings
from compiled_plan.service.registry.parts import Parts
from compiled_plan.service.store.versions import Kind, Language, NewVersion


@dataclass(frozen=True, slots=True)
class Source:
    """A program, or a plan.

    Args:
        language: "sql", "python", or empty for a plan.
        text: the script in SQL, or the plan's JSON.
        file: the program in Python.
        options: as by SET at the program's start.
        program_ttls: whether TTLs that were edited in the version in force are not kept.
    """

    language: Language
    text: str = ""
    file: str = ""
    options: Mapping[str, str] = field(default_factory=dict)
    program_ttls: bool = False


@dataclass(frozen=True, slots=True)
class Before:
    """The version in force: what a program is compiled over, and what it was compiled from."""

    number: int
    plan: str
    program: str | None
    options: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Made:
    """A version to be added, and what is doubtful about it."""

    version: NewVersion
    warnings: Sequence[str] = ()


def allowed(settings: Settings) -> Allowed:
    """What the operator allowed programs and plans to reach."""
    home = str(settings.home.resolve())
    programs = tuple(str(folder.resolve()) for folder in settings.programs)
    return Allowed(programs, (data_of(home), *settings.data), home)


def make(parts: Parts, source: Source, before: Before | None, comment: str = "", kind: Kind | None = None) -> Made:
    """A program or plan as a version; a program is compiled over the version in force.

    Args:
        before: the version in force; None where there is none.
        kind: how it comes; by what it is if left out.

    Raises:
        CompiledPlanError: it is refused.
    """
    check_size(parts.settings, source.text)
    options: Mapping[str, str] = {}
    file = str(program_file(parts.settings, source.file)) if source.language == "python" else ""
    may = asdict(allowed(parts.settings))
    if not source.language:
        result = parts.workers.run("read", plan=source.text, allowed=may)
    else:
        old = None if before is None else before.plan
        known = (before.program if before is not None else None) or ""
        how: dict[str, Any] = {"old": old, "known": known, "program_ttls": source.program_ttls, "allowed": may}
        options = _unmasked(source.options, {} if before is None else before.options)
        text = source.text if not file else ""
        result = parts.workers.run("compile", text=text, file=file, settings=options, **how)
    return Made(
        NewVersion(
            kind=kind or ("program" if source.language else "plan"),
            plan=result["plan"],
            operators=result["operators"],
            stateful=result["stateful"],
            program=result["program"] if source.language else None,
            language=source.language,
            options=options,
            origin=file,
            comment=comment,
            parent=0 if before is None else before.number,
        ),
        result["warnings"],
    )


def _unmasked(options: Mapping[str, str], known: Mapping[str, str]) -> dict[str, str]:
    """Options with the values that are hidden in them."""
    for key, value in options.items():
        if value == HIDDEN and key not in known:
            raise PlanError(f"the value of {key!r} is hidden", where="options", remedy="write the value")
    return {key: known[key] if value == HIDDEN else value for key, value in options.items()}


def check_size(settings: Settings, text: str) -> None:
    """Refuse a text that is too long.

    Raises:
        UnsupportedError: it is.
    """
    most, size = settings.limits.program_bytes, len(text.encode(errors="replace"))
    if size > most:
        raise UnsupportedError(
            f"a text of {size} bytes is more than the {most} that the operator allows",
            where="program",
            remedy="cut it into parts, or ask the operator for more (limits.program_bytes)",
        )


def program_file(settings: Settings, name: str) -> Path:
    """The file of a program in Python, in one of the folders that the operator allowed.

    Args:
        name: the file, absolute or in one of them.

    Raises:
        UnsupportedError: it is in none of them, or no file of Python.
    """
    remedy = "the operator allows folders with --programs" if not settings.programs else "name a file in one of them"
    for folder in settings.programs:
        root = folder.resolve()
        try:
            path = (root / name).resolve()
            # Links lead nowhere else: the resolved file counts.
            if path.is_relative_to(root) and path.suffix == ".py" and path.is_file():
                return path
        except (OSError, ValueError):
            continue
    raise UnsupportedError(
        "the program is no file of Python in a folder that the operator allowed", where=name, remedy=remedy
    )
