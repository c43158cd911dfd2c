"""The plan that a checkpoint belongs to, stored inside the checkpoint, and what may differ at the next start.

Spark finds state by an operator's position and by column types, so a changed query can restart on wrong state without
a word. Every start therefore compares first what keys, arguments, filters, orders and stored columns mean
(`plans.lineage`), and what of the run shapes them. TTLs, names, the order of statements may differ; what shapes state
may not.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from plans.errors import CheckpointError
from plans.execution.checkpoint.description import (
    FORMAT,
    STATE_FORMAT,
    Setting,
    describe,
    operator_parts,
    source_parts,
)
from plans.execution.program import Program
from plans.lineage.compare import Edit, Pairs, Part, edits, paired
from plans.plan import CompiledPlan

if TYPE_CHECKING:
    from plans.execution.storage import Folder

FOLDER = "compiled-plan"
_PLAN, _LAYOUT = f"{FOLDER}/plan.json", f"{FOLDER}/layout.json"


@dataclass(frozen=True, slots=True)
class Difference:
    """Something that keeps a plan from starting on a checkpoint; `remedy` where something else than the plan does."""

    what: str
    old: str
    new: str
    remedy: str = ""

    def __str__(self) -> str:
        return f"{self.what}: checkpoint has {self.old}, plan has {self.new}"


@dataclass(frozen=True, slots=True)
class Known:
    """What a checkpoint says to the start of a plan.

    Args:
        uids: by node, the name under which its state is in the checkpoint.
        partitions: the shuffle partitions that its state is spread over.
    """

    uids: Mapping[int, str]
    partitions: int


def check(folder: Folder, program: Program, setting: Setting, *, guarded: bool = True) -> Known | None:
    """Compare the checkpoint's plan with the one to be started; None when the checkpoint has none.

    Args:
        folder: the checkpoint.
        program: what is to be started.
        setting: what the run adds.
        guarded: False starts whatever differs, to show in tests what would come of it.

    Raises:
        CheckpointError: they differ in something that shapes state, or the folder is a checkpoint of another tool.
    """
    old = _stored(folder)
    if old is None:
        if folder.holds("offsets") or folder.holds("metadata"):
            raise CheckpointError(
                "this folder is the checkpoint of a query that execute-plan did not start",
                where=folder.uri,
                remedy="name an empty folder with --checkpoint",
            )
        return None
    _check_format(old, folder)
    new = describe(program, setting)
    found, pairs = differences(old, new, program)
    asked = setting.asked
    if asked is not None and old["partitions"] and asked != old["partitions"]:
        remedy = "leave spark.sql.shuffle.partitions out: state stays spread as it is"
        found.append(Difference("shuffle partitions", str(old["partitions"]), str(asked), remedy))
    if found and guarded:
        raise CheckpointError(
            "the plan does not fit the checkpoint's state:\n" + "\n".join(f"  - {item}" for item in found),
            where=folder.uri,
            remedy=_remedy(found),
        )
    nodes = {each["uid"]: each["node"] for each in new["operators"]}
    uids = {nodes[after.name]: before.name for before, after in pairs.both if after.kind != "sink"}
    return Known(uids, old["partitions"])


def _stored(folder: Folder) -> dict[str, Any] | None:
    """The description in a checkpoint; None where there is none, or where its first writer was killed."""
    try:
        found = json.loads(folder.read_text(_LAYOUT) or "null")
    except json.JSONDecodeError:
        return None
    return found if isinstance(found, dict) else None


def _check_format(old: Mapping[str, Any], folder: Folder) -> None:
    """Refuse a checkpoint of another release."""
    for what, written, known in (
        ("format", old.get("format"), FORMAT),
        ("state format", old.get("state", STATE_FORMAT), STATE_FORMAT),
    ):
        if written != known:
            product = (old.get("versions") or {}).get("product")
            raise CheckpointError(
                f"the checkpoint has {what} {written}{f', of release {product}' if product else ''}; "
                f"this release reads {what} {known}",
                where=folder.uri,
                remedy="run it with the release that wrote it, or start with an empty checkpoint",
            )


def differences(
    old: Mapping[str, Any], new: Mapping[str, Any], program: Program | None = None
) -> tuple[list[Difference], Pairs]:
    """What differs between two descriptions, in words, and which operators belong together.

    Args:
        old: of the checkpoint.
        new: of the plan to be started.
        program: that of `new`, to tell given uids from derived ones.
    """
    found = _run_differences(old, new)
    sources = paired(source_parts(old), source_parts(new))
    for part in sources.gone:
        found.append(Difference(f"source {part.name}", "it", "no such source"))
    for part in sources.added:
        found.append(Difference(f"source {part.name}", "no such source", "it"))
    for before, after in sources.both:
        found += [
            Difference(f"source {each.part}, {each.property}", each.old, each.new) for each in edits(before, after)
        ]
    moved = bool(found)
    operators = paired(operator_parts(old), operator_parts(new, program))
    for part in operators.gone:
        found.append(Difference(_label(part), part.kind, f"no such {_noun(part)}"))
    for part in operators.added:
        found.append(Difference(_label(part), f"no such {_noun(part)}", part.kind))
    for before, after in operators.both:
        found += [
            Difference(f"{_label(before)}, {each.property}", each.old, each.new, _outside(each))
            for each in edits(before, after)
            if each.worded or not moved
        ]
        if after.kept and before.name != after.name:
            remedy = f"give the operator its uid {before.name} again"
            found.append(Difference(f"{_label(before)}, uid", before.name, after.name, remedy))
    if not found:
        found += [
            Difference(f"{_label(before)}, what is above it", before.identity, after.identity)
            for before, after in operators.both
            if before.identity != after.identity
        ]
    return found, operators


def _remedy(found: Sequence[Difference]) -> str:
    """What to do: of the plan itself there is one way, of what surrounds it each has its own."""
    ways = [each.remedy for each in found if each.remedy]
    if len(ways) < len(found):
        ways.append("run the plan that the checkpoint was written by")
    return "; ".join(dict.fromkeys(ways)) + ", or start with an empty checkpoint folder"


def _outside(edit: Edit) -> str:
    """The remedy for what is not in the plan itself."""
    if edit.property == "time zone":
        return f"give --time-zone {edit.old}" if "," not in edit.old else ""
    if edit.property.startswith("code of "):
        return f"run it with the {edit.property} as it was"
    return ""


def _noun(part: Part) -> str:
    return "sink" if part.kind == "sink" else "operator"


def _label(part: Part) -> str:
    return f"{_noun(part)} {part.name}"


def _run_differences(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[Difference]:
    found = []
    if old["host"] != new["host"]:
        found.append(Difference("the operator host", old["host"], new["host"], f"give --host {old['host']}"))
    if old["clock"] != new["clock"]:
        found.append(Difference("the clock of timers", old["clock"], new["clock"]))
    before, after = old["versions"]["spark"], new["versions"]["spark"]
    if _release(before) > _release(after):
        remedy = f"run it with Spark {before} or newer"
        found.append(Difference("Spark", f"version {before}", f"version {after}", remedy))
    return found


def _release(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".")[:2] if part.isdigit())


def store(folder: Folder, program: Program, setting: Setting, known: Known | None = None) -> None:
    """Write the plan beside the checkpoint's state; TTLs of a later start replace those of an earlier one."""
    if known is not None and known.partitions:
        setting = replace(setting, partitions=known.partitions)
    for name, text in (
        (_PLAN, program.plan.to_json()),
        (_LAYOUT, json.dumps(describe(program, setting), indent=1)),
    ):
        if folder.read_text(name) != text:
            folder.write_text(name, text)


def stored_plan(folder: Folder) -> CompiledPlan | None:
    """The plan that a checkpoint was last started with."""
    text = folder.read_text(_PLAN)
    return None if text is None else CompiledPlan.from_json(text)
