"""What may differ between the program that a checkpoint was last started with and the one to be started.

Spark finds state by an operator's position and by column types, so a changed query can restart on wrong state without
a word. Every start therefore compares first what keys, arguments, filters, orders and stored columns mean
(`plans.inspection.lineage`), and what of the run shapes them. TTLs, names, the order of statements may differ, and so
may the tables that are read where no operator's state comes from them: such a start goes on in place. What comes of
anything else is decided in `plans.execution.upgrade`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from compiled_plan.plans.errors import CheckpointError
from compiled_plan.plans.execution.checkpoint.description import (
    FORMAT,
    operator_parts,
    source_parts,
)
from compiled_plan.plans.execution.program import Program
from compiled_plan.plans.inspection.checkpoints import wrong_format
from compiled_plan.plans.inspection.lineage.compare import Edit, Pairs, Part, edits, paired

if TYPE_CHECKING:
    from compiled_plan.plans.execution.storage import Folder


#: Of another program altogether.
ALL_READ = "all that is read"


@dataclass(frozen=True, slots=True)
class Difference:
    """Something that differs between a plan and the one of a checkpoint.

    Args:
        what: what it is.
        old: in the checkpoint.
        new: in the plan.
        remedy: what makes them equal, where that is not a matter of the plan.
        moves: whether it changes nothing but where and how state is kept.
    """

    what: str
    old: str
    new: str
    remedy: str = ""
    moves: bool = False

    def __str__(self) -> str:
        return f"{self.what}: checkpoint has {self.old}, plan has {self.new}"


@dataclass(frozen=True, slots=True)
class Known:
    """What a checkpoint says to the start of a plan.

    Args:
        uids: by node, the name under which its state is in the checkpoint.
        partitions: the shuffle partitions that its state is spread over.
        description: of the program that it was last started with.
    """

    uids: Mapping[int, str]
    partitions: int
    description: Mapping[str, Any]


def settled(pairs: Pairs, new: Mapping[str, Any], old: Mapping[str, Any]) -> Known:
    """What a checkpoint says to a start in place.

    Args:
        pairs: which operators belong together.
        new: the description of the program to be started.
        old: that in the checkpoint.
    """
    nodes = {each["uid"]: each["node"] for each in new["operators"]}
    uids = {nodes[after.name]: before.name for before, after in pairs.both if after.kind != "sink"}
    return Known(uids, old["partitions"], old)


def check_format(old: Mapping[str, Any], folder: Folder) -> None:
    """Refuse a checkpoint of another release."""
    if old.get("format") != FORMAT:
        product = (old.get("versions") or {}).get("product")
        raise wrong_format(folder, "format", old.get("format"), FORMAT, product)


def check_states(old: Mapping[str, Any], new: Mapping[str, Any], folder: Folder) -> None:
    """Compare what operators' bytes are, by uid, as the kernel says it.

    Raises:
        CheckpointError: bytes that this kernel does not read.
    """
    found = [
        f"operator {uid}: checkpoint has state {_state_text(old[uid])}, this release has {_state_text(new[uid])}"
        for uid in sorted(old.keys() & new.keys())
        if _state_text(old[uid]) != _state_text(new[uid])
    ]
    if found:
        raise CheckpointError(
            "the checkpoint's state has another form:\n" + "\n".join(f"  - {each}" for each in found),
            where=folder.shown,
            remedy="run it with the release that wrote it, or start with an empty checkpoint",
        )


def _state_text(state: Mapping[str, Any]) -> str:
    forms = ", ".join(f"{form} {version}" for form, version in _forms(state.get("fields", ())))
    return f"{state.get('kind')} {state.get('version')}" + (f" of {forms}" if forms else "")


def _forms(fields: Iterable[Mapping[str, Any]]) -> Iterator[tuple[str, int]]:
    """The forms of accumulators with their versions, in order."""
    for field in fields:
        if "form" in field:
            yield field["form"], field["version"]
        yield from _forms(field.get("parts", ()))
        yield from _forms(field.get("fields", ()))


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
    # Sources that are gone or added concern those operators alone that read them.
    sources = paired(source_parts(old), source_parts(new), alike=False)
    if sources.gone and sources.added and not sources.both:
        gone, added = (", ".join(part.name for part in parts) for parts in (sources.gone, sources.added))
        found.append(Difference(ALL_READ, gone, added))
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
            Difference(
                f"{_label(before)}, {each.property}", each.old, each.new, _outside(each), each.property == "stage"
            )
            for each in edits(before, after)
            if each.worded or not moved
        ]
        if after.kept and before.name != after.name:
            remedy = f"give the operator its uid {before.name} again"
            found.append(Difference(f"{_label(before)}, uid", before.name, after.name, remedy, True))
    if not found:
        found += [
            Difference(f"{_label(before)}, what is above it", before.identity, after.identity)
            for before, after in operators.both
            if before.identity != after.identity
        ]
    return found, operators


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
        found.append(Difference("the operator host", old["host"], new["host"], f"give --host {old['host']}", True))
    if old["clock"] != new["clock"]:
        found.append(Difference("the clock of timers", old["clock"], new["clock"], moves=True))
    before, after = old["versions"]["spark"], new["versions"]["spark"]
    if release(before) > release(after):
        remedy = f"run it with Spark {before} or newer"
        found.append(Difference("Spark", f"version {before}", f"version {after}", remedy))
    return found


def release(version: str) -> tuple[int, ...]:
    """A version of Spark as far as it counts."""
    return tuple(int(part) for part in version.split(".")[:2] if part.isdigit())
