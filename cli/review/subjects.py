"""Subjects of a review: changed programs with their plans, and changed plans without a program."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import PurePosixPath

from compiled_plan.api.scripts import PYTHON, SQL
from compiled_plan.cli.review.repository import Repository

#: Default path of a program's plan: the name of the program, in the same folder.
BESIDE = "{folder}/{name}.json"
_PLAN = ".json"
_COMMENT = re.compile(r"--[^\n]*")
_COMPILED_TO = re.compile(r"\bCOMPILE\s+PLAN\s+'((?:[^']|'')+)'", re.IGNORECASE)
_WRITES = re.compile(r"\bINSERT\b|\bMATERIALIZED\s+TABLE\b", re.IGNORECASE)
_TABLE, _FILLED = re.compile(r"\bTABLE\b", re.IGNORECASE), re.compile(r"\bAS\s+SELECT\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Subject:
    """A program and its plan, by their paths from the root before and after the change; empty without one."""

    program: str
    plan: str
    old_program: str = ""
    old_plan: str = ""

    @property
    def name(self) -> str:
        return self.program or self.plan or self.old_program or self.old_plan

    @property
    def is_deleted(self) -> bool:
        return not self.program and not self.plan


@dataclass(frozen=True, slots=True)
class Choice:
    """Programs to review.

    Args:
        patterns: glob patterns of programs; empty for all.
        plan: path of a program's plan, with `{folder}` and `{name}` of the program.
        init: init files, by their paths from the root: a change of one concerns all programs.
        everything: review unchanged programs, too.
    """

    patterns: tuple[str, ...] = ()
    plan: str = BESIDE
    init: tuple[str, ...] = ()
    everything: bool = False


def subjects(repository: Repository, choice: Choice) -> tuple[Subject, ...]:
    """The subjects of a review, in the order of their names."""
    programs = list(_programs(repository, choice))
    plans = {path for subject in programs for path in (subject.plan, subject.old_plan)}
    # A module may belong to any program; an init file belongs to all.
    shared = {
        path
        for file in repository.changed
        for path in (file.old, file.new)
        if path in choice.init or (path.endswith(PYTHON) and all(path != subject.program for subject in programs))
    }
    touched = {path for file in repository.changed for path in (file.old, file.new) if path}
    reviewed = [
        subject
        for subject in programs
        if choice.everything or shared or subject.is_deleted or touched & {subject.program, subject.plan}
    ]
    return tuple(sorted((*reviewed, *_plans_alone(repository, choice, plans)), key=lambda subject: subject.name))


def _programs(repository: Repository, choice: Choice) -> Iterator[Subject]:
    """All programs of the working tree, and deleted ones."""
    before = {file.new: file.old for file in repository.changed if file.new}
    present = frozenset(repository.files)
    for path in repository.files:
        if not _is_candidate(path, choice):
            continue
        text = repository.text(path) if path.endswith(SQL) else ""
        old = before.get(path, path)
        old_text = repository.old_text(old) if path in before and old.endswith(SQL) else text
        plan = _plan_of(path, text, choice, present)
        old_plan = _plan_of(old, old_text, choice, repository.old_files) if old else ""
        if plan or old_plan or path in choice.patterns or _writes(text):
            yield Subject(path, plan, old, old_plan)
    for file in repository.changed:
        if not file.new and _is_candidate(file.old, choice):
            plan = _plan_of(file.old, repository.old_text(file.old), choice, repository.old_files)
            if plan:
                yield Subject("", "", file.old, plan)


def _plans_alone(repository: Repository, choice: Choice, plans: Collection[str]) -> Iterator[Subject]:
    """Changed plans of no program here, such as plans of Flink."""
    for file in repository.changed:
        path = file.new or file.old
        if not path.endswith(_PLAN) or {file.old, file.new} & set(plans) or not _matches(path, choice.patterns):
            continue
        old, new = repository.old_text(file.old), repository.text(file.new)
        if _is_plan(new) or (not new and _is_plan(old)):
            yield Subject("", file.new, "", file.old if _is_plan(old) else "")


def _is_candidate(path: str, choice: Choice) -> bool:
    return path.endswith((SQL, PYTHON)) and path not in choice.init and _matches(path, choice.patterns)


def _matches(path: str, patterns: Sequence[str]) -> bool:
    return not patterns or any(path == pattern or fnmatchcase(path, pattern) for pattern in patterns)


def _writes(text: str) -> bool:
    """Return True if a script writes tables, rather than declares them for others."""
    return any(
        _WRITES.search(statement) or (_TABLE.search(statement) and _FILLED.search(statement))
        for statement in _COMMENT.sub("", text).split(";")
    )


def _plan_of(program: str, text: str, choice: Choice, files: Collection[str]) -> str:
    """The path of a program's plan: that of its COMPILE PLAN statement, or by the pattern; empty if there is none."""
    stated = _COMPILED_TO.search(_COMMENT.sub("", text)) if program.endswith(SQL) else None
    if stated is not None:
        plan = stated[1].replace("''", "'")
    else:
        path = PurePosixPath(program)
        plan = choice.plan.replace("{folder}", str(path.parent)).replace("{name}", path.stem)
    plan = str(PurePosixPath(plan))
    return plan if plan in files else ""


def _is_plan(text: str) -> bool:
    return text.lstrip("\ufeff \n").startswith("{") and '"flinkVersion"' in text
