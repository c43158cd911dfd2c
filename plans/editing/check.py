"""Checking a plan's text: JSON, schema, semantic rules, lint."""

from __future__ import annotations

import re
from typing import Any

from plans import jsontext
from plans.editing.lint import lint
from plans.errors import PlanError
from plans.findings import Finding, did_you_mean, pointer_of, shown
from plans.masking import masked_json
from plans.reading import read_plan

Json = Any


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
    told = {finding.pointer for finding in findings}
    # The reader's own words first; the schema adds what it is stricter about.
    for finding in schema_findings(data):
        if not any(_same_place(finding.pointer, pointer) for pointer in told):
            findings.append(finding)
    if plan is not None:
        findings += lint(plan)
    return tuple(findings)


def schema_findings(data: Json) -> list[Finding]:
    """Where the plan breaks the JSON Schema."""
    # Imported here: no other command needs it, and it takes a while.
    import jsonschema

    import schemas

    errors = jsonschema.Draft202012Validator(schemas.load()).iter_errors(data)
    return [_finding(error, data) for error in sorted(errors, key=lambda error: [str(part) for part in error.path])]


def _finding(error: Any, data: Json) -> Finding:
    parts = list(error.absolute_path)
    name = str(parts[-1]) if parts else "the plan"
    value = masked_json(error.instance, name)
    node = _node_of(parts, data)
    match error.validator:
        case "required":
            missing = next(iter(re.findall(r"^'(.*)' is a required", error.message)), "")
            return Finding(
                pointer_of((*parts, missing)), f"the field `{missing}` is missing", f"add `{missing}`", None, node
            )
        case "additionalProperties" | "unevaluatedProperties":
            extra = next(iter(re.findall(r"'([^']*)'", error.message)), "")
            return Finding(pointer_of((*parts, extra)), f"unknown field `{extra}`", "remove it", None, node)
        case "enum" | "const":
            known = error.validator_value if isinstance(error.validator_value, list) else [error.validator_value]
            remedy = did_you_mean(str(value), [str(item) for item in known])
            return Finding(pointer_of(parts), f"unknown value {shown(value)} for `{name}`", remedy, value, node)
        case "type":
            kinds = error.validator_value
            wanted = " or ".join(kinds) if isinstance(kinds, list) else str(kinds)
            return Finding(pointer_of(parts), f"`{name}` must be {wanted}, not {shown(value)}", "", value, node)
    return Finding(
        pointer_of(parts), f"`{name}` breaks the schema's rule `{error.validator}`: {shown(value)}", "", value, node
    )


def _node_of(parts: list[str | int], data: Json) -> str:
    if len(parts) < 2 or parts[0] != "nodes":
        return ""
    node = data["nodes"][parts[1]]
    return f"{shown(node.get('id'))} ({node.get('type')})" if isinstance(node, dict) else ""


def _same_place(one: str, other: str) -> bool:
    return one == other or one.startswith(f"{other}/") or other.startswith(f"{one}/")
