"""Reading of one node's JSON; faults become findings."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from typing import Any

from pydantic import ValidationError

from compiled_plan.plans.findings import Finding, did_you_mean, shown
from compiled_plan.plans.nodes.base import PlanNode
from compiled_plan.plans.nodes.fields import CODEC_ERROR
from compiled_plan.plans.nodes.model import PlanModel
from compiled_plan.plans.nodes.newer import FLINK_VERSION, LATER_TYPES, NewerNode, recompile_remedy
from compiled_plan.plans.nodes.registry import all_node_types, node_type
from compiled_plan.plans.text.jsontext import Json
from compiled_plan.plans.text.masking import masked_json
from compiled_plan.plans.text.spans import pointer_of

_NEEDED = {
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "bool_type": "true or false",
    "string_type": "a text",
    "tuple_type": "a list",
    "dict_type": "an object",
    "model_type": "an object",
    "model_attributes_type": "an object",
    "missing_argument": "a value",
}


def read_node(value: Json, position: int, newer: str = "") -> tuple[PlanNode | None, list[Finding]]:
    """Read the node at a position of the plan's `nodes`; None and findings if it is malformed.

    `newer` is the plan's version of Flink if it is newer than those that are known: a node that is not known then is
    no finding, but a `NewerNode`.
    """
    at = ("nodes", position)
    if not isinstance(value, dict):
        return None, [Finding(pointer_of(at), "a node must be an object", value=value)]
    type_name = value.get("type")
    shown_id = shown(value.get("id", "?"))
    if not isinstance(type_name, str):
        message = "a node needs a `type`" if type_name is None else "a node's `type` must be a text"
        return None, [Finding(pointer_of((*at, "type")), message, "such as `stream-exec-calc_1`", type_name, shown_id)]
    node = f"{shown_id} ({type_name})"
    model = node_type(type_name)
    if model is None:
        message, remedy = _unknown_type(type_name)
        return _newer(value, [Finding(pointer_of((*at, "type")), message, remedy, type_name, node)], newer)
    try:
        own = {key: item for key, item in value.items() if key != "type"}
        return model.model_validate(own, by_alias=True, by_name=False), []
    except ValidationError as fault:
        findings = [_explained(finding, model, at) for finding in findings_of(fault, value, at, node)]
        return _newer(value, findings, newer)


def _newer(value: dict[str, Json], findings: list[Finding], version: str) -> tuple[PlanNode | None, list[Finding]]:
    """A node that is not known, of a plan of Flink `version` if that is newer than those that are known."""
    node = NewerNode.of(value, findings[0], version) if version else None
    return node, findings if node is None else []


def _explained(finding: Finding, model: type[PlanNode], at: tuple[str | int, ...]) -> Finding:
    """Add the reason to the finding of a `state` array whose node type has none."""
    if finding.pointer != pointer_of((*at, "state")) or not finding.message.startswith("unknown field"):
        return finding
    message = f"{model.type_name()} has no `state`: {model.why_no_entries()}"
    return replace(finding, message=message, remedy="remove it")


def findings_of(fault: ValidationError, value: Json, at: tuple[str | int, ...], node: str = "") -> list[Finding]:
    """Convert a pydantic error to findings, one per fault in the JSON value at path `at` of the plan."""
    details = fault.errors(include_url=False)
    missing = [str(detail["loc"][-1]) for detail in details if detail["type"] == "missing"]
    return [_finding(dict(detail), value, at, node, missing) for detail in details]


def _finding(detail: dict[str, Any], root: Json, at: tuple[str | int, ...], node: str, missing: list[str]) -> Finding:
    path = _real_path(detail["loc"], root)
    pointer = pointer_of((*at, *path))
    kind, context = detail["type"], detail.get("ctx", {})
    name = str(path[-1]) if path else ""
    value = masked_json(detail.get("input"), name)
    if kind == "missing":
        return Finding(pointer, f"the field `{name}` is missing", f"add `{name}`", None, node)
    if kind == "extra_forbidden":
        remedy = did_you_mean(name, missing) if missing else ""
        if not remedy.startswith("did"):
            remedy = did_you_mean(name, _all_names(), "remove it")
        return Finding(pointer, f"unknown field `{name}`", remedy, value, node)
    if kind == CODEC_ERROR:
        return Finding(pointer + context["pointer"], context["message"], context["remedy"], value, node)
    if kind == "literal_error":
        known = re.findall(r"'([^']*)'", str(context.get("expected", "")))
        return Finding(pointer, f"unknown value {shown(value)} for `{name}`", _choice(value, known), value, node)
    if kind == "union_tag_invalid":
        tag, known = str(context["tag"]), re.findall(r"'([^']*)'", str(context["expected_tags"]))
        key = str(context["discriminator"]).strip("'")
        # The discriminator of columns is a function; the field is `kind`.
        key = "kind" if "(" in key else key
        pointer = f"{pointer}/{key}"
        return Finding(pointer, f"unknown {key} {tag!r}", did_you_mean(tag, known), tag, node)
    if kind == "union_tag_not_found":
        key = str(context["discriminator"]).strip("'")
        return Finding(f"{pointer}/{key}", f"the field `{key}` is missing", f"add `{key}`", None, node)
    needed = _NEEDED.get(kind)
    message = f"`{name}` must be {needed}, not {shown(value)}" if needed else f"`{name}`: {detail['msg']}"
    return Finding(pointer, message, f"write {needed}" if needed else "", value, node)


def _choice(value: Json, known: list[str]) -> str:
    return did_you_mean(value if isinstance(value, str) else "", known)


def _real_path(loc: tuple[str | int, ...], root: Json) -> list[str | int]:
    """The location without union tags, which pydantic inserts into the path."""
    path: list[str | int] = []
    here = root
    for number, part in enumerate(loc):
        if (isinstance(here, dict) and part in here) or (isinstance(here, list) and isinstance(part, int)):
            path.append(part)
            here = _child(here, part)
        elif number == len(loc) - 1 and isinstance(here, dict):
            path.append(part)
    return path


def _child(value: Json, part: str | int) -> Json:
    return value[part] if isinstance(value, dict) or (isinstance(part, int) and part < len(value)) else None


def _unknown_type(type_name: str) -> tuple[str, str]:
    types = all_node_types()
    name, _, version = type_name.rpartition("_")
    versions = sorted(model.VERSION for model in types.values() if name == model.NAME)
    if versions:
        known = ", ".join(f"{name}_{number}" for number in versions)
        newer = version.isdecimal() and int(version) > versions[-1]
        reason = "a newer version of the node type" if newer else "an unknown version of the node type"
        return f"{reason} {name!r}: {type_name}", f"known: {known}; compile the plan again with this version"
    if name in LATER_TYPES:
        release, _ = LATER_TYPES[name]
        return f"the node type {type_name!r} is of Flink {release}", recompile_remedy(type_name)
    otherwise = f"the product knows the streaming node types of Flink {FLINK_VERSION}"
    return f"unknown node type {type_name!r}", did_you_mean(type_name, types, otherwise)


@lru_cache(maxsize=1)
def _all_names() -> tuple[str, ...]:
    all_node_types()
    names: set[str] = set()
    todo: list[type[PlanModel]] = [PlanModel]
    while todo:
        model = todo.pop()
        names.update(info.alias or name for name, info in model.model_fields.items())
        todo.extend(model.__subclasses__())
    return tuple(sorted(names))
