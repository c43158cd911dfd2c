"""Tests of programs that a client submits: their plans, without files and programs of their own."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence

from compiled_plan.plans.errors import CompiledPlanError, UnsupportedError
from compiled_plan.service.common.outside import jars_of
from compiled_plan.service.common.places import Allowed
from compiled_plan.service.workers.tasks.refusals import PlanOfTest
from compiled_plan.testing.cases import CALLERS, Case, case_named, cases_of_text

_REMEDY = "run it with `test-plan` on the command line"


def check_own(case: Case) -> None:
    """Raise if a test needs files, or a program of its own.

    Raises:
        ProgramError: with the line.
    """
    if case.sql or case.program != CALLERS:
        key = "sql" if case.sql else "program"
        raise case.document.error(case.place(key), f"`{key}` of a test is another program", f"remove it, or {_REMEDY}")
    if case.init:
        raise case.document.error(case.place("init"), "`init` names files", f"remove it, or {_REMEDY}")
    if case.upgrades:
        step = next(step for step in case.steps if step.kind == "upgrade")
        raise case.document.error(step.spot, "`upgrade` names a file, and only Spark runs it", _REMEDY)


def own_case(tests: str, test: str) -> Case:
    """The test of a name, without files and programs of its own."""
    case = case_named(cases_of_text(tests), test)
    check_own(case)
    return case


def check_java(plan: object, allowed: Allowed) -> None:
    """Raise if a plan calls functions in Java."""
    java = jars_of(plan, allowed)
    if java:
        raise UnsupportedError(
            "the service runs no functions in Java in tests",
            where=java[0].name,
            remedy="run the tests with `test-plan` on the command line",
        )


def plans_of(cases: Sequence[Case], compile_: Callable[[Mapping[str, str]], str]) -> list[PlanOfTest]:
    """The plan of each test, `{"plan": ...}`, or the error that refuses it, `{"refused": ...}`.

    Args:
        cases: the tests.
        compile_: compiles the program with session options.
    """
    plans: dict[str, PlanOfTest] = {}

    def plan_of(case: Case) -> PlanOfTest:
        try:
            check_own(case)
            settings = json.dumps(case.settings, sort_keys=True)
            if settings not in plans:
                plans[settings] = {"plan": compile_(case.settings)}
            return plans[settings]
        except CompiledPlanError as fault:
            return refused(fault)

    return [plan_of(case) for case in cases]


def refused(fault: CompiledPlanError) -> PlanOfTest:
    return {"refused": {"message": fault.message, "where": fault.where, "remedy": fault.remedy}}
