"""Reading plans from any author with all checks.

`CompiledPlan.from_json` checks the structure of a plan. This module also checks that nodes are consistent with their
inputs, and tables with the declarations of their connectors.
"""

from __future__ import annotations

from pathlib import Path

from compiled_plan.plans.files import quoted, read_text
from compiled_plan.plans.findings import Finding, raise_unreadable
from compiled_plan.plans.inspection.rules import plan_findings
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.plan.parsing import read_parts
from compiled_plan.plans.text import jsontext
from compiled_plan.plans.text.jsontext import Json


def read_plan(data: Json) -> tuple[CompiledPlan | None, list[Finding]]:
    """Read a plan with its findings; None if errors make it unreadable. Findings include reasons that it cannot run."""
    parts, findings = read_parts(data)
    if parts is None:
        return None, findings
    plan = CompiledPlan(parts.nodes, parts.edges, parts.flink_version, parts.schema)
    findings = list(plan_findings(plan))
    return (None if any(finding.is_unreadable for finding in findings) else plan), findings


def plan_from_dict(data: Json, source: str = "", text: str = "") -> CompiledPlan:
    """Read a plan from JSON values; `source` is the name of its file, for errors, and `text` its text if there is one.

    Raises:
        PlanError: not a plan, or a node that is inconsistent with its inputs; names the node and the JSON pointer.
    """
    plan, findings = read_plan(data)
    raise_unreadable(findings, source, text)
    assert plan is not None, "a plan that cannot be read has a finding that says why"
    return plan


def plan_from_json(text: str, source: str = "") -> CompiledPlan:
    """Read a plan from text. Raises PlanError as `plan_from_dict`, and for invalid JSON."""
    return plan_from_dict(jsontext.loads(text, source), source, text)


def plan_from_file(path: str | Path) -> CompiledPlan:
    """Read a plan from a file, local or remote. Raises PlanError as `plan_from_json`, and if it does not exist."""
    return plan_from_json(read_text(path), quoted(path))
