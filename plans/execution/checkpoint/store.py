"""The plan that a checkpoint belongs to, stored inside the checkpoint, and what may differ at the next start.

Spark finds state by an operator's position and by column types, so a changed query can restart on wrong state without
a word. Every start therefore compares plans first. TTLs, descriptions and stateless nodes may differ; what shapes
state may not.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from plans.errors import CheckpointError
from plans.execution.program import Program
from plans.identity import state_shape
from plans.plan import CompiledPlan

if TYPE_CHECKING:
    from plans.execution.storage import Folder

FOLDER = "compiled-plan"
_PLAN, _LAYOUT = f"{FOLDER}/plan.json", f"{FOLDER}/layout.json"
FORMAT = 1


@dataclass(frozen=True, slots=True)
class Difference:
    """Something that keeps a plan from starting on a checkpoint."""

    what: str
    old: str
    new: str

    def __str__(self) -> str:
        return f"{self.what}: checkpoint has {self.old}, plan has {self.new}"


def describe(program: Program, host: str) -> dict[str, Any]:
    """What of a program shapes the state in a checkpoint, as JSON."""
    plan = program.plan
    sources: list[dict[str, Any]] = [
        {"table": table.table.identifier, "options": dict(sorted(table.table.options.items()))}
        for _, table in sorted(program.tables.items())
    ]
    sources += [{"values": source} for source in sorted(program.values)]
    operators = {}
    for level, stage in enumerate(program.layout.stages, start=1):
        for node_id in stage:
            node = plan.node(node_id)
            if node.uid is None:
                continue  # keeps nothing: it only calls functions
            operators[str(node.uid)] = {
                "type": node.type,
                "stage": level,
                "inputs": [[str(type_) for type_ in below.output_type.types] for below in plan.inputs(node_id)],
                "fields": state_shape(node),
            }
    return {"format": FORMAT, "host": host, "sources": sources, "operators": operators}


def check(folder: Folder, program: Program, host: str) -> bool:
    """Compare the checkpoint's plan with the one to be started; True when the checkpoint has one.

    Raises:
        CheckpointError: they differ in something that shapes state, or the folder is a checkpoint of another tool.
    """
    stored = folder.read_text(_LAYOUT)
    if stored is None:
        if folder.holds("offsets") or folder.holds("metadata"):
            raise CheckpointError(
                "this folder is the checkpoint of a query that execute-plan did not start",
                where=folder.uri,
                remedy="name an empty folder with --checkpoint",
            )
        return False
    old = json.loads(stored)
    if old.get("format") != FORMAT:
        raise CheckpointError(
            f"the checkpoint has format {old.get('format')}, this release reads {FORMAT}",
            where=folder.uri,
            remedy="run it with the release that wrote it, or start with an empty checkpoint",
        )
    found = differences(old, describe(program, host))
    if found:
        raise CheckpointError(
            "the plan does not fit the checkpoint's state:\n" + "\n".join(f"  - {item}" for item in found),
            where=folder.uri,
            remedy="start with an empty checkpoint folder, or run the plan that the checkpoint was written by",
        )
    return True


def differences(old: dict[str, Any], new: dict[str, Any]) -> list[Difference]:
    """What differs between two descriptions, in words."""
    found = []
    if old["host"] != new["host"]:
        found.append(Difference("the operator host (--host)", old["host"], new["host"]))
    if old["sources"] != new["sources"]:
        found.append(Difference("the sources", _names(old["sources"]), _names(new["sources"])))
        if _names(old["sources"]) == _names(new["sources"]):
            found[-1] = _options(old["sources"], new["sources"])
    before, after = old["operators"], new["operators"]
    for uid in sorted(before.keys() - after.keys()):
        found.append(Difference(f"operator {uid}", before[uid]["type"], "no such operator"))
    for uid in sorted(after.keys() - before.keys()):
        found.append(Difference(f"operator {uid}", "no such operator", after[uid]["type"]))
    for uid in sorted(before.keys() & after.keys()):
        found += _operator(uid, before[uid], after[uid])
    return found


def _operator(uid: str, old: dict[str, Any], new: dict[str, Any]) -> list[Difference]:
    found = []
    for what in ("type", "stage"):
        if old[what] != new[what]:
            found.append(Difference(f"operator {uid}, {what}", str(old[what]), str(new[what])))
    if old["inputs"] != new["inputs"]:
        found.append(Difference(f"operator {uid}, input columns", str(old["inputs"]), str(new["inputs"])))
    for field in sorted(old["fields"].keys() | new["fields"].keys()):
        left, right = old["fields"].get(field), new["fields"].get(field)
        if left != right:
            found.append(Difference(f"operator {uid}, {field}", json.dumps(left), json.dumps(right)))
    return found


def _names(sources: list[dict[str, Any]]) -> str:
    return ", ".join(str(source.get("table", "values")) for source in sources) or "none"


def _options(old: list[dict[str, Any]], new: list[dict[str, Any]]) -> Difference:
    from plans.masking import masked

    for left, right in zip(old, new, strict=True):
        if left != right:
            shown = [json.dumps(masked(side.get("options", {}))) for side in (left, right)]
            return Difference(f"options of source {left.get('table', 'values')}", *shown)
    raise AssertionError("the sources are equal")


def store(folder: Folder, program: Program, host: str) -> None:
    """Write the plan beside the checkpoint's state; TTLs of a later start replace those of an earlier one."""
    folder.write_text(_PLAN, program.plan.to_json())
    folder.write_text(_LAYOUT, json.dumps(describe(program, host), indent=2))


def stored_plan(folder: Folder) -> CompiledPlan | None:
    """The plan that a checkpoint was last started with."""
    text = folder.read_text(_PLAN)
    return None if text is None else CompiledPlan.from_json(text)
