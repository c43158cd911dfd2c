"""The description in a checkpoint, read: facts of a run that its plan does not hold. A run writes it, see `describe`.

Everything else that a start compares is read from the plan beside it. Format 4:

    format, versions, host, clock, partitions
    folder       relative paths of the plan are relative to it
    sources      tables that are read: name, identity (digest of their place), options (digest), Spark's names of them
    gone         the same of tables that were read before
    operators    uid, stage (by which Spark finds the state), code (digests of Python functions, by path),
                 accumulators (their types, by path of the aggregate function in Python; not in release 0.2)
    positions    by Spark's name of a source that is gone, how far it was read
    partly       by uid why an operator's state is not that of all rows that were read

Format 3 also held each property of sources and operators in words, and no `folder`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

from compiled_plan.plans.inspection.checkpoints import wrong_format
from compiled_plan.plans.inspection.diff.facts import RunFacts
from compiled_plan.plans.inspection.lineage.operators import Item, Property
from compiled_plan.plans.inspection.lineage.plans import lineage_of
from compiled_plan.plans.inspection.lineage.same_tables import options_digest
from compiled_plan.plans.inspection.lineage.table_identity import at_rest, is_relative, local_place, paths_of
from compiled_plan.plans.nodes.scan import TableSourceScan
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.rex import PythonFunction

#: The format that is written.
FORMAT = 4
_FORMER = 3
_CODE = "code of "
#: Stands for the folder of a run of format 3 that was another one than this process's.
_ELSEWHERE = "/another folder"


def read_description(text: str, where: str) -> dict[str, Any]:
    """Read a description; one of format 3 as format 4, with a `folder` that is None; CheckpointError for others."""
    found: dict[str, Any] = json.loads(text)
    if found.get("format") not in (FORMAT, _FORMER):
        product = (found.get("versions") or {}).get("product")
        raise wrong_format(where, "format", found.get("format"), FORMAT, product)
    if found["format"] == FORMAT:
        return found
    return found | {
        "folder": None,
        "sources": list(map(_source, found["sources"])),
        "gone": list(map(_source, found["gone"])),
        "operators": list(map(_operator, found["operators"])),
    }


def _source(former: Mapping[str, Any]) -> dict[str, Any]:
    properties = [Property(each["name"], tuple(map(Item.from_dict, each["items"]))) for each in former["properties"]]
    return {key: former[key] for key in ("name", "identity", "names")} | {"options": options_digest(properties)}


def _operator(former: Mapping[str, Any]) -> dict[str, Any]:
    items = {each["name"]: each["items"] for each in former["properties"]}
    return {
        "uid": former["uid"],
        "stage": int(items["stage"][0]["text"]) if "stage" in items else None,
        "code": {name.removeprefix(_CODE): its[0]["digest"] for name, its in items.items() if name.startswith(_CODE)},
    }


def facts_of(description: Mapping[str, Any], plan: CompiledPlan) -> RunFacts:
    """The facts that a description, as `read_description` gives it, and the plan beside it record of the last run."""
    code = {each["uid"]: each["code"] for each in description["operators"]}
    accumulators = {each["uid"]: each.get("accumulators", {}) for each in description["operators"]}
    folder = description["folder"] or _former_folder(description, plan)

    def digest(uid: str, function: PythonFunction) -> str:
        return str(code.get(uid, {}).get(function.path, ""))

    def place(path: str) -> str:
        return at_rest(os.path.normpath(f"{folder}/{path}")) if folder and is_relative(path) else local_place(path)

    def accumulator(uid: str, function: PythonFunction) -> str:
        return str(accumulators.get(uid, {}).get(function.path, ""))

    return RunFacts(description["versions"]["spark"], digest, accumulator, place, is_run=True)


def _former_folder(description: Mapping[str, Any], plan: CompiledPlan) -> str:
    """The folder of a run of format 3: this process's, unless tables at relative paths were elsewhere."""
    recorded = {each["identity"] for each in description["sources"]}
    for source in lineage_of(plan, local_place).sources:
        node = plan.node(source.nodes[0])
        if not isinstance(node, TableSourceScan) or source.identity in recorded:
            continue
        if any(map(is_relative, paths_of(node.scan_table_source.table))):
            return _ELSEWHERE
    return ""
