"""Tasks on stored plans and programs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace

from compiled_plan.compiling.plan_tables import is_readable
from compiled_plan.compiling.previews import table_preview_plan
from compiled_plan.plans.inspection.checked_plans import plan_from_json
from compiled_plan.plans.inspection.diff.advice import advice
from compiled_plan.plans.inspection.diff.build import diff_plans
from compiled_plan.plans.inspection.diff.description import facts_of, read_description
from compiled_plan.plans.inspection.diff.document import Side, document
from compiled_plan.plans.inspection.diff.facts import NO_RUN, run_to_come
from compiled_plan.plans.inspection.entries import state_lines
from compiled_plan.plans.inspection.graph.document import graph_of
from compiled_plan.plans.inspection.lineage.origins import tables_read, tables_written
from compiled_plan.plans.inspection.lint import lint
from compiled_plan.plans.inspection.ttl import TtlEdit, set_ttls
from compiled_plan.plans.nodes.tables import CatalogTable
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.telemetry.datasets import NAMESPACE, dataset_of
from compiled_plan.plans.text import jsontext
from compiled_plan.plans.text.masking import masked_json, masked_program
from compiled_plan.service.common.outside import check_outside
from compiled_plan.service.common.places import Allowed, AllowedFields
from compiled_plan.service.workers.tasks.results import Document, Edited, TtlFields, figures_of


def table_preview(
    plan: str, node: int, rows: int, settings: Mapping[str, str], allowed: AllowedFields, program: str = ""
) -> str:
    """The plan of a preview of the table of a source or sink.

    Args:
        plan: the text of the plan.
        node: the id of the source or sink.
        rows: the maximum number of rows.
        settings, allowed: as for `compile_`.
        program: the SQL script of the plan; empty if there is none.
    """
    preview = table_preview_plan(settings, plan_from_json(plan), node, rows, program).to_json()
    check_outside(json.loads(preview), Allowed(**allowed))
    return preview


def ttl(plan: str, edits: Sequence[TtlFields]) -> Edited:
    """Set TTLs: the document of `edit-plan --ttl --json`, and the text of the plan.

    Args:
        plan: the text of the plan.
        edits: edits as over HTTP, with `node`, `state` and `ttl`.
    """
    before = plan_from_json(plan)
    text, changes = set_ttls(plan, [TtlEdit(str(edit["node"]), _entry(before, edit), edit["ttl"]) for edit in edits])
    after = plan_from_json(text)
    return {
        "plan": text,
        "changes": [asdict(change) for change in changes],
        "warnings": [finding.to_dict() for finding in lint(after)],
        **figures_of(after),
    }


def _entry(plan: CompiledPlan, edit: TtlFields) -> str:
    """The name of a state entry, also by the number of its input."""
    node, entry = str(edit["node"]), str(edit["state"])
    if not entry.isdecimal():
        return entry
    wanted = (line for line in state_lines(plan) if node in (str(line.node), line.uid))
    return next((line.entry for line in wanted if line.index == int(entry)), entry)


def diff(old: str, new: str, old_name: str, new_name: str, description: str = "") -> Document:
    """Compare two plans: the document of `diff-plan --json`.

    Args:
        old: the text of the old plan.
        new: the text of the new plan.
        old_name: the name of the old plan.
        new_name: the name of the new plan.
        description: the description in the checkpoint of the old plan; a run of the new plan uses the same folder.
    """
    plans = plan_from_json(old, old_name), plan_from_json(new, new_name)
    runs = (NO_RUN, NO_RUN)
    if description:
        last = facts_of(read_description(description, old_name), plans[0])
        runs = last, replace(run_to_come(), place=last.place)
    plan_diff = diff_plans(*plans, runs=runs)
    before = Side.of(old_name, "checkpoint" if description else "plan", plans[0])
    after = Side.of(new_name, "plan", plans[1])
    return document(plan_diff, before, after, advice(plan_diff, new_name)).model_dump(by_alias=True)


def graph(plan: str) -> Document:
    """The graph of a plan; its nodes have `readable`, true if `table_preview` can read their table."""
    checked = plan_from_json(plan)
    document = graph_of(checked).model_dump(by_alias=True)
    for node in document["nodes"]:
        node["readable"] = is_readable(checked, node["id"])
    return document


def tables(plan: str) -> Document:
    """The tables that a plan reads and writes, with their identity outside of the plan, without secrets."""

    def use(table: CatalogTable) -> dict[str, object]:
        dataset = dataset_of(table)
        # A generator or a printer is a system of its own in each pipeline.
        shared = dataset.namespace != NAMESPACE
        return {**dataset._asdict(), "connector": table.options.get("connector", ""), "shared": shared}

    checked = plan_from_json(plan)
    uses = {"reads": tables_read(checked), "writes": tables_written(checked)}
    return {way: [use(table) for table in used.values()] for way, used in uses.items()}


def state(plan: str) -> Document:
    """The state entries of a plan: the document of `edit-plan --json`."""
    return {"plan": "", "state": [line.to_dict() for line in state_lines(plan_from_json(plan))]}


def shown_plan(plan: str) -> str:
    """The text of a plan with secrets masked; unchanged if it has none."""
    document = jsontext.loads(plan)
    shown = masked_json(document)
    return plan if shown == document else json.dumps(shown, indent=2)


def shown_program(program: str) -> str:
    """The text of a program with secrets masked."""
    return masked_program(program)
