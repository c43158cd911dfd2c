"""Tasks on submitted programs and plans."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import Any

from compiled_plan.compiling.completing import Candidates, declared
from compiled_plan.compiling.scripts import Session, compiled, compiled_text
from compiled_plan.environment import TableEnvironment
from compiled_plan.planner.catalog.lakes.access import lakes_read_by
from compiled_plan.plans.files.code_folders import imported_from
from compiled_plan.plans.inspection.check import report
from compiled_plan.plans.inspection.checked_plans import plan_from_json
from compiled_plan.plans.inspection.lint import secret_warnings
from compiled_plan.plans.inspection.recompile import notes, recompile
from compiled_plan.plans.text import jsontext
from compiled_plan.plans.text.masking import masked_program, masked_text
from compiled_plan.service.common.outside import check_outside, compiling_within
from compiled_plan.service.common.places import Allowed, AllowedFields
from compiled_plan.service.workers.tasks.own_tests import check_java, plans_of
from compiled_plan.service.workers.tasks.refusals import PlanOfTest
from compiled_plan.service.workers.tasks.results import Compiled, Document, figures_of
from compiled_plan.service.workers.tasks.unmasking import check_complete, fill
from compiled_plan.session.initializing import find_modules_in
from compiled_plan.testing.cases import cases_of_text

#: The maximum number of completions.
_CANDIDATES = 400


def compile_(
    text: str = "",
    file: str = "",
    settings: Mapping[str, str] | None = None,
    old: str | None = None,
    program_ttls: bool = False,
    allowed: AllowedFields | None = None,
    known: str = "",
) -> Compiled:
    """Compile a program over the previous plan.

    Args:
        text: the SQL script.
        file: a Python program, instead of a script.
        settings: configuration options, as set with SET at the start of the program.
        old: the previous plan, whose uids and edited TTLs are kept.
        program_ttls: drop edited TTLs.
        allowed: fields of `Allowed`.
        known: the previous program, whose secrets are masked in `text`.
    """
    may = Allowed(**(allowed or {}))
    said: list[str] = []
    filled = fill(text, known, None if old is None else json.loads(old))
    program = filled.text
    for folder in may.programs:
        find_modules_in(Path(folder))
    with filled.unseen(), compiling_within(may):
        if file:
            program = Path(file).read_text(encoding="utf-8")
            plan = compiled(file, Session(settings or {}), said.append).plan
        else:
            plan = compiled_text(program, Session(settings or {}), said.append).plan
    if old is not None:
        merged = recompile(plan, plan_from_json(old, "the version in force"), edits=not program_ttls)
        said += notes(merged, "the version in force")
        plan = merged.plan
    warnings = [masked_text(masked_program(filled.hide(line))) for line in _plain(said)]
    plan_text = plan.to_json()
    document = json.loads(plan_text)
    check_outside(document, may)
    filled.check(document)
    return {"plan": plan_text, "program": program, "warnings": warnings, **figures_of(plan)}


def plans_of_tests(
    tests: str,
    text: str = "",
    file: str = "",
    plan: str = "",
    settings: Mapping[str, str] | None = None,
    allowed: AllowedFields | None = None,
    old: str | None = None,
    program_ttls: bool = False,
    known: str = "",
) -> list[PlanOfTest]:
    """The plan of each test, or the error that refuses it, see `own_tests.plans_of`.

    Args:
        tests: a file of tests.
        text, file, settings, allowed, old, program_ttls, known: as for `compile_`.
        plan: the text of a plan, instead of a program.
    """

    def compiled(options: Mapping[str, str]) -> str:
        if plan:
            result = read(plan, allowed)
        else:
            result = compile_(text, file, {**(settings or {}), **options}, old, program_ttls, allowed, known)
        check_java(json.loads(result["plan"]), Allowed(**(allowed or {})))
        return result["plan"]

    return plans_of(cases_of_text(tests), compiled)


def plans_of_change(
    before: str, plan: str = "", allowed: AllowedFields | None = None, **program: Any
) -> tuple[str, str]:
    """The plans of a change, to search examples of it.

    Args:
        before: the text of the old plan.
        plan, allowed, program: the new program or plan, as for `plans_of_tests`.
    """
    compiled = read(plan, allowed) if plan else compile_(allowed=allowed, **program)
    for text in (before, compiled["plan"]):
        check_java(json.loads(text), Allowed(**(allowed or {})))
    return before, compiled["plan"]


def names_of_tests(tests: str) -> list[str]:
    """The names of the tests in a file.

    Args:
        tests: the file.
    """
    return [case.name for case in cases_of_text(tests)]


def complete(before: str, after: str, settings: Mapping[str, str], allowed: AllowedFields) -> list[Document]:
    """Completions at the cursor in a SQL script.

    Args:
        before: the script before the cursor; its complete declarations give the names.
        after: the script after the cursor.
        settings: configuration options, as for `compile_`.
        allowed: fields of `Allowed`.
    """
    environment = TableEnvironment(settings)
    with lakes_read_by(None), imported_from([Path(folder) for folder in Allowed(**allowed).programs]):
        declared(environment, before)
    return [asdict(item) for item in islice(Candidates(environment).at(before, after), _CANDIDATES)]


def read(plan: str, allowed: AllowedFields | None = None) -> Compiled:
    """Read a submitted plan.

    Args:
        plan: its text.
        allowed: fields of `Allowed`.
    """
    checked = plan_from_json(plan, "the plan")
    document = jsontext.loads(plan)
    check_complete(document)
    check_outside(document, Allowed(**(allowed or {})))
    return {"plan": plan, "program": None, "warnings": _plain(secret_warnings(checked)), **figures_of(checked)}


def check(plan: str) -> Document:
    """Errors and warnings of a plan: the document of `edit-plan --check --json`."""
    return report(plan).to_dict("")


def _plain(said: Sequence[str]) -> list[str]:
    return [line.removeprefix("warning: ") for line in said if not line.startswith("  ")]
