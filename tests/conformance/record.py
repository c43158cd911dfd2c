"""Records plans and results of cases with a real Flink: `python -m tests.conformance.record [CASE]...`.

CASE is a file of `cases/` with a program and its data, or its name, `category/name`; by default all are recorded.
Flink's plan, and the rows of the sinks or the error, go into the file; unchanged ones keep their text.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import typer

from compiled_plan.planner.sql.nodes.statements import Insert, SetOption, Statement, StatementSet
from compiled_plan.planner.sql.parse import parse_script
from compiled_plan.plans.errors import ProgramError
from tests.conformance.cases import ARCHIVES, added_up, row_text, same_plan
from tests.flink_programs.flink import Flink
from tests.support.packed import BUILD, archive, parse


def question(program: str) -> dict[str, Any]:
    """A program in the form that `Ask` of `tests.flink_programs` takes."""
    options, setup, inserts = [("table.local-time-zone", "UTC")], [], []
    for statement in parse_script(program):
        if isinstance(statement, SetOption):
            options.append((statement.key or "", statement.value or ""))
        elif isinstance(statement, (Insert, StatementSet)):
            parts: Iterable[Statement] = statement.inserts if isinstance(statement, StatementSet) else [statement]
            inserts += [part.text for part in parts]
        else:
            setup.append(statement.text)
    return {"id": "", "options": options, "setup": setup, "inserts": inserts, "run": True}


def lines(rows: Iterable[Any], indent: str = "") -> str:
    """Values as JSON, one per line."""
    return ",".join(f"\n{indent}{json.dumps(row, ensure_ascii=False, default=_number)}" for row in rows) + "\n"


def _number(value: Decimal) -> int | float:
    return float(value) if value.as_tuple().exponent else int(value)


def plan_text(plan: dict[str, Any]) -> str:
    """A plan with a node per line."""
    version = json.dumps(plan["flinkVersion"])
    return f'{{"flinkVersion": {version}, "nodes": [{lines(plan["nodes"])}], "edges": [{lines(plan["edges"])}]}}\n'


def expected_text(expected: dict[str, Any]) -> str:
    """A result with a row per line."""
    sinks = expected.get("sinks", {})
    head = lines([{name: value for name, value in expected.items() if name != "sinks"}]).strip()
    if "sinks" not in expected:
        return head + "\n"
    tables = (f" {json.dumps(name)}: [{lines(rows, '  ') + ' ' if rows else ''}]" for name, rows in sinks.items())
    return head[:-1] + ', "sinks": {\n' + ",\n".join(tables) + "\n}}\n"


def answered(files: dict[str, str], folder: Path) -> dict[str, str]:
    """The files of a case with Flink's output in its folder."""
    plan, out, data = folder / "flink-plan.json", folder / "out", folder / "data"

    def neutral(text: str) -> str:
        return text.replace(str(out), "${out}").replace(str(data), "${data}")

    answer = json.loads((folder / "answer.json").read_text())
    text_before = files.pop("expected.json", "{}")
    before = json.loads(text_before, parse_float=Decimal)
    plan_before = files.pop("flink-plan.json", "")
    expected = {name: value for name, value in before.items() if name != ("sinks" if "refused" in answer else "error")}
    if "refused" in answer:
        message = neutral(answer["refused"]).splitlines()[-1]
        same = message in before.get("error", {}).get("message", "")
        stage = "run" if plan.exists() else "compile"
        expected["error"] = before["error"] if same else {"stage": stage, "message": message}
    else:
        names = list(before.get("sinks", ())) or sorted(path.name for path in out.iterdir())
        expected["sinks"] = {name: _rows(out / name, before.get("sinks", {}).get(name, [])) for name in names}
    files["expected.json"] = text_before if expected == before else expected_text(expected)
    if plan.exists():
        text = neutral(plan.read_text())
        same = bool(plan_before) and same_plan(text, plan_before)
        files["flink-plan.json"] = plan_before if same else plan_text(json.loads(text))
    return files


def _rows(folder: Path, before: list[Any]) -> list[Any]:
    """The table that a changelog results in; in the old spelling if it is unchanged."""
    table, values = added_up(folder)
    if +table == Counter(map(row_text, before)):
        return before
    return [values[key] for key in sorted(table) for _ in range(table[key])]


def record(
    names: Annotated[list[str] | None, typer.Argument(metavar="[CASE]...", help="Cases; all without one.")] = None,
) -> None:
    """Record the plans and results of cases with a real Flink."""
    paths = [ARCHIVES / f"{name}.txtar" for name in names or ()] or sorted(ARCHIVES.rglob("*.txtar"))
    with TemporaryDirectory() as temporary:
        cases: dict[Path, tuple[Path, dict[str, str]]] = {}
        for at, path in enumerate(paths):
            files, folder = parse(path.read_text()), Path(temporary) / str(at)
            try:
                if "note" in json.loads(files.get("expected.json", "{}")):
                    raise ProgramError("see its note")
                program = files["program.sql"].replace("${data}", f"{folder}/data").replace("${out}", f"{folder}/out")
                asking = json.dumps(question(program))
            except ProgramError as fault:
                print(f"{path.stem} is left as it is: {fault.message}")
                continue
            (folder / "out").mkdir(parents=True)
            for name, text in files.items():
                (folder / name).parent.mkdir(exist_ok=True)
                (folder / name).write_text(text)
            (folder / "flink-plan.json").unlink(missing_ok=True)
            (folder / "question.json").write_text(asking)
            cases[path] = folder, files
        Flink(BUILD / "flink-programs").ask([folder for folder, _ in cases.values()])
        for path, (folder, files) in cases.items():
            path.write_text(archive(answered(files, folder)))


if __name__ == "__main__":
    typer.run(record)
