"""`python -m tests.flink_programs`: run Flink's test programs and restore plans, and print their outcomes."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from tests.bench.harness import BenchError
from tests.flink_programs.conversion import Case, converted
from tests.flink_programs.flink import Flink, FlinkError
from tests.flink_programs.functions import signatures
from tests.flink_programs.restoring import filled
from tests.flink_programs.running import Attempt, run_all, write_database
from tests.flink_programs.savepoints import table as table_by_node
from tests.flink_programs.savepoints import verdicts as continue_savepoints
from tests.flink_programs.verdicts import (
    KNOWN,
    KNOWN_SAVEPOINTS,
    Verdict,
    known_deviations,
    table,
    verdict,
    with_reasons,
)
from tests.support.commands import ROOT
from tools.maven import FetchError

app = typer.Typer(add_completion=False)
_ERR = Console(stderr=True, highlight=False, markup=False, soft_wrap=True)


@app.command()
def flink_programs(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME]...", help="Programs, patterns too; all if left out.")
    ] = None,
    savepoints: Annotated[
        bool, typer.Option("--savepoints", help="Run the savepoints of the restore tests alone.")
    ] = False,
    only: Annotated[
        list[str] | None, typer.Option(metavar="NODE/PROGRAM", help="Savepoints, patterns too; repeatable.")
    ] = None,
    empty: Annotated[
        bool, typer.Option("--empty", help="Start without the savepoints: tests that need no state stay equal.")
    ] = False,
    work: Annotated[Path, typer.Option(metavar="DIR", help="Work folder; Flink's answers stay in it.")] = ROOT
    / "build"
    / "flink-programs",
) -> None:
    """Run the test programs, restore plans and savepoints of Flink's planner here, compared with Flink's expectations.

    The tables of outcomes and every deviation go to stdout, progress to stderr, all details to outcomes.json and
    savepoints.json in the work folder. Exit code 1 if a deviation is not listed in known.json or known_savepoints.json,
    or a listed one is gone.
    """
    work = work.resolve()
    work.mkdir(parents=True, exist_ok=True)
    good = True
    try:
        flink = Flink(work)
        if not (savepoints or only):
            judged = _Trial(flink, names or ["*"]).verdicts()
            good &= _report(judged, work / "outcomes.json", KNOWN, table, partial=bool(names))
        if not names:
            judged = continue_savepoints(flink, only or ["*"], _ERR.print, empty=empty)
            good &= _report(judged, work / "savepoints.json", KNOWN_SAVEPOINTS, table_by_node, partial=bool(only))
    except (BenchError, FlinkError, FetchError) as fault:
        _ERR.print(f"error: {fault}")
        raise typer.Exit(1) from None
    raise typer.Exit(0 if good else 1)


def _report(
    verdicts: Sequence[Verdict],
    file: Path,
    known: Path,
    lines: Callable[[Sequence[Verdict]], Iterable[str]],
    *,
    partial: bool,
) -> bool:
    """Print outcomes and write them to a file; return True if every deviation is known, and no known one is gone."""
    reasoned, stale = with_reasons(verdicts, known_deviations(known))
    file.write_text(json.dumps([{**asdict(one), "outcome": one.outcome.value} for one in reasoned], indent=1))
    for one in reasoned:
        if one.unknown:
            print(f"{one.name}: {one.outcome.value}\n  {one.facts[:1000]}".replace("\n", "\n  "))
    for pattern in () if partial else stale:
        print(f"{pattern}: listed in {known.name}, and nothing of that name deviates")
    for line in lines(reasoned):
        print(line)
    return not any(one.unknown for one in reasoned) and (partial or not stale)


class _Trial:
    """All programs in a work folder."""

    def __init__(self, flink: Flink, patterns: Sequence[str]) -> None:
        self.flink, self.work = flink, flink.folder
        self.patterns = patterns
        every = [converted(program) for program in self.flink.programs()]
        self.by_name = {case.name: case for case in every}
        self.cases = [case for case in every if self._selected(case.name)]

    def verdicts(self) -> list[Verdict]:
        in_flink = {case.name: self._asked(case) for case in self.cases}
        self._ask(list(in_flink.values()))
        answers = {name: _answer(attempt) for name, attempt in in_flink.items()}
        for name, answer in answers.items():
            if "noSql" in answer or "inlineFunction$" in answer.get("sql", ""):
                self.by_name[name] = replace(self.by_name[name], obstacle="calls a function in Java without a name")
        self.cases = [self.by_name[case.name] for case in self.cases]
        attempts = [*self._own(answers), *self._of_flink(in_flink), *self._restored()]
        _ERR.print(f"{len(attempts)} programs and plans")
        for attempt in attempts:
            if attempt.plan.exists():
                attempt.check()
        run_all(attempts, self.work, _ERR.print)
        self._read_rows([*attempts, *in_flink.values()])
        judged = []
        for attempt in attempts:
            name = attempt.case.name if attempt.case else ""
            judged.append(verdict(attempt, answers.get(name, {}), in_flink.get(name)))
        return judged

    def _selected(self, name: str) -> bool:
        return any(fnmatchcase(name, pattern) for pattern in self.patterns)

    def _folder(self, case: Case) -> Path:
        return self.work / "programs" / case.name

    def _attempt(self, name: str, folder: Path, case: Case | None) -> Attempt:
        data = self._folder(case) / "data" if case else folder
        attempt = Attempt(name, folder, case, data)
        attempt.functions = {function.name: function.class_ for function in case.functions} if case else {}
        attempt.jars = self.flink.function_jars
        attempt.clear()
        return attempt

    def _asked(self, case: Case) -> Attempt:
        """Run a question in Flink; the answer to the same question is cached."""
        folder = self._folder(case)
        attempt = Attempt(f"in-flink/{case.name}", folder, case, folder / "data")
        question = {
            "id": case.id,
            "options": case.settings,
            "setup": [_for_flink(attempt.located(text)) for text in case.setup],
            "inserts": case.attempts if case.as_set else case.attempts[:1],
            "run": not case.obstacle and not case.databases and not case.sink_databases,
            "files": case.files,
        }
        if case.functions:
            question["functions"] = [asdict(function) for function in case.functions]
        file, text = folder / "question.json", json.dumps(question, indent=1)
        if not file.exists() or file.read_text() != text:
            attempt.clear()
            attempt.data.mkdir()
            for name, content in case.files.items():
                (attempt.data / name).write_text(content)
            for name, database in case.databases.items():
                write_database(attempt.data / name, database.statements())
            file.write_text(text)
        return attempt

    def _ask(self, attempts: Sequence[Attempt]) -> None:
        open_ones = [attempt for attempt in attempts if not (attempt.folder / "answer.json").exists()]
        _ERR.print(f"{len(open_ones)} of {len(attempts)} programs are new to Flink")
        self.flink.ask([attempt.folder for attempt in open_ones])

    def _own(self, answers: dict[str, dict[str, Any]]) -> Iterator[Attempt]:
        for case in self.cases:
            insert = "" if case.attempts else answers[case.name].get("sql", "")
            if not case.attempts and not insert:
                continue
            plan = self._folder(case) / "flink-plan.json"
            programs = case.programs(insert, signatures(plan) if plan.exists() and case.functions else {})
            for number, text in enumerate(programs):
                suffix = f"-{number + 1}" if len(programs) > 1 else ""
                attempt = self._attempt(f"own/{case.name}{suffix}", self._folder(case) / f"own{suffix}", case)
                attempt.compile(text)
                yield attempt

    def _of_flink(self, in_flink: dict[str, Attempt]) -> Iterator[Attempt]:
        for case in self.cases:
            answer = in_flink[case.name]
            plan = answer.folder / "flink-plan.json"
            if plan.exists():
                attempt = self._attempt(f"flink/{case.name}", answer.folder / "flink-plan", case)
                attempt.settings = case.left_open
                text = _from_flink(plan.read_text())
                attempt.plan.write_text(text.replace(f"{answer.out}/", f"{attempt.out}/"))
                yield attempt

    def _restored(self) -> Iterator[Attempt]:
        shutil.rmtree(self.work / "restore", ignore_errors=True)
        for node, program, text in self.flink.restore_plans():
            case = self.by_name.get(program.replace("-", "_"))
            name = f"{node}/{program}"
            if not self._selected(program.replace("-", "_")):
                continue
            folder = self.work / "restore" / name
            number = 1
            while folder.exists():
                number += 1
                folder = self.work / "restore" / f"{name}-{number}"
            attempt = self._attempt(f"restore/{folder.relative_to(self.work / 'restore')}", folder, case)
            attempt.plan.write_text(attempt.located(filled(text, case.options if case else {})))
            yield attempt

    def _read_rows(self, attempts: Sequence[Attempt]) -> None:
        sinks = {key: where for attempt in attempts for key, where in attempt.sinks().items()}
        rows = self.flink.rows(sinks)
        for attempt in attempts:
            if attempt.case is not None:
                attempt.rows = {sink.name: rows[f"{attempt.name} {sink.name}"] for sink in attempt.case.sinks}


def _answer(attempt: Attempt) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads((attempt.folder / "answer.json").read_text())
    return answer


def _for_flink(text: str) -> str:
    """A statement with a database that Flink's connector knows: it compiles these tables and connects to none."""
    return text.replace("jdbc:sqlite:", "jdbc:postgresql://localhost")


def _from_flink(text: str) -> str:
    return text.replace("jdbc:postgresql://localhost", "jdbc:sqlite:")


if __name__ == "__main__":
    app()
