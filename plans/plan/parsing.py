"""Parse a plan's JSON into nodes and edges, and report every fault as a finding."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from pydantic import ValidationError

from compiled_plan.plans.findings import Finding, did_you_mean, shown
from compiled_plan.plans.nodes.base import PlanNode
from compiled_plan.plans.nodes.newer import FLINK_VERSION, is_newer
from compiled_plan.plans.nodes.read import findings_of, read_node
from compiled_plan.plans.plan.edges import Edge
from compiled_plan.plans.text.jsontext import Json
from compiled_plan.plans.text.spans import pointer_of

_ROOT = {"flinkVersion": str, "nodes": list, "edges": list}
#: The field by which editors find the JSON Schema of a file. Flink refuses it.
SCHEMA = "$schema"
_KINDS = {str: "a text", list: "a list"}


@dataclass(frozen=True, slots=True)
class Parts:
    """Parsed content of a plan's JSON."""

    nodes: tuple[PlanNode, ...]
    edges: tuple[Edge, ...]
    flink_version: str
    schema: str = ""


def read_parts(data: Json) -> tuple[Parts | None, list[Finding]]:
    """Parse a plan's JSON; None and the errors if it cannot be parsed."""
    findings = list(_root_findings(data))
    if not (isinstance(data, dict) and isinstance(data.get("nodes"), list) and isinstance(data.get("edges"), list)):
        return None, findings
    batch = list(_batch_findings(data["nodes"]))
    if batch:
        return None, [*findings, *batch]
    nodes: list[PlanNode] = []
    newer = _newer_version(data)
    for position, value in enumerate(data["nodes"]):
        node, faults = read_node(value, position, newer)
        findings += faults
        if node is not None:
            nodes.append(node)
    edges: list[Edge] = []
    for position, value in enumerate(data["edges"]):
        try:
            edges.append(Edge.model_validate(value, by_alias=True, by_name=False))
        except ValidationError as fault:
            findings += findings_of(fault, value, ("edges", position))
    if findings:
        remedy = f"the plan is of Flink {newer}: compile it with Flink {FLINK_VERSION}"
        return None, [replace(finding, remedy=remedy) for finding in findings] if newer else findings
    return Parts(tuple(nodes), tuple(edges), data["flinkVersion"], data.get(SCHEMA, "")), []


def _root_findings(data: Json) -> Iterator[Finding]:
    if not isinstance(data, dict):
        yield Finding("", "a plan must be an object with `flinkVersion`, `nodes` and `edges`", value=shown(data))
        return
    missing = [name for name in _ROOT if name not in data]
    for name in data:
        if name not in (*_ROOT, SCHEMA):
            remedy = did_you_mean(name, missing, "remove it: Flink allows no other field here")
            yield Finding(pointer_of((name,)), f"unknown field `{name}` in the plan's root", remedy, data[name])
    for name in missing:
        yield Finding(pointer_of((name,)), f"the plan lacks the field `{name}`", "is this a plan file?")
    for name, kind in {SCHEMA: str, **_ROOT}.items():
        if name in data and not isinstance(data[name], kind):
            message = f"`{name}` must be {_KINDS[kind]}, not {shown(data[name])}"
            yield Finding(pointer_of((name,)), message, value=data[name])
    version = data.get("flinkVersion")
    if isinstance(version, str):
        yield from _version_findings(version)


def _batch_findings(nodes: list[Json]) -> Iterator[Finding]:
    """One finding for all nodes of a plan compiled in batch mode."""
    types = (node.get("type") for node in nodes if isinstance(node, dict))
    batch = next((name for name in types if isinstance(name, str) and name.startswith("batch-exec-")), None)
    if batch is not None:
        message = "this is a batch plan, and plans run as streams here"
        yield Finding(
            "/nodes", message, "compile it in streaming mode: SET 'execution.runtime-mode' = 'streaming'", batch
        )


def _version_findings(version: str) -> Iterator[Finding]:
    if not re.fullmatch(r"[0-9]+\.[0-9]+", version):
        yield Finding("/flinkVersion", f"not a version of Flink: {version!r}", f"such as `{FLINK_VERSION}`", version)


def _newer_version(data: dict[str, Json]) -> str:
    """The plan's version of Flink if it is newer than those that are known; else empty."""
    version = data.get("flinkVersion")
    is_known = not isinstance(version, str) or any(_version_findings(version)) or not is_newer(version)
    return "" if is_known else str(version)
