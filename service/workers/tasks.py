"""Tasks of workers: one function per task, with JSON arguments and results. They raise the product's errors."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from itertools import islice, takewhile
from operator import eq
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

from compiled_plan.plans.errors import ProgramError, UnsupportedError, too_deep
from compiled_plan.service.common.outside import check_outside, jars_of
from compiled_plan.service.common.places import Allowed

if TYPE_CHECKING:
    from compiled_plan.plans.plan import CompiledPlan
    from compiled_plan.testing.cases import Case

#: A JSON object.
Document = dict[str, Any]
#: The maximum number of completions.
_CANDIDATES = 400


class Figures(TypedDict):
    """The numbers of operators, and of those with state."""

    operators: int
    stateful: int


class Compiled(Figures):
    """The text of a plan, its program (None if the plan itself was submitted), and warnings."""

    plan: str
    program: str | None
    warnings: list[str]


class Edited(Figures):
    """The text of an edited plan; the changes and warnings as in `edit-plan --json`."""

    plan: str
    changes: list[Document]
    warnings: list[Document]


def compile_(
    text: str = "",
    file: str = "",
    settings: Mapping[str, str] | None = None,
    old: str | None = None,
    program_ttls: bool = False,
    allowed: Mapping[str, Any] | None = None,
    known: str = "",
) -> Compiled:
    """Compile a program over the previous plan.

    Args:
        text: the SQL script.
        file: a Python program, instead of a script.
        settings: configuration options, as set with SET at the start of the program.
        old: the previous plan, whose uids and edited TTLs are kept.
        program_ttls: drop edited TTLs.
        allowed: fields of `Allowed`.
        known: the previous program, whose secrets are masked in `text`.
    """
    from compiled_plan.compiling.scripts import Session, compiled, compiled_text
    from compiled_plan.plans.files.code_folders import imported_from
    from compiled_plan.plans.inspection.checked_plans import plan_from_json
    from compiled_plan.plans.inspection.recompile import notes, recompile
    from compiled_plan.plans.text.masking import masked_program, masked_text
    from compiled_plan.service.workers.unmasking import fill
    from compiled_plan.session.initializing import find_modules_in

    may = Allowed(**(allowed or {}))
    said: list[str] = []
    filled = fill(text, known, None if old is None else json.loads(old))
    program = filled.text
    for folder in may.programs:
        find_modules_in(Path(folder))
    with filled.unseen(), imported_from([Path(folder) for folder in may.programs]):
        if file:
            program = Path(file).read_text(encoding="utf-8")
            plan = compiled(file, Session(settings or {}), said.append).plan
        else:
            plan = compiled_text(program, Session(settings or {}), said.append).plan
    if old is not None:
        merged = recompile(plan, plan_from_json(old, "the version in force"), edits=not program_ttls)
        said += notes(merged, "the version in force")
        plan = merged.plan
    warnings = [masked_text(masked_program(filled.hide(line))) for line in _plain(said)]
    plan_text = plan.to_json()
    document = json.loads(plan_text)
    check_outside(document, may)
    filled.check(document)
    return {"plan": plan_text, "program": program, "warnings": warnings, **_figures(plan)}


def plans_of_tests(
    tests: str,
    text: str = "",
    file: str = "",
    plan: str = "",
    settings: Mapping[str, str] | None = None,
    allowed: Mapping[str, Any] | None = None,
    **how: Any,
) -> list[Document]:
    """The plan of each test, or the error that refuses it, see `testing.plans_of`.

    Args:
        tests: a file of tests.
        text, file, settings, allowed: as for `compile_`.
        plan: the text of a plan, instead of a program.
        how: further arguments of `compile_`.
    """
    from compiled_plan.service.workers.testing import plans_of
    from compiled_plan.testing.cases import cases_of_text

    def compiled(options: Mapping[str, str]) -> str:
        if plan:
            result = read(plan, allowed)
        else:
            result = compile_(text, file, {**(settings or {}), **options}, allowed=allowed, **how)
        _check_java(json.loads(result["plan"]), Allowed(**(allowed or {})))
        return result["plan"]

    return plans_of(cases_of_text(tests), compiled)


def names_of_tests(tests: str) -> list[str]:
    """The names of the tests in a file.

    Args:
        tests: the file.
    """
    from compiled_plan.testing.cases import cases_of_text

    return [case.name for case in cases_of_text(tests)]


def _check_java(plan: Document, allowed: Allowed) -> None:
    """Raise if a plan calls functions in Java."""
    java = jars_of(plan, allowed)
    if java:
        raise UnsupportedError(
            "the service runs no functions in Java in tests",
            where=java[0].name,
            remedy="run the tests with `test-plan` on the command line",
        )


def _own_case(tests: str, test: str) -> Case:
    """The test of a name, without files and programs of its own."""
    from compiled_plan.service.workers.testing import check_own
    from compiled_plan.testing.cases import case_named, cases_of_text

    case = case_named(cases_of_text(tests), test)
    check_own(case)
    return case


def complete(before: str, after: str, settings: Mapping[str, str], allowed: Mapping[str, Any]) -> list[Document]:
    """Completions at the cursor in a SQL script.

    Args:
        before: the script before the cursor; its complete declarations give the names.
        after: the script after the cursor.
        settings: configuration options, as for `compile_`.
        allowed: fields of `Allowed`.
    """
    from dataclasses import asdict

    from compiled_plan.compiling.completing import Candidates, declared
    from compiled_plan.environment import TableEnvironment
    from compiled_plan.plans.files.code_folders import imported_from

    environment = TableEnvironment(settings)
    with imported_from([Path(folder) for folder in Allowed(**allowed).programs]):
        declared(environment, before)
    return [asdict(item) for item in islice(Candidates(environment).at(before, after), _CANDIDATES)]


def preview(
    at: int | str,
    rows: int,
    text: str,
    settings: Mapping[str, str],
    old: str | None,
    allowed: Mapping[str, Any],
    known: str,
    tests: str = "",
    test: str = "",
) -> str:
    """The plan of a preview.

    Args:
        at: the position of the cursor in the script, or a table of the script.
        rows: the maximum number of rows.
        tests: a file of tests.
        test: the test whose rows take the place of the sources; empty for the sources.
        text, settings, old, allowed, known: as for `compile_`.
    """
    from compiled_plan.compiling.previews import preview_plan
    from compiled_plan.plans.files.code_folders import imported_from
    from compiled_plan.service.workers.unmasking import fill
    from compiled_plan.testing.sampling import sample_of

    case = _own_case(tests, test) if test else None
    may, filled = Allowed(**allowed), fill(text, known, None if old is None else json.loads(old))
    with filled.unseen(), imported_from([Path(folder) for folder in may.programs]):
        compiled = preview_plan({**settings, **(case.settings if case is not None else {})}, filled.text, at, rows)
    plan = compiled.to_json()
    document = json.loads(plan)
    check_outside(document, may)
    if case is not None:
        _check_java(document, may)
        sample_of(case, compiled)
    filled.check(document)
    return plan


def table_preview(
    plan: str, node: int, rows: int, settings: Mapping[str, str], allowed: Mapping[str, Any], program: str = ""
) -> str:
    """The plan of a preview of the table of a source or sink.

    Args:
        plan: the text of the plan.
        node: the id of the source or sink.
        rows: the maximum number of rows.
        settings, allowed: as for `compile_`.
        program: the SQL script of the plan; empty if there is none.
    """
    from compiled_plan.compiling.previews import table_preview_plan
    from compiled_plan.plans.inspection.checked_plans import plan_from_json

    preview = table_preview_plan(settings, plan_from_json(plan), node, rows, program).to_json()
    check_outside(json.loads(preview), Allowed(**allowed))
    return preview


def _plain(said: Sequence[str]) -> list[str]:
    return [line.removeprefix("warning: ") for line in said if not line.startswith("  ")]


def _figures(plan: CompiledPlan) -> Figures:
    return {"operators": len(plan.nodes), "stateful": sum(1 for node in plan.nodes if node.ttl_entries)}


def read(plan: str, allowed: Mapping[str, Any] | None = None) -> Compiled:
    """Read a submitted plan.

    Args:
        plan: its text.
        allowed: fields of `Allowed`.
    """
    from compiled_plan.plans.inspection.checked_plans import plan_from_json
    from compiled_plan.plans.inspection.lint import secret_warnings
    from compiled_plan.plans.text import jsontext
    from compiled_plan.service.workers.unmasking import check_complete

    checked = plan_from_json(plan, "the plan")
    document = jsontext.loads(plan)
    check_complete(document)
    check_outside(document, Allowed(**(allowed or {})))
    return {"plan": plan, "program": None, "warnings": _plain(secret_warnings(checked)), **_figures(checked)}


def check(plan: str) -> Document:
    """Errors and warnings of a plan: the document of `edit-plan --check --json`."""
    from compiled_plan.plans.inspection.check import report

    return report(plan).to_dict("")


def ttl(plan: str, edits: list[Document]) -> Edited:
    """Set TTLs: the document of `edit-plan --ttl --json`, and the text of the plan.

    Args:
        plan: the text of the plan.
        edits: edits as over HTTP, with `node`, `state` and `ttl`.
    """
    from dataclasses import asdict

    from compiled_plan.plans.inspection.checked_plans import plan_from_json
    from compiled_plan.plans.inspection.lint import lint
    from compiled_plan.plans.inspection.ttl import TtlEdit, set_ttls

    before = plan_from_json(plan)
    text, changes = set_ttls(plan, [TtlEdit(str(edit["node"]), _entry(before, edit), edit["ttl"]) for edit in edits])
    after = plan_from_json(text)
    return {
        "plan": text,
        "changes": [asdict(change) for change in changes],
        "warnings": [finding.to_dict() for finding in lint(after)],
        **_figures(after),
    }


def _entry(plan: CompiledPlan, edit: Document) -> str:
    """The name of a state entry, also by the number of its input."""
    node, entry = str(edit["node"]), str(edit["state"])
    if not entry.isdecimal():
        return entry
    from compiled_plan.plans.inspection.entries import state_lines

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
    from dataclasses import replace

    from compiled_plan.plans.inspection.checked_plans import plan_from_json
    from compiled_plan.plans.inspection.diff.advice import advice
    from compiled_plan.plans.inspection.diff.build import diff_plans
    from compiled_plan.plans.inspection.diff.description import facts_of, read_description
    from compiled_plan.plans.inspection.diff.document import Side, document
    from compiled_plan.plans.inspection.diff.facts import NO_RUN, run_to_come

    plans = plan_from_json(old, old_name), plan_from_json(new, new_name)
    runs = (NO_RUN, NO_RUN)
    if description:
        last = facts_of(read_description(description, old_name), plans[0])
        runs = last, replace(run_to_come(), place=last.place)
    plan_diff = diff_plans(*plans, runs=runs)
    before, after = (
        Side(name=old_name, kind="checkpoint" if description else "plan"),
        Side(name=new_name, kind="plan"),
    )
    return document(plan_diff, before, after, advice(plan_diff, new_name)).model_dump(by_alias=True)


def graph(plan: str) -> Document:
    """The graph of a plan; its nodes have `readable`, true if `table_preview` can read their table."""
    from compiled_plan.compiling.plan_tables import is_readable
    from compiled_plan.plans.inspection.checked_plans import plan_from_json
    from compiled_plan.plans.inspection.graph.document import graph_of

    checked = plan_from_json(plan)
    document = graph_of(checked).model_dump(by_alias=True)
    for node in document["nodes"]:
        node["readable"] = is_readable(checked, node["id"])
    return document


def tables(plan: str) -> Document:
    """The tables that a plan reads and writes, with their identity outside of the plan, without secrets."""
    from compiled_plan.plans.inspection.checked_plans import plan_from_json
    from compiled_plan.plans.inspection.lineage.origins import tables_read, tables_written
    from compiled_plan.plans.nodes.tables import CatalogTable
    from compiled_plan.plans.telemetry.datasets import NAMESPACE, dataset_of

    def use(table: CatalogTable) -> dict[str, Any]:
        dataset = dataset_of(table)
        # A generator or a printer is a system of its own in each pipeline.
        shared = dataset.namespace != NAMESPACE
        return {**dataset._asdict(), "connector": table.options.get("connector", ""), "shared": shared}

    checked = plan_from_json(plan)
    uses = {"reads": tables_read(checked), "writes": tables_written(checked)}
    return {way: [use(table) for table in used.values()] for way, used in uses.items()}


def state(plan: str) -> Document:
    """The state entries of a plan: the document of `edit-plan --json`."""
    from compiled_plan.plans.inspection.checked_plans import plan_from_json
    from compiled_plan.plans.inspection.entries import state_lines

    return {"plan": "", "state": [line.to_dict() for line in state_lines(plan_from_json(plan))]}


def stages(plan: str) -> Document:
    """The stages of a plan: the document of `execute-plan --dry-run --json`, and its text."""
    from compiled_plan.plans.execution.explain import stages_of, stages_text
    from compiled_plan.plans.inspection.checked_plans import plan_from_json

    layout = stages_of(plan_from_json(plan))
    return {**layout.model_dump(by_alias=True), "text": stages_text(layout)}


def shown_plan(plan: str) -> str:
    """The text of a plan with secrets masked; unchanged if it has none."""
    from compiled_plan.plans.text import jsontext
    from compiled_plan.plans.text.masking import masked_json

    document = jsontext.loads(plan)
    shown = masked_json(document)
    return plan if shown == document else json.dumps(shown, indent=2)


def shown_program(program: str) -> str:
    """The text of a program with secrets masked."""
    from compiled_plan.plans.text.masking import masked_program

    return masked_program(program)


def shown_output(run: str, offset: int | None, tail: int | None, most: int = 1 << 20) -> Document:
    """A part of the output of a run with secrets masked: lines, offset, next offset, and size.

    Args:
        run: the folder of the run.
        offset: the first byte.
        tail: instead, the number of lines from the end.
        most: the maximum number of bytes.
    """
    from compiled_plan.service.runs import output
    from compiled_plan.service.runs.endings import without_secrets
    from compiled_plan.service.runs.folders import RunFolder

    folder = RunFolder(Path(run))
    stretch = output.read(folder.output, offset=offset, tail=tail, most=most)
    # A secret may begin before the part, or end after it: mask it with its surroundings, and then remove these.
    before, text, after = (without_secrets(part, folder) for part in output.around(folder.output, stretch))
    text = text[_common(before, text) :]
    text = text[: len(text) - _common(after[::-1], text[::-1])]
    return {"lines": text.splitlines(), "offset": stretch.offset, "next_offset": stretch.end, "size": stretch.size}


def _common(left: str, right: str) -> int:
    """The length of the common beginning of two texts."""
    return sum(1 for _ in takewhile(bool, map(eq, left, right)))


#: Tasks on submitted programs and plans. Tasks on stored plans are faster and have separate workers.
_ON_SUBMITTED = (compile_, plans_of_tests, names_of_tests, complete, read, check)
_ON_STORED = (
    preview,
    table_preview,
    ttl,
    diff,
    graph,
    tables,
    state,
    stages,
    shown_plan,
    shown_program,
    shown_output,
)


def name_of(task: Callable[..., object]) -> str:
    """The name of a task, in requests and errors."""
    return task.__name__.rstrip("_")


ON_SUBMITTED = {name_of(task) for task in _ON_SUBMITTED}
TASKS: Mapping[str, Callable[..., object]] = {name_of(task): task for task in (*_ON_SUBMITTED, *_ON_STORED)}


def run(name: str, arguments: Mapping[str, Any]) -> object:
    """Run a task."""
    try:
        return TASKS[name](**arguments)
    except FileNotFoundError as fault:
        raise ProgramError("the file does not exist", where=str(fault.filename), remedy="check the path") from None
    except RecursionError:
        raise too_deep() from None
    except MemoryError:
        raise ProgramError("the task exceeds the memory limit", remedy="split the program") from None
