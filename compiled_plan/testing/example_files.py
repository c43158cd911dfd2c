"""Counterexamples as files for `test-plan`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from compiled_plan.plans.errors import ExecutionError, UnsupportedError
from compiled_plan.plans.execution.testing.engine import Engines
from compiled_plan.plans.execution.testing.quick import NotQuickError
from compiled_plan.plans.inspection.diff.concerns import named
from compiled_plan.plans.inspection.diff.document import Example, Examples
from compiled_plan.plans.inspection.diff.model import OperatorEdit, Part, SinkEdit
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.text.masking import masked_text
from compiled_plan.plans.text.visible import counted
from compiled_plan.testing.cases import cases_of
from compiled_plan.testing.comparing import Difference
from compiled_plan.testing.counterexamples import Counterexample, search
from compiled_plan.testing.document import KINDS, UNSAVED, read_document
from compiled_plan.testing.reporting import failure_text
from compiled_plan.testing.running import Result, run_case
from compiled_plan.testing.values import scalar, shown

#: The number of random inputs, also while a part lacks an example, and the time limit of a search, in s.
_TRIES, _MOST, _SECONDS = 30, 120, 10.0


@dataclass(frozen=True, slots=True)
class Names:
    """The names that a file of tests gives the compared programs, and the session that compiles them.

    Args:
        old: the file of the program before the change.
        new: the file of the program after it.
        init: SQL files that prepare the session.
        settings: session options.
    """

    old: str
    new: str
    init: Sequence[str] = ()
    settings: Mapping[str, str] = field(default_factory=dict)


def examples_of(
    plans: tuple[CompiledPlan, CompiledPlan], names: Names, engines: Engines, *, checks: bool = True
) -> Examples:
    """Search examples of a change, and write each as a file for `test-plan`.

    Args:
        plans: the program before the change, and after it.
        names: their names in the files.
        engines: creates engines.
        checks: run each file; its names must exist.

    Raises:
        UnsupportedError: a program runs in a query alone; names the reason.
        ExecutionError: an example does not pass as a test.
        CompiledPlanError: a program does not start; an `UpgradeError` if no option lets the new one continue.
    """
    try:
        outcome = search(*plans, engines, _SECONDS, _TRIES, _MOST)
    except NotQuickError as reason:
        raise UnsupportedError(
            f"{reason}, and examples are searched without a query",
            remedy="write a test with a step `upgrade`, for test-plan --spark",
        ) from None
    for example in outcome.examples if checks else ():
        failure = result_of(example, names, engines).failure
        if failure is not None:
            raise ExecutionError(
                f"an example does not pass as a test:\n{failure_text(failure)}",
                remedy="write a test with a step `upgrade` for test-plan, and report this with both programs",
            )
    examples = [
        Example(parts=[label(watch.part) for watch in example.parts], test=example_file(example, names))
        for example in outcome.examples
    ]
    return Examples(
        inputs=outcome.compared, ended=outcome.failed, examples=examples, missing=list(map(label, outcome.missing))
    )


def label(part: Part) -> str:
    """A short name of a part: the uid of an operator, or the table's name."""
    if isinstance(part, OperatorEdit):
        return part.uid
    return f"{'sink' if isinstance(part, SinkEdit) else 'source'} {part.name}"


def summary(examples: Examples) -> Iterator[str]:
    """The number of inputs, and the parts without an example, in a line each."""
    tried = counted(examples.inputs, "random input")
    ended = f"; {counted(examples.ended, 'more input')} ended a program" if examples.ended else ""
    rest = "in other parts " if examples.examples else ""
    yield f"no difference {rest}in {tried}{ended}"
    yield from (f"no example of {part}, which is not fully compatible" for part in examples.missing)


def example_file(example: Counterexample, names: Names) -> str:
    """An example as a file for `test-plan`."""
    return "".join(f"{line}\n" for line in _lines(example, names))


def result_of(example: Counterexample, names: Names, engines: Engines) -> Result:
    """The result of the file as a test; its names are relative to the working directory."""
    (case,) = cases_of(read_document(UNSAVED, example_file(example, names)))
    return run_case(case, engines, spark=False)


def _lines(example: Counterexample, names: Names) -> Iterator[str]:
    yield f"program: {scalar(names.old)}"
    if names.init:
        yield f"init: {shown([*names.init])}"
    if names.settings:
        yield f"set: {shown(names.settings)}"
    yield "steps:"
    for step in example.outcome.steps:
        match step.kind:
            case "rows":
                yield "  - rows:"
                for table, items in step.value.items():
                    yield f"      {scalar(table)}:"
                    yield from (f"        - {_item(item)}" for item in items)
            case "upgrade":
                yield f"  - upgrade: {shown({**step.value, 'program': names.new})}"
            case kind:
                yield f"  - {kind}:"
    yield "  - expect:"
    for name, rows in example.outcome.tables.items():
        yield f"      {scalar(name)}: {{table: [{', '.join(rows)}]}}"
    yield "# The new program alone, over all these rows (-), and instead of it (+):"
    for sink in example.outcome.sinks.values():
        yield from (f"#   {sink.name}: {line}" for line in _marked(sink.difference))
    for watch in example.parts:
        if isinstance(watch.part, OperatorEdit):
            emitted = example.outcome.operators[watch.nodes[1]]
            yield f"# {masked_text(named(watch.part))}, {watch.part.verdict.value}, {emitted.name}:"
            yield from (f"#   {line}" for line in _marked(emitted.difference))


def _marked(difference: Difference) -> Sequence[str]:
    """The rows that differ, with their marks."""
    return [f"{mark} {text}" for mark, text in difference.lines if mark != " "] or difference.columns


def _item(item: Mapping[str, object]) -> str:
    """A row, or a change with its kind before the row."""
    kind, row = next(iter(item.items()), ("", None))
    return f"{kind}: {shown(row)}" if kind in KINDS else shown(item)
