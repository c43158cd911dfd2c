"""Results of tests as text, as JUnit XML, and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from xml.etree import ElementTree as ET

from compiled_plan.plans.inspection.diff.text import Line
from compiled_plan.plans.text.masking import masked_text
from compiled_plan.plans.text.visible import counted
from compiled_plan.testing.cases import stem_of
from compiled_plan.testing.document import KeyPath
from compiled_plan.testing.running import Failure, Result

_STYLES = {"-": "red", "+": "green", " ": ""}


def result_lines(result: Result, *, notes: bool = True) -> Iterator[Line]:
    """The line of a test, and its notes."""
    word, style = ("ok", "green") if result.failure is None else ("FAILED", "bold red")
    yield Line(f"{word:6} {title(result)}", style)
    if result.reason:
        yield Line(f"       on Spark, since {masked_text(result.reason)}", "dim")
    for note in result.notes if notes else ():
        yield Line(f"       {masked_text(note)}", "dim")


def title(result: Result) -> str:
    """The file and the name of a test."""
    name, file = result.case.name, result.case.document.path
    return str(file) if stem_of(file) == name else f"{file}: {name}"


def failure_lines(failure: Failure) -> Iterator[Line]:
    """A failure: the step, the rows that differ, and the remedy."""
    yield Line(": ".join(filter(None, (failure.where, masked_text(failure.message)))), "bold")
    for difference in failure.differences:
        yield Line(f"  {difference.table}:  - expected, + got")
        yield from (Line(f"  {mark} {text}", _STYLES[mark]) for mark, text in difference.lines)
        yield from (Line(f"  {remark}", "yellow") for remark in difference.columns)
    if failure.fault is not None:
        lines = failure.fault.render().splitlines()[1:]
        yield from (Line(masked_text(line)) for line in lines if line != f"  at: {failure.where}")


def summary_line(results: Sequence[Result], seconds: float) -> Line:
    """The numbers of passed and failed tests."""
    failed = sum(result.failure is not None for result in results)
    passed = len(results) - failed
    text = f"{counted(failed, 'test')} failed, {passed} passed" if failed else f"{counted(passed, 'test')} passed"
    return Line(f"{text} in {seconds:.1f} s", "bold red" if failed else "bold green")


def junit(results: Sequence[Result], seconds: float) -> str:
    """The results as JUnit XML, which CI systems read."""
    failed = sum(result.failure is not None for result in results)
    counts = {"tests": str(len(results)), "failures": str(failed), "errors": "0", "time": f"{seconds:.3f}"}
    root = ET.Element("testsuites", counts)
    suite = ET.SubElement(root, "testsuite", {"name": "test-plan", **counts})
    for result in results:
        path = result.case.document.path
        case = ET.SubElement(
            suite, "testcase", {"classname": str(path), "name": result.case.name, "time": f"{result.seconds:.3f}"}
        )
        if result.failure is not None:
            failure = ET.SubElement(case, "failure", {"message": masked_text(result.failure.message)})
            failure.text = failure_text(result.failure)
    ET.indent(root)
    return ET.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def failure_text(failure: Failure) -> str:
    """A failure as plain text."""
    return "\n".join(line.text for line in failure_lines(failure))


def document(result: Result) -> dict[str, object]:
    """A result as JSON: the test with its steps, and its failure in the lines of `failure_lines`."""
    case, failure = result.case, result.failure
    lines = [] if failure is None else failure_lines(failure)

    def line_of(path: KeyPath) -> int:
        spot = case.document.spots.get(path)
        return 0 if spot is None else spot.line

    return {
        "name": case.name,
        "line": line_of(case.path),
        "passed": failure is None,
        "seconds": round(result.seconds, 3),
        "notes": [masked_text(note) for note in result.notes],
        "steps": [
            {"kind": step.kind, "line": line_of(step.path), "state": _state(result, at)}
            for at, step in enumerate(case.steps)
        ],
        "failure": [{"text": line.text, "style": line.style} for line in lines],
    }


def _state(result: Result, at: int) -> str:
    if at < result.taken:
        return "passed"
    return "failed" if at == result.taken and result.failure is not None and result.started else "skipped"
