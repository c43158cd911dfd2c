"""Edits and checks of plans: `edit-plan`."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from compiled_plan.cli.common.engines import Engine
from compiled_plan.cli.common.terminal import ExitCode, console, print_table
from compiled_plan.plans.files import quoted, read_text, write_text
from compiled_plan.plans.findings import Finding, located, shown
from compiled_plan.plans.inspection.advice import edits_of
from compiled_plan.plans.inspection.check import Report, report
from compiled_plan.plans.inspection.checked_plans import plan_from_json
from compiled_plan.plans.inspection.entries import state_lines
from compiled_plan.plans.inspection.lint import lint
from compiled_plan.plans.inspection.ttl import Change, TtlEdit, parse_edit, set_ttls
from compiled_plan.plans.plan.parsing import SCHEMA
from compiled_plan.plans.text.spans import remove
from compiled_plan.plans.text.visible import counted


@dataclass(frozen=True, slots=True)
class TtlSources:
    """The TTLs to set: texts as in `parse_edit`, and the file of an advice; empty for none."""

    texts: Sequence[str]
    advice: str

    def is_given(self) -> bool:
        """Return True if there is an edit, be it an advice that changes nothing."""
        return bool(self.texts or self.advice)

    def edits(self, text: str, path: str) -> list[TtlEdit]:
        """The edits of a plan, of which a later one has priority."""
        parsed = [parse_edit(item) for item in self.texts]
        if not self.advice:
            return parsed
        lines = state_lines(plan_from_json(text, quoted(path)))
        return [*edits_of(read_text(self.advice), lines, quoted(self.advice)), *parsed]


def edit_plan(path: str, ttls: TtlSources, output: str, check: bool, engine: Engine | None, show: Printer) -> int:
    """Edit, check or show a plan file, and return the exit code."""
    text = read_text(path)
    changes: Sequence[Change] = ()
    if ttls.is_given():
        text, ttl_changes = set_ttls(text, ttls.edits(text, path), quoted(path))
        changes = ttl_changes
    is_edit = ttls.is_given() or engine is not None
    answer = None
    if check:
        answer = report(text)
        if not (show.as_json and is_edit and answer.runs):
            show.report(path, answer)
        if not answer.runs:
            return ExitCode.FAILED
    if engine is Engine.FLINK:
        plan_from_json(text, quoted(path))  # Nothing but a plan is written.
        text = remove(text, SCHEMA)
    if is_edit:
        write_text(output, text)
        show.changes(output, changes, [] if check else _warnings(text), answer)
    elif not check:
        show.entries(text, path)
    return ExitCode.OK


def _warnings(text: str) -> list[Finding]:
    return located(lint(plan_from_json(text)), text)


class Printer:
    """Print results to stdout (text or JSON) and diagnostics to stderr."""

    def __init__(self, as_json: bool, quiet: bool) -> None:
        self.as_json = as_json
        self.quiet = quiet

    def entries(self, text: str, path: str) -> None:
        """Print the state entries of a plan as a table."""
        lines = state_lines(plan_from_json(text, quoted(path)))
        if self.as_json:
            _write_json({"plan": path, "state": [line.to_dict() for line in lines]})
            return
        if self.quiet:
            return
        if not lines:
            sys.stdout.write("the plan has no state with a TTL\n")
            return
        print_table(
            ("node", "entry", "ttl", "uid", "keeps", "description"),
            [
                (
                    str(line.node),
                    line.entry,
                    _shown(line.ttl, line.ttl_ms) + (f", compiled: {line.compiled}" if line.compiled else ""),
                    line.uid,
                    f"input {line.index}: {line.input}",
                    line.description,
                )
                for line in lines
            ],
        )

    def changes(
        self, path: str, changes: Sequence[Change], warnings: Sequence[Finding], check: Report | None = None
    ) -> None:
        """Print the changed TTLs, and warnings about them; in JSON also the report of a check, which has its own."""
        if self.as_json:
            document: dict[str, object] = {"warnings": [finding.to_dict() for finding in warnings]}
            if check is not None:
                document = check.to_dict(path)
            _write_json({"plan": path, "changes": [asdict(change) for change in changes]} | document)
            return
        if self.quiet:
            return
        if not changes:
            console().print(f"{path} is written")
        for change in changes:
            console().print(f"{change.uid} (node {change.node}) {change.entry}: {change.old} -> {change.new}")
            if change.doubt:
                remedy = "give it a unit, such as `90 min`, `1 h` or `2 d`, or `ms`"
                console().print(f"warning: {change.entry}: {change.doubt}\n  try: {remedy}", style="yellow")
        for finding in warnings:
            console().print(_finding_text(finding, path), style="yellow")

    def report(self, path: str, check: Report) -> None:
        """Print the report of a check."""
        if self.as_json:
            _write_json(check.to_dict(path))
            return
        for finding in check.findings:
            if finding.is_error:
                console(stderr=False).print(_finding_text(finding, path), style="red")
            elif not self.quiet:
                console(stderr=False).print(_finding_text(finding, path), style="yellow")
        if self.quiet:
            return
        for fact in check.at_start if check.runs else ():
            console().print(f"checked at the start: {fact.subject}: {fact.what}")
        errors = sum(finding.is_error for finding in check.findings)
        warnings = len(check.findings) - errors
        console().print(f"{path}: {counted(errors, 'error')}, {counted(warnings, 'warning')}")


def _finding_text(finding: Finding, path: str) -> str:
    lines = [f"{finding.severity.value}: {finding.message}", f"  at: {finding.where_in(quoted(path))}"]
    if finding.value is not None:
        lines.append(f"  value: {shown(finding.value)}")
    if finding.remedy:
        lines.append(f"  try: {finding.remedy}")
    return "\n".join(lines)


def _shown(ttl: str, milliseconds: int) -> str:
    if milliseconds and ttl.strip().isdigit():
        return f"{ttl} (milliseconds)"
    return ttl if milliseconds else f"{ttl} (never expires)"


def _write_json(value: object) -> None:
    sys.stdout.write(json.dumps(value, indent=2, ensure_ascii=False) + "\n")
