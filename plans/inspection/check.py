"""Checks of a plan's text: JSON, schema, semantic rules, lint."""

from __future__ import annotations

from dataclasses import dataclass, replace

from compiled_plan.plans.errors import PlanError
from compiled_plan.plans.findings import Finding, Severity, located
from compiled_plan.plans.inspection.at_start import AtStart, checked_at_start
from compiled_plan.plans.inspection.checked_plans import read_plan
from compiled_plan.plans.inspection.lint import lint
from compiled_plan.plans.inspection.schema import schema_findings
from compiled_plan.plans.text import jsontext
from compiled_plan.plans.text.json_faults import JsonError


@dataclass(frozen=True, slots=True)
class Report:
    """Result of checking a plan."""

    #: All errors and warnings of the plan; a run fails on exactly the errors.
    findings: tuple[Finding, ...]
    at_start: tuple[AtStart, ...] = ()  # facts outside the plan, checked at a start

    @property
    def runs(self) -> bool:
        """Return True if the plan has no errors."""
        return not any(finding.is_error for finding in self.findings)

    def to_dict(self, source: str) -> dict[str, object]:
        """The document of `edit-plan --check --json`."""
        findings, facts = ([item.to_dict() for item in items] for items in (self.findings, self.at_start))
        return {"plan": source, "valid": self.runs, "findings": findings, "checkedAtStart": facts}


def check(text: str) -> tuple[Finding, ...]:
    return report(text).findings


def report(text: str) -> Report:
    """Check a plan's text: the plan, if it can be read, and the findings."""
    try:
        data = jsontext.loads(text)
    except JsonError as fault:
        return Report((Finding(fault.pointer, fault.message, fault.remedy, span=fault.span, excerpt=fault.excerpt),))
    except PlanError as fault:
        return Report((Finding("", fault.message, fault.remedy),))
    plan, findings = read_plan(data)
    pointers = {finding.pointer for finding in findings}
    # The reader decides what runs. The schema is stricter: Flink may require fields that have a default here.
    severity = Severity.ERROR if plan is None else Severity.WARNING
    for finding in schema_findings(data):
        if not any(_same_place(finding.pointer, pointer) for pointer in pointers):
            findings.append(replace(finding, severity=severity))
    if plan is None:
        return Report(tuple(located(findings, text)))
    return Report(tuple(located((*findings, *lint(plan)), text)), checked_at_start(plan))


def _same_place(first: str, second: str) -> bool:
    return first == second or first.startswith(f"{second}/") or second.startswith(f"{first}/")
