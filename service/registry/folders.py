"""Pipelines as plain files: `FOLDER/<pipeline>/` with program.sql or program.py, plan.json, program.test.yaml,
pipeline.toml.

An existing plan takes precedence, as compiled and edited in the folder; otherwise the program is compiled.
`pipeline.toml` may have `description`, `owner`, `tags`, and `options` for compilation.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from compiled_plan.plans.errors import ProgramError
from compiled_plan.plans.files import quoted
from compiled_plan.plans.files.faults import writing
from compiled_plan.service.registry.plain_files import read_file, write_file
from compiled_plan.service.store.pipelines import MOST_TAGS, NAME, TAG
from compiled_plan.service.store.tables import Language

PLAN, FACTS = "plan.json", "pipeline.toml"
#: The tests, as `test-plan` finds them beside the program.
TESTS = "program.test.yaml"
PROGRAMS: Mapping[str, Language] = {"program.sql": "sql", "program.py": "python"}
_KNOWN = {"description": str, "owner": str, "tags": list, "options": dict}


@dataclass(frozen=True, slots=True)
class PipelineFolder:
    """A pipeline as plain files.

    Args:
        name: the name of the pipeline and of its folder.
        folder: the folder.
        language: the language of the program; empty without a program.
        program: the text of the program.
        plan: the text of the plan; None to compile the program.
        description: the description of the pipeline; None to leave it unchanged.
        options: configuration options for compilation.
        owner: the person or team in charge; None to leave it unchanged.
        tags: the tags; None to leave them unchanged.
        tests: the tests of the program, empty for none; None to leave them unchanged.
    """

    name: str
    folder: Path
    language: Language = ""
    program: str | None = None
    plan: str | None = None
    description: str | None = None
    options: Mapping[str, str] = field(default_factory=dict)
    owner: str | None = None
    tags: tuple[str, ...] | None = None
    tests: str | None = None

    @property
    def file(self) -> Path:
        """The file of the program."""
        return self.folder / next(name for name, language in PROGRAMS.items() if language == self.language)


def folders_in(root: Path) -> Iterator[Path]:
    """The folders with a program or a plan, by name, without hidden folders.

    Symbolic links are refused when they are read.

    Raises:
        ProgramError: the root is not a folder.
    """
    if not root.is_dir():
        raise ProgramError("the folder does not exist", where=quoted(root), remedy="check the path")
    for folder in sorted(root.iterdir()):
        if (
            folder.is_dir()
            and not folder.name.startswith(".")
            and any((folder / name).is_symlink() or (folder / name).is_file() for name in (PLAN, *PROGRAMS))
        ):
            yield folder


def read_folder(folder: Path) -> PipelineFolder:
    """Read a pipeline's folder.

    Raises:
        ProgramError: the name is invalid, there are two programs, or a file cannot be read.
    """
    if not NAME.fullmatch(folder.name):
        raise ProgramError("not a valid pipeline name", where=quoted(folder), remedy="rename the folder")
    texts = {name: text for name in PROGRAMS if (text := read_file(folder, name)) is not None}
    if len(texts) > 1:
        raise ProgramError("there are two programs", where=quoted(folder), remedy=f"keep one of {' and '.join(texts)}")
    name, program = next(iter(texts.items()), (None, None))
    facts = _facts(folder)
    return PipelineFolder(
        folder.name,
        folder,
        PROGRAMS[name] if name else "",
        program,
        read_file(folder, PLAN),
        facts.get("description"),
        facts.get("options", {}),
        facts.get("owner"),
        facts.get("tags"),
        read_file(folder, TESTS),
    )


def _facts(folder: Path) -> dict[str, Any]:
    file = folder / FACTS
    try:
        facts = tomllib.loads(read_file(folder, FACTS) or "")
    except tomllib.TOMLDecodeError as fault:
        raise ProgramError(
            f"the file is not valid TOML: {fault}", where=quoted(file), remedy="correct that line"
        ) from None
    for key, value in facts.items():
        if key not in _KNOWN or not isinstance(value, _KNOWN[key]):
            raise ProgramError(
                f"{key!r} is unknown, or has a wrong type",
                where=quoted(file),
                remedy="description and owner are texts, tags a list, options a table",
            )
    if "tags" in facts:
        facts["tags"] = _tags(facts["tags"], file)
    facts["options"] = {key: str(value) for key, value in facts.get("options", {}).items()}
    return facts


def _tags(tags: list[Any], file: Path) -> tuple[str, ...]:
    wrong = next((tag for tag in tags if not isinstance(tag, str) or not TAG.fullmatch(tag)), None)
    if wrong is not None or len(tags) > MOST_TAGS:
        raise ProgramError(
            "too many tags" if wrong is None else f"not a valid tag: {wrong!r}",
            where=quoted(file),
            remedy=f"use at most {MOST_TAGS} tags of at most 50 lower-case letters, digits, `-`, `_`, `.` and `:`",
        )
    return tuple(dict.fromkeys(tags))


def write_folder(root: Path, pipeline: PipelineFolder, *, secret: bool) -> bool:
    """Write a pipeline's files.

    Args:
        root: the parent of the pipeline's folder.
        pipeline: the content.
        secret: make the files private.

    Returns:
        True if a file has changed.

    Raises:
        ProgramError: a file is a symbolic link, or cannot be written.
    """
    folder = root / pipeline.name
    with writing(folder, "folder", ProgramError):
        folder.mkdir(parents=True, exist_ok=True)
    facts = f"description = {json.dumps(pipeline.description)}\n" if pipeline.description else ""
    facts += f"owner = {json.dumps(pipeline.owner)}\n" if pipeline.owner else ""
    facts += f"tags = {json.dumps(pipeline.tags)}\n" if pipeline.tags else ""
    if pipeline.options:
        facts += "\n[options]\n" + "".join(f"{json.dumps(k)} = {json.dumps(v)}\n" for k, v in pipeline.options.items())
    texts = {PLAN: pipeline.plan, FACTS: facts or None, TESTS: pipeline.tests or None}
    texts |= {name: pipeline.program if language == pipeline.language else None for name, language in PROGRAMS.items()}
    changed = False
    for name, text in texts.items():
        if text != read_file(folder, name):
            changed = True
            write_file(folder, name, text, secret=secret)
    return changed
