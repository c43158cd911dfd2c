"""Install a wheel into an empty virtual environment and test it there, outside the checkout.

python tools/check_wheel.py dist/compiled_plan-0.2.0-py3-none-any.whl
"""

from __future__ import annotations

import configparser
import os
import subprocess
import sys
import tempfile
import venv
import zipfile
from pathlib import Path

INSIDE = """
import importlib.resources, json, zipfile
import compiled_plan as cp
from compiled_plan.plans.execution.kernel import kernel_jar
here = importlib.resources.files("compiled_plan.schemas")
assert "site-packages" in str(here), here
schema = json.loads((here / "compiled-plan.schema.json").read_text(encoding="utf-8"))
assert schema["$schema"], "the schema names no dialect"
classes = [name for name in zipfile.ZipFile(kernel_jar()).namelist() if name.endswith(".class")]
assert classes, "the kernel jar is empty"
assert not [*here.parent.rglob("*.java")], "sources of Java are no part of a wheel"
assert cp.TableEnvironment and cp.col
import cli, plans, schemas, service  # of the project in this folder
assert {cli.OWN, plans.OWN, schemas.OWN, service.OWN} == {"project"}
print(f"schema and kernel jar found ({len(classes)} classes)")
"""

#: Test of the service: its page, its database, and a program that its workers compile.
SERVICE = """
import json, pathlib, re, subprocess, sys, urllib.request
command = str(pathlib.Path(sys.executable).parent / "plan-service")
service = subprocess.Popen(
    [command, "serve", "--home", "home", "--port", "0", "--no-tokens"], stderr=subprocess.PIPE, text=True
)
try:
    address = re.search(r"http://\\S+", next(line for line in service.stderr if "http://" in line))[0]
    def ask(path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(address + path, data, {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.read().decode()
    assert json.loads(ask("/api/v1/health")) == {"status": "ok"}
    scripts = re.findall(r'(?:src|href)="([^":]+[.](?:js|css))"', page := ask("/"))
    assert scripts and all(ask("/" + script.lstrip("/")) for script in scripts), page
    ask("/api/v1/pipelines", {"name": "numbers"})
    created = json.loads(ask("/api/v1/pipelines/numbers/versions", {"program": open("program.sql").read()}))
    assert created["version"]["operators"] > 1, created
    assert json.loads(ask("/api/v1/pipelines/numbers/versions/1/graph"))["nodes"]
    print(f"plan-service serves its page with {len(scripts)} scripts and styles, and compiles")
finally:
    service.terminate()
    service.wait(30)
"""

PROGRAM = """
CREATE TABLE numbers (n INT, word STRING) WITH ('connector' = 'print');
INSERT INTO numbers VALUES (1, 'one'), (2, 'two');
"""


def commands(wheel: Path) -> list[str]:
    """The console scripts that the wheel declares."""
    with zipfile.ZipFile(wheel) as files:
        name = next(name for name in files.namelist() if name.endswith(".dist-info/entry_points.txt"))
        entries = configparser.ConfigParser()
        entries.read_string(files.read(name).decode())
    return list(entries["console_scripts"])


def main() -> int:
    """Run the command; exit 0 if the wheel works."""
    wheel = Path(sys.argv[1]).resolve()
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    with tempfile.TemporaryDirectory(prefix="compiled-plan-wheel-") as folder:
        venv.create(folder, with_pip=True)
        binaries = Path(folder) / "bin"

        def run(*command: str | Path, stdout: int | None = None) -> None:
            done = subprocess.run(list(map(str, command)), cwd=folder, env=environment, stdout=stdout, check=False)
            if done.returncode:
                raise SystemExit(f"the wheel does not work: exit {done.returncode} of {command[0]}")

        # A project whose packages have the names of the product's folders.
        for name in ("cli", "plans", "schemas", "service"):
            (Path(folder) / name).mkdir()
            (Path(folder) / name / "__init__.py").write_text('OWN = "project"\n', encoding="utf-8")
        pip = (binaries / "python", "-m", "pip", "-qq", "--disable-pip-version-check")
        run(*pip, "install", wheel)
        run(binaries / "python", "-c", INSIDE)
        for name in commands(wheel):
            run(binaries / name, "--help", stdout=subprocess.DEVNULL)
            print(f"{name} --help answers")
        run(binaries / "python", "-m", "compiled_plan", "--version")
        (Path(folder) / "program.sql").write_text(PROGRAM, encoding="utf-8")
        run(*pip, "install", f"{wheel}[service]")
        run(binaries / "python", "-c", SERVICE)
        run(binaries / "compile-plan", "program.sql", "-o", "plan.json")
        run(binaries / "execute-plan", "plan.json")
    print(f"{wheel.name} works in an empty virtual environment")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
