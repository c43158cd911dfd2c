"""Ask a real Flink for what it has: `python -m tools.coverage.ask`, which writes flink.json.

Flink is that of `make bench-flink`, which is installed if missing; FLINK_PYTHON names the Python of another one.
The names come from Flink alone: sentences from its parser, calls from its function definitions, node types, options and
factories from its jars, PyFlink's names from its modules. What an answer needs beside a name - objects to work on - is
in setup.sql, for Flink and for the product.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import typer

from compiled_plan.plans.execution.kernel import java
from tests.bench.nexmark.flink import flink_python
from tools.coverage.answers import SETUP

HERE = Path(__file__).parent
DATA = HERE / "flink.json"


def ask() -> None:
    """Enumerate what Flink has, and write it to flink.json; some minutes."""
    flink = flink_python()
    with tempfile.TemporaryDirectory() as folder:
        path = _class_path(flink, Path(folder))
        names = json.loads(_run(str(flink), str(HERE / "pyflink_names.py")))
        answers = {part: _java(path, part) for part in ("inventory", "statements", "functions")}
    for examples in answers["statements"].values():
        examples.update((sql, first_sentence(refusal)) for sql, refusal in examples.items())
    for function in answers["functions"].values():
        if "flink" in function:
            function["flink"] = first_sentence(function["flink"]) or "no call of it compiles"
        function["refused"] = {sql: first_sentence(refusal) for sql, refusal in function["refused"].items()}
    inventory = answers.pop("inventory")
    answers = {"version": names["version"], **inventory, **answers, "pyflink": dict(sorted(names["modules"].items()))}
    write(answers | {"pyflink_refused": names["refused"]})


def _class_path(flink: Path, folder: Path) -> str:
    """The jars of PyFlink, with the planner out of its loader, and the compiled sources of this package."""
    package = _run(str(flink), "-c", "import pyflink, os; print(os.path.dirname(pyflink.__file__))").strip()
    jars = sorted((Path(package) / "lib").glob("*.jar"))
    (loader,) = (jar for jar in jars if "planner-loader" in jar.name)
    with zipfile.ZipFile(loader) as archive:
        planner = archive.extract("flink-table-planner.jar", folder)
    path = os.pathsep.join([str(folder), *(str(jar) for jar in jars if jar != loader), planner])
    sources = sorted(map(str, (HERE / "java").glob("*.java")))
    _run(str(_home() / "bin/javac"), "-nowarn", "-cp", path, "-d", str(folder), *sources)
    services = folder / "META-INF" / "services"
    services.mkdir(parents=True)
    (services / "org.apache.flink.table.factories.Factory").write_text("Upserts\n", encoding="utf-8")
    return path


def _home() -> Path:
    if (home := java.find_java(compiler=True)) is None:
        raise SystemExit(java.missing_java_text(compiler=True))
    return home.home


def _java(path: str, part: str) -> Any:
    return json.loads(_run(str(_home() / "bin/java"), "-cp", path, "Coverage", part, str(SETUP)))


def _run(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{command[0]} ended with {done.returncode}\n{done.stderr[-3000:]}")
    return done.stdout


def first_sentence(message: str) -> str:
    """The first sentence of a message of Flink, without plans, operand types, places and generated names."""
    first = message.partition("\n")[0].split(". ")[0].partition(": convention=")[0]
    places = r"^Line \d+, Column \d+: |(?<=@)[0-9a-f]+\b|(?<=\$cor)\d+"
    return re.sub(rf"(?<=Unsupported call: )(\w+).*|{places}", r"\1", first)


def write(answers: dict[str, Any]) -> None:
    """Write flink.json with a line for each name and each statement."""
    parts = (
        f"{json.dumps(part)}: {_text(answers[part], 2 if part == 'statements' else 1)}" for part in sorted(answers)
    )
    DATA.write_text("{\n" + ",\n".join(parts) + "\n}\n", encoding="utf-8")


def _text(value: Any, levels: int) -> str:
    """A value as JSON, whose outer levels have a line for each name."""
    if not levels or not isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False)
    lines = (f"{json.dumps(name)}: {_text(entry, levels - 1)}" for name, entry in value.items())
    return "{\n" + ",\n".join(lines) + "\n}"


if __name__ == "__main__":
    typer.run(ask)
