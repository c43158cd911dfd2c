"""Subjects of a review: changed programs with their plans, and changed plans without a program."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import groupby
from pathlib import PurePosixPath
from typing import Self

from compiled_plan.cli.review.repository import Repository
from compiled_plan.compiling.scripts import PYTHON, SQL
from compiled_plan.planner.sql.grammar.tokens import STRING, WORD, Token, read_tokens

#: Default path of a program's plan: the name of the program, in the same folder.
BESIDE = "{folder}/{name}.json"
_PLAN = ".json"
_WILD = re.compile(r"[*?\[]")
#: Suffixes of programs and plans.
SUFFIXES = (SQL, PYTHON, _PLAN)


@dataclass(frozen=True, slots=True)
class Subject:
    """A program and its plan, by their paths from the root before and after the change; empty without one."""

    program: str
    plan: str
    old_program: str = ""
    old_plan: str = ""

    @property
    def paths(self) -> tuple[str, ...]:
        return tuple(filter(None, (self.program, self.plan, self.old_program, self.old_plan)))

    @property
    def name(self) -> str:
        return self.paths[0]

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


@dataclass(frozen=True, slots=True)
class _Script:
    """Facts of a SQL script, which need not be valid.

    Args:
        plan: the path in its COMPILE PLAN statement; empty without one.
        writes: it writes tables, rather than declares them for others.
    """

    plan: str = ""
    writes: bool = False

    @classmethod
    def of(cls, text: str) -> Self:
        tokens, unclosed = read_tokens(text)
        plans = (
            path.text
            for compile_, plan, path in zip(tokens, tokens[1:], tokens[2:], strict=False)
            if (_word(compile_), _word(plan), path.kind) == ("COMPILE", "PLAN", STRING)
        )
        # Without its end, a string or comment hides the rest of the script, which the compiler reports.
        writes = unclosed is not None and "INSERT" in text.upper()
        statements = (group for is_end, group in groupby(tokens, lambda token: token.kind == ";") if not is_end)
        return cls(next(plans, ""), writes or any(map(_is_write, statements)))


def _is_write(statement: Iterable[Token]) -> bool:
    words = f" {' '.join(map(_word, statement))} "
    return " INSERT " in words or " MATERIALIZED TABLE " in words or (" TABLE " in words and " AS SELECT " in words)


def _word(token: Token) -> str:
    return token.text.upper() if token.kind == WORD else token.kind


def subjects(repository: Repository, choice: Choice) -> tuple[Subject, ...]:
    """The subjects of a review, in the order of their names."""
    programs = list(_programs(repository, choice))
    plans = {path for subject in programs for path in (subject.plan, subject.old_plan) if path}
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
        if choice.everything
        or shared
        or subject.is_deleted
        or touched & {subject.program, subject.plan, subject.old_plan}
    ]
    return tuple(sorted((*reviewed, *_plans_alone(repository, choice, plans)), key=lambda subject: subject.name))


def _programs(repository: Repository, choice: Choice) -> Iterator[Subject]:
    """All programs of the working tree, and deleted ones."""
    before = {file.new: file.old for file in repository.changed if file.new}
    present = frozenset(repository.files)
    for path in repository.files:
        if not _is_candidate(path, choice):
            continue
        script = _script(path, repository.text)
        old = before.get(path, path)
        old_script = _script(old, repository.old_text) if path in before else script
        plan = _plan_of(path, script, choice, present)
        old_plan = _plan_of(old, old_script, choice, repository.old_files) if old else ""
        if plan or old_plan or path in choice.patterns or script.writes:
            yield Subject(path, plan, old, old_plan)
    for file in repository.changed:
        if not file.new and _is_candidate(file.old, choice):
            script = _script(file.old, repository.old_text)
            plan = _plan_of(file.old, script, choice, repository.old_files)
            if plan:
                yield Subject("", "", file.old, plan)


def _plans_alone(repository: Repository, choice: Choice, plans: Set[str]) -> Iterator[Subject]:
    """Changed plans of no program here, such as plans of Flink."""
    for file in repository.changed:
        path = file.new or file.old
        if not path.endswith(_PLAN) or {file.old, file.new} & plans or not matches(path, choice.patterns):
            continue
        old, new = repository.old_text(file.old), repository.text(file.new)
        if _is_plan(new) or (not new and _is_plan(old)):
            yield Subject("", file.new, "", file.old if _is_plan(old) else "")


def is_pattern(text: str) -> bool:
    """Return True for a pattern of paths, False for a path."""
    return _WILD.search(text) is not None


def _is_candidate(path: str, choice: Choice) -> bool:
    return path.endswith((SQL, PYTHON)) and path not in choice.init and matches(path, choice.patterns)


def matches(path: str, patterns: Sequence[str]) -> bool:
    """Return True for a path that a pattern matches, or without patterns."""
    return not patterns or any(path == pattern or fnmatchcase(path, pattern) for pattern in patterns)


def _script(path: str, text_of: Callable[[str], str]) -> _Script:
    return _Script.of(text_of(path)) if path.endswith(SQL) else _Script()


def _plan_of(program: str, script: _Script, choice: Choice, files: Collection[str]) -> str:
    """The path of a program's plan: that of its COMPILE PLAN statement, or by the pattern; empty if there is none."""
    path = PurePosixPath(program)
    by_pattern = choice.plan.replace("{folder}", str(path.parent)).replace("{name}", path.stem)
    plan = str(PurePosixPath(script.plan or by_pattern))
    return plan if plan in files else ""


def _is_plan(text: str) -> bool:
    return text.lstrip("\ufeff \n").startswith("{") and '"flinkVersion"' in text
