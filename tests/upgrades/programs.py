"""Programs of kinds: compiled one by one, and several merged into one plan of independent parts."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.inspection.diff.build import diff_plans
from compiled_plan.plans.inspection.diff.flink import Fate, FlinkDiff, flink_diff
from compiled_plan.plans.inspection.judging.verdicts import Verdict
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.plan.session_options import UTC, with_zone
from tests.upgrades.kinds.model import TABLES, UPSERTED, Elsewhere, Kind

#: The names of tables in their declarations.
NAME = re.compile(r"CREATE TABLE (\w+)")


def declarations(own: str, statements: str, folder: Path) -> str:
    """The tables that a program reads and writes; its own declarations replace the common ones."""
    named = set(NAME.findall(own))
    used = {name: text for name, text in TABLES.items() if name not in named and re.search(rf"\b{name}\b", statements)}
    return (own + "".join(used.values())).replace("{folder}", str(folder))


def script(query: str, sink: str) -> str:
    """The statements of a program: a query becomes an INSERT, statements stay."""
    if not query.startswith("INSERT"):
        return f"INSERT INTO {sink} {query};\n"
    if query.count("INSERT INTO") == 1:
        return query
    return f"EXECUTE STATEMENT SET BEGIN {query} END;\n"


def text_of(kind: Kind, new: bool, folder: Path) -> str:
    """A program of a kind, with its tables."""
    statements = script(kind.new if new else kind.old, kind.sink)
    return declarations(kind.tables[new], statements, folder) + statements


def compiled(kind: Kind, new: bool, folder: Path) -> CompiledPlan:
    """The plan of the old or of the new program."""
    return in_files(as_declared(kind, new, folder), folder)


def as_declared(kind: Kind, new: bool, folder: Path) -> CompiledPlan:
    """The same with the declared sink, even if it stores no rows."""
    return with_zone(_plan_of(text_of(kind, new, folder)), kind.zones[new], otherwise=UTC)


@cache
def _plan_of(text: str) -> CompiledPlan:
    return TableEnvironment().compile_script(text)


def in_files(plan: CompiledPlan, folder: Path) -> CompiledPlan:
    """The plan with a filesystem sink in place of the upsert sink."""
    data = plan.to_dict()
    for node in data["nodes"]:
        table = node.get("dynamicTableSink", {}).get("table", {})
        options = table.get("resolvedTable", {}).get("options", {})
        if options.get("connector") == "blackhole":
            options |= {"connector": "filesystem", "path": f"{folder}/{UPSERTED}", "format": "debezium-json"}
    return CompiledPlan.from_dict(data)


def prefix_of(name: str) -> str:
    """Prefix of a part's table names."""
    return re.sub(r"\W", "_", name)


def merged(plans: Mapping[str, CompiledPlan]) -> CompiledPlan:
    """One plan of several: table names get the prefix of their part, and nodes have no uid."""
    nodes: list[Any] = []
    edges: list[Any] = []
    version = ""
    for number, (name, plan) in enumerate(plans.items()):
        prefix = prefix_of(name)
        text = re.sub(
            r"(`default_catalog`\.`default_database`\.`)([^`]*`)",
            lambda match, prefix=prefix: f"{match[1]}{prefix}_{match[2]}",  # type: ignore[misc]
            plan.to_json(),
        )
        data, offset = json.loads(text), 1000 * number
        version = data["flinkVersion"]
        for node in data["nodes"]:
            node.pop("uid", None)
            nodes.append(node | {"id": node["id"] + offset})
        for edge in data["edges"]:
            edges.append(edge | {"source": edge["source"] + offset, "target": edge["target"] + offset})
    return CompiledPlan.from_dict({"flinkVersion": version, "nodes": nodes, "edges": edges})


def write(folder: Path, number: int, rows: Mapping[str, Iterable[Mapping[str, Any]]]) -> None:
    """Write rows of tables, one file each."""
    for name, some in rows.items():
        target = folder / name
        target.mkdir(parents=True, exist_ok=True)
        (target / f"{number}.json").write_text("".join(json.dumps(row) + "\n" for row in some))


def flink_of(kind: Kind) -> FlinkDiff:
    """The result of `diff-plan --for flink` for a kind: from both plans and a savepoint of the old one."""
    old, new = (as_declared(kind, is_new, Path("/data")) for is_new in (False, True))
    return flink_diff(diff_plans(old, new), old, new, {})


def in_flink(diff: FlinkDiff) -> Elsewhere:
    """Flink's verdict on a kind, in a word."""
    fates = {operator.fate for operator in diff.operators}
    if diff.needs_permission or fates & {Fate.REFUSED, Fate.DROPPED}:
        return Elsewhere.REFUSED
    if Fate.UNKNOWN in fates:
        return Elsewhere.UNDEFINED
    taken = [operator for operator in diff.operators if operator.fate in (Fate.RESTORED, Fate.OTHERS, Fate.WRONG)]
    if any(operator.verdict is not Verdict.FULL for operator in taken):
        return Elsewhere.WRONG
    return Elsewhere.EMPTY if Fate.EMPTY in fates else Elsewhere.RESTORED
