"""Review of one subject: compile its program, compare the plan with its predecessor, describe the effect."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

from compiled_plan.cli.comparing.comparison import Comparison
from compiled_plan.cli.comparing.sides import ComparedSide, side_of
from compiled_plan.cli.review.repository import Repository
from compiled_plan.cli.review.subjects import Subject
from compiled_plan.compiling.scripts import Session
from compiled_plan.planner.catalog.lakes.access import lakes_read_by, without_secrets
from compiled_plan.plans.errors import CompiledPlanError, too_deep
from compiled_plan.plans.files.code_folders import imported_from
from compiled_plan.plans.inspection.checked_plans import plan_from_json
from compiled_plan.plans.inspection.diff.facts import run_to_come
from compiled_plan.plans.inspection.diff.markdown import code, drawn, fenced, table
from compiled_plan.plans.inspection.graph.document import GraphNode
from compiled_plan.plans.inspection.graph.drawing import Drawing
from compiled_plan.plans.inspection.graph.mermaid import to_mermaid
from compiled_plan.plans.inspection.rules import plan_findings
from compiled_plan.plans.text.masking import masked_program, masked_text
from compiled_plan.plans.text.secrets import hidden, secrets_in_program
from compiled_plan.plans.text.visible import counted, visible
from compiled_plan.session.initializing import find_modules_in, text_of

if TYPE_CHECKING:
    from compiled_plan.plans.plan import CompiledPlan


class Result(Enum):
    """Kind of result, in the order of a comment: the worst first."""

    FAILED = "invalid"
    INCOMPATIBLE = "incompatible"
    UNKNOWN = "unknown"
    PARTIAL = "partially compatible"
    FULL = "fully compatible"
    NEW = "new"
    DELETED = "deleted"
    SAME = "no difference"


@dataclass(frozen=True, slots=True)
class Reviewed:
    """A reviewed subject; all texts are masked Markdown."""

    name: str  # path of the program, or of a plan without one
    result: Result
    body: str  # the section of the comment, with its heading
    is_stale: bool = False  # the committed plan is not that of the program
    notes: tuple[str, ...] = ()  # remarks in one line each
    plans: tuple[str, str] | None = None  # the compared plans in JSON, if they differ
    old_plan: str = ""  # the old plan as git names it; empty for one of a checkpoint
    paths: tuple[str, ...] = ()  # of the compared program and plan, before and after the change


@dataclass(frozen=True, slots=True)
class Reviewer:
    """The settings of a review.

    Args:
        repository: the working tree, which is the current folder, and the commit.
        session: the initial session of programs.
        checkpoints: checkpoints to compare with instead of the committed plan, by program or plan.
        code: folders from which programs and functions in Python, and jars, may come.
    """

    repository: Repository
    session: Session
    checkpoints: Mapping[str, str] = field(default_factory=dict)
    code: Sequence[Path] = ()

    def review(self, subject: Subject) -> Reviewed:
        """Review a subject; a program that cannot be compiled is a result, too."""
        for folder in self.code:
            find_modules_in(folder)
        try:
            remedy = "review it first; --allow-code FOLDER runs the code of a folder"
            with imported_from(self.code, remedy=remedy), lakes_read_by(without_secrets):
                return self._deleted(subject) if subject.is_deleted else self._reviewed(subject)
        except CompiledPlanError as fault:
            error = fault
        except RecursionError:
            error = too_deep()
        except Exception as fault:
            # The other programs are reviewed all the same.
            error = CompiledPlanError(f"internal error: {type(fault).__name__}: {fault}", remedy="report it")
        return failed(subject.name, error, self._secrets(subject))

    def _reviewed(self, subject: Subject) -> Reviewed:
        said: list[str] = []
        committed = self._plan(subject.plan, self.repository.text) if subject.plan else None
        old = self._old(subject, said)
        plan, is_stale = committed, False
        if subject.program:
            over = old if committed is None else ComparedSide(subject.plan, "plan", committed, run_to_come())
            plan = side_of(subject.program, self.session, said.append, over).plan
            is_stale = committed is not None and plan != committed
        assert plan is not None, "a subject that is not deleted has a program or a plan"
        said += (f"execute-plan refuses it: {finding.message}" for finding in plan_findings(plan))
        if is_stale:
            said.append(f"`{subject.plan}` is not the plan of this program: `{self._command(subject)}`")
        if subject.old_plan and not subject.plan:
            is_there = subject.old_plan in self.repository.files
            fate = "is no longer that of a program" if is_there else "was deleted"
            said.append(f"the plan file `{subject.old_plan}` {fate}")
        remarks = self._remarks(subject, said)
        if old is None:
            return Reviewed(subject.name, Result.NEW, "\n".join(_new(subject.name, plan)), is_stale, remarks)
        is_file = bool(subject.plan) and not is_stale
        after = ComparedSide(
            subject.plan if is_file else subject.name, "plan" if is_file else "program", plan, run_to_come()
        )
        compared = Comparison.of(old, after)
        result = Result.SAME if compared.diff.is_empty else Result[compared.diff.verdict.name]
        plans = None if result is Result.SAME else (old.plan.to_json(), plan.to_json())
        committed_as = f"{self.repository.base}:{subject.old_plan}" if old.kind == "plan" else ""
        text = compared.markdown(code(subject.name))
        return Reviewed(subject.name, result, text, is_stale, remarks, plans, committed_as, subject.paths)

    def _command(self, subject: Subject) -> str:
        """The command that compiles the program of a subject to its plan file."""
        options = [f"--init {quote(file)}" for file in self.session.init]
        options += [f"--set {quote(f'{key}={value}')}" for key, value in self.session.settings.items()]
        return " ".join(("compile-plan", *options, quote(subject.program), "-o", quote(subject.plan)))

    def _secrets(self, subject: Subject) -> frozenset[str]:
        """The secrets of a program and of the init files, which may be outside of the repository."""
        texts = [self.repository.text(subject.program)] if subject.program else []
        for file in self.session.init:
            # An unreadable file is an error of the program.
            with suppress(CompiledPlanError):
                texts.append(text_of(file))
        return frozenset[str]().union(*map(secrets_in_program, texts))

    def _old(self, subject: Subject, said: list[str]) -> ComparedSide | None:
        """The plan to compare with: of the checkpoint, or committed; None without one."""
        checkpoint = next((self.checkpoints[path] for path in subject.paths if path in self.checkpoints), None)
        if checkpoint is not None:
            return side_of(checkpoint, self.session, said.append)
        plan = self._committed(subject, said) if subject.old_plan else None
        if plan is None:
            return None
        return ComparedSide(f"{subject.old_plan} ({self.repository.base[:10]})", "plan", plan, run_to_come())

    def _committed(self, subject: Subject, said: list[str]) -> CompiledPlan | None:
        """The plan before the change; None if it cannot be read."""
        try:
            return self._plan(subject.old_plan, self.repository.old_text)
        except CompiledPlanError as fault:
            said.append(f"warning: the committed plan cannot be read: {fault.message}")
            return None

    def _plan(self, path: str, text_of: Callable[[str], str]) -> CompiledPlan:
        return plan_from_json(text_of(path), path)

    def _deleted(self, subject: Subject) -> Reviewed:
        said: list[str] = []
        plan = self._committed(subject, said)
        keeping = [] if plan is None else _with_state(Drawing.of(plan))
        state = f"the state of {counted(len(keeping), 'operator')} is not used any more"
        lines = [f"### {code(subject.name)}: {Result.DELETED.value}{'' if plan is None else f': {state}'}", ""]
        lines += (f"- {code(node.description)}, {code(node.uid)}" for node in keeping)
        if subject.old_plan in self.repository.files:
            said.append(f"its plan `{subject.old_plan}` is still there")
        return Reviewed(subject.name, Result.DELETED, "\n".join(lines), notes=self._remarks(subject, said))

    def _remarks(self, subject: Subject, said: list[str]) -> tuple[str, ...]:
        """Messages in one line each, without their places and with hidden secrets."""
        secrets = self._secrets(subject)
        lines = (line.removeprefix("warning: ") for line in said if not line.startswith("  "))
        return tuple(_masked(line, secrets) for line in lines)


def failed(name: str, fault: CompiledPlanError, secrets: frozenset[str] = frozenset()) -> Reviewed:
    """The result for a program or plan that cannot be compiled or read."""
    text = _masked(fault.render(), secrets)
    body = "\n".join((f"### {code(name)}: {Result.FAILED.value}", "", *fenced(text, "text")))
    return Reviewed(name, Result.FAILED, body)


def _new(name: str, plan: CompiledPlan) -> Iterator[str]:
    """The section of a plan without a predecessor: its state and a graph."""
    drawing = Drawing.of(plan)
    keeping = _with_state(drawing)
    yield f"### {code(name)}: {Result.NEW.value}: {counted(len(keeping), 'operator')} with state"
    yield ""
    rows = [
        (f"{code(node.description)}\n{code(node.uid)}", name, ttl)
        for node in keeping
        for name, ttl in [(entry.name, entry.effective_ttl) for entry in node.state] or [("", node.why_no_ttl)]
    ]
    yield from table(("operator", "state", "TTL"), rows)
    yield from drawn(to_mermaid(drawing))


def _with_state(drawing: Drawing) -> list[GraphNode]:
    return [node for node in drawing.graph.nodes if node.keeps_state]


def _masked(text: str, secrets: frozenset[str]) -> str:
    """A message of the compiler, which may quote a part of the program, with its secrets hidden."""
    return visible(hidden(masked_text(masked_program(text)), secrets))


#: The results that fail a review, by the value of `--fail-on`.
THRESHOLDS: Mapping[str, frozenset[Result]] = {
    "partial": frozenset((Result.FAILED, Result.INCOMPATIBLE, Result.UNKNOWN, Result.PARTIAL)),
    "unknown": frozenset((Result.FAILED, Result.INCOMPATIBLE, Result.UNKNOWN)),
    "incompatible": frozenset((Result.FAILED, Result.INCOMPATIBLE)),
    "never": frozenset((Result.FAILED,)),
}
