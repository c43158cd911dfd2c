"""Compares plans compiled here with those that Flink compiled: operators in order, state entries, sinks.

python -m tests.planner.physical.compare CASES_DIR [category[/case] ...] [--out DIR] [-v]
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.errors import CompiledPlanError
from compiled_plan.plans.plan import CompiledPlan


@dataclass(frozen=True)
class Comparison:
    """Outcome of a case: `same`, `differs`, `refused` (by us alone), `accepted` (by us alone), `crashed`."""

    case: str
    verdict: str
    detail: str = ""


def shape(plan: dict[str, Any]) -> list[str]:
    """A line per node: kind, state entries, and for sinks the changelog mode of the input."""
    lines = []
    for node in plan["nodes"]:
        kind = node["type"].removeprefix("stream-exec-")
        states = ",".join(f"{entry['name']}={entry['ttl']}" for entry in node.get("state", ()))
        mode = ",".join(item[0] + item[-1] for item in node.get("inputChangelogMode", ()))
        flags = [f"{key}={node[key]}" for key in _FLAGS if key in node]
        lines.append(" ".join(part for part in (kind, states, mode, *flags) if part))
    return lines


_FLAGS = (
    "generateUpdateBefore",
    "needRetraction",
    "aggCallNeedRetractions",
    "inputUpsertKey",
    "leftUpsertKeys",
    "rightUpsertKeys",
    "rankStrategy",
    "rankRange",
    "outputRowNumber",
    "keepLastRow",
    "outputInsertOnly",
    "requireUpsertMaterialize",
)


def compile_case(folder: Path) -> CompiledPlan:
    """The plan of a case's program."""
    return TableEnvironment().compile_script((folder / "program.sql").read_text())


def compare(folder: Path) -> tuple[Comparison, CompiledPlan | None]:
    """Compile a case and compare it with Flink's plan, or with Flink's refusal."""
    case = f"{folder.parent.name}/{folder.name}"
    theirs = folder / "flink-plan.json"
    error = json.loads((folder / "expected.json").read_text()).get("error")
    refused = not theirs.exists() or bool(error)
    try:
        plan = compile_case(folder)
    except CompiledPlanError as fault:
        text = fault.render().replace("\n", " / ")
        return Comparison(case, "same" if refused else "refused", f"{(error or {}).get('stage', '')} {text}"), None
    except Exception as fault:
        return Comparison(case, "crashed", f"{type(fault).__name__}: {fault}"), None
    if not theirs.exists():
        return Comparison(case, "accepted", (error or {}).get("message", "")), plan
    mine, others = shape(plan.to_dict()), shape(json.loads(theirs.read_text()))
    if mine == others:
        return Comparison(case, "same"), plan
    removed = [line for line in others if line not in mine]
    added = [line for line in mine if line not in others]
    return Comparison(case, "differs", f"Flink: {removed} here: {added}"), plan


def main() -> int:
    """Print a line per case, then the totals."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("cases", type=Path)
    arguments.add_argument("only", nargs="*")
    arguments.add_argument("--out", type=Path)
    arguments.add_argument("-v", "--verbose", action="store_true")
    options = arguments.parse_args()
    totals: dict[str, int] = {}
    for folder in sorted(path.parent for path in options.cases.glob("*/*/program.sql")):
        name = f"{folder.parent.name}/{folder.name}"
        if options.only and not any(name.startswith(item) for item in options.only):
            continue
        comparison, plan = compare(folder)
        totals[comparison.verdict] = totals.get(comparison.verdict, 0) + 1
        if options.verbose or comparison.verdict != "same":
            sys.stdout.write(f"{comparison.verdict:8} {comparison.case}  {comparison.detail}\n")
        if plan is not None and options.out is not None:
            options.out.mkdir(parents=True, exist_ok=True)
            (options.out / (name.replace("/", "__") + ".json")).write_text(plan.to_json())
    sys.stdout.write(f"{totals}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
