"""Reading plans with all that can be said about them: the door for plans that others wrote.

What `CompiledPlan.from_json` reads has the structure of a plan; here its nodes must follow from their inputs, too, and
its tables from the declarations of their connectors.
"""

from __future__ import annotations

from pathlib import Path

from compiled_plan.plans.files import quoted, read_text
from compiled_plan.plans.findings import Finding, raise_unreadable
from compiled_plan.plans.inspection.rules import plan_findings
from compiled_plan.plans.nodes.model import Json
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.plan.parsing import read_parts
from compiled_plan.plans.text import jsontext


def read_plan(data: Json) -> tuple[CompiledPlan | None, list[Finding]]:
    """The plan, or None and the errors that keep it from being read; beside them what keeps it from being run."""
    parts, findings = read_parts(data)
    if parts is None:
        return None, findings
    findings = list(plan_findings(parts.nodes, parts.edges))
    wrong = any(finding.is_unreadable for finding in findings)
    return (None if wrong else CompiledPlan(parts.nodes, parts.edges, parts.flink_version)), findings


def plan_from_dict(data: Json, source: str = "") -> CompiledPlan:
    """A plan from JSON values; `source` is the name of its file, for errors.

    Raises PlanError with the node and the JSON pointer for what is no plan, and for nodes that do not follow from their
    inputs.
    """
    plan, findings = read_plan(data)
    raise_unreadable(findings, source)
    assert plan is not None, "a plan that cannot be read has a finding that says why"
    return plan


def plan_from_json(text: str, source: str = "") -> CompiledPlan:
    """A plan from its text. Raises as `plan_from_dict`, and for what is not JSON."""
    return plan_from_dict(jsontext.loads(text, source), source)


def plan_from_file(path: str | Path) -> CompiledPlan:
    """A plan from a file, local or remote. Raises as `plan_from_json`, and where there is no such file."""
    return plan_from_json(read_text(path), quoted(path))
