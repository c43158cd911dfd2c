"""Reader of the description in a checkpoint: facts of a run that its plan does not hold. `describe` writes it.

Everything else that a start compares is read from the plan beside it. `Description` is format 4. Format 3 also held
each property of sources and operators in words, and no `folder`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any, NotRequired, TypedDict

from compiled_plan.plans.inspection.checkpoints import wrong_format
from compiled_plan.plans.inspection.diff.facts import RunFacts
from compiled_plan.plans.inspection.lineage.operators import Item, Property
from compiled_plan.plans.inspection.lineage.plans import lineage_of
from compiled_plan.plans.inspection.lineage.same_tables import options_digest
from compiled_plan.plans.inspection.lineage.table_identity import is_relative, local_place, paths_of
from compiled_plan.plans.nodes.scan import TableSourceScan
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.rex import UserFunction
from compiled_plan.plans.text.hadoop_paths import at_rest

#: The format that is written.
FORMAT = 4
_FORMER = 3
_CODE = "code of "
#: Placeholder for the folder of a format 3 run other than this process's folder.
_ELSEWHERE = "/another folder"


class Versions(TypedDict):
    """Versions of the software that runs the plan."""

    product: str
    spark: str
    java: int
    python: str


class SourceEntry(TypedDict):
    """A table that is read: digests of its location and its options, and its names in Spark."""

    name: str
    identity: str
    options: str
    names: Sequence[str]


class OperatorEntry(TypedDict):
    """An operator: its stage, by which Spark finds the state; facts of its Python functions, by their paths."""

    uid: str
    stage: int | None
    code: Mapping[str, str]  # digests
    accumulators: NotRequired[Mapping[str, str]]  # types; not in release 0.2


class RunDescription(TypedDict):
    """The part of a description without the sources."""

    format: int
    versions: Versions
    host: str
    clock: str
    partitions: int
    folder: str | None  # base of relative paths in the plan
    operators: Sequence[OperatorEntry]


class Description(RunDescription):
    """The description of a run as the checkpoint holds it."""

    sources: Sequence[SourceEntry]
    gone: Sequence[SourceEntry]  # tables that were read before
    positions: dict[str, str | None]  # last offset of each removed source, by Spark's name
    partly: NotRequired[Mapping[str, str]]  # why an operator's state does not cover all rows that were read, by uid


def read_description(text: str, where: str) -> Description:
    """Read a description; format 3 is converted to format 4 with `folder` None.

    Raises:
        CheckpointError: another format.
    """
    description = json.loads(text)
    if description.get("format") not in (FORMAT, _FORMER):
        product = (description.get("versions") or {}).get("product")
        raise wrong_format(where, "format", description.get("format"), FORMAT, product)
    current: Description = description
    if description["format"] == FORMAT:
        return current
    return current | {
        "folder": None,
        "sources": list(map(_source, description["sources"])),
        "gone": list(map(_source, description["gone"])),
        "operators": list(map(_operator, description["operators"])),
    }


def _source(former: Mapping[str, Any]) -> SourceEntry:
    properties = [Property(entry["name"], tuple(map(Item.from_dict, entry["items"]))) for entry in former["properties"]]
    return {
        "name": former["name"],
        "identity": former["identity"],
        "names": former["names"],
        "options": options_digest(properties),
    }


def _operator(former: Mapping[str, Any]) -> OperatorEntry:
    items = {entry["name"]: entry["items"] for entry in former["properties"]}
    return {
        "uid": former["uid"],
        "stage": int(items["stage"][0]["text"]) if "stage" in items else None,
        "code": {name.removeprefix(_CODE): its[0]["digest"] for name, its in items.items() if name.startswith(_CODE)},
    }


def facts_of(description: Description, plan: CompiledPlan) -> RunFacts:
    """The facts of the last run from a description (as `read_description` returns it) and the plan beside it."""
    code = {operator["uid"]: operator["code"] for operator in description["operators"]}
    accumulators = {operator["uid"]: operator.get("accumulators", {}) for operator in description["operators"]}
    folder = description["folder"] or _former_folder(description, plan)

    def digest(uid: str, function: UserFunction) -> str:
        return str(code.get(uid, {}).get(function.path, ""))

    def place(path: str) -> str:
        return at_rest(os.path.normpath(f"{folder}/{path}")) if folder and is_relative(path) else local_place(path)

    def accumulator(uid: str, function: UserFunction) -> str:
        return str(accumulators.get(uid, {}).get(function.path, ""))

    return RunFacts(description["versions"]["spark"], digest, accumulator, place, is_run=True)


def _former_folder(description: Description, plan: CompiledPlan) -> str:
    """The folder of a format 3 run: this process's, unless tables at relative paths were elsewhere."""
    recorded = {source["identity"] for source in description["sources"]}
    for source in lineage_of(plan, local_place).sources:
        node = plan.node(source.nodes[0])
        if not isinstance(node, TableSourceScan) or source.identity in recorded:
            continue
        if any(map(is_relative, paths_of(node.scan_table_source.table))):
            return _ELSEWHERE
    return ""
