"""Checking a plan's text: JSON, schema, semantic rules, lint."""

from __future__ import annotations

from dataclasses import replace

from compiled_plan.plans.errors import PlanError
from compiled_plan.plans.findings import Finding, Severity
from compiled_plan.plans.inspection.lint import lint
from compiled_plan.plans.inspection.reading import read_plan
from compiled_plan.plans.inspection.schema import schema_findings
from compiled_plan.plans.text import jsontext


def check(text: str, source: str = "") -> tuple[Finding, ...]:
    """Everything that is wrong or doubtful in a plan; empty for a good one.

    Args:
        text: the plan.
        source: name of the file, for errors.
    """
    try:
        data = jsontext.loads(text, source)
    except PlanError as fault:
        return (Finding("", f"{fault.message} ({fault.where})", fault.remedy),)
    plan, findings = read_plan(data)
    pointers = {finding.pointer for finding in findings}
    # The reader decides what runs. The schema is stricter: Flink may ask for fields that have a default here.
    severity = Severity.ERROR if plan is None else Severity.WARNING
    for finding in schema_findings(data):
        if not any(_same_place(finding.pointer, pointer) for pointer in pointers):
            findings.append(replace(finding, severity=severity))
    if plan is not None:
        findings += lint(plan)
    return tuple(findings)


def _same_place(one: str, other: str) -> bool:
    return one == other or one.startswith(f"{other}/") or other.startswith(f"{one}/")
