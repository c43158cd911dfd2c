"""Plans of two versions of the code, compared: `make compare-plans WITH=COMMIT`.

Compiles every SQL program of the tests and samples, and random ones, with this checkout and with another commit. Plans,
messages and exit codes must be equal byte for byte: a pure restructuring passes.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Annotated

import typer

from tests.conformance.cases import cases, categories
from tests.upgrades.chance.pairs import pair

ROOT = Path(__file__).resolve().parent.parent

#: Compiles the programs listed in a file; run by this interpreter over the code of a checkout.
_CHILD = """
import json, sys
from typer.testing import CliRunner
from compiled_plan.cli.compile_plan import app
results = {}
for path in json.load(open(sys.argv[1])):
    result = CliRunner().invoke(app, [path])
    crash = repr(result.exception) if result.exception and not isinstance(result.exception, SystemExit) else ""
    results[path] = [result.exit_code, result.stdout, result.stderr, crash]
json.dump(results, open(sys.argv[2], "w"))
"""

_Results = dict[str, tuple[int, str, str, str]]


def programs(random: int, folders: list[Path], drawn: Path) -> list[str]:
    """Paths of the programs of the checkout, of `folders`, and of `random` pairs, which are written to `drawn`."""
    listed = subprocess.run(
        ["git", "ls-files", "*.sql"], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.splitlines()
    paths = [str(ROOT / path) for path in listed] + [str(case.folder / "program.sql") for case in cases(*categories())]
    paths += [str(path) for folder in folders for path in sorted(folder.rglob("*.sql"))]
    for seed in range(random):
        for name, program in zip(("old", "new"), (pair(seed).old, pair(seed).new), strict=True):
            path = drawn / f"{seed}-{name}.sql"
            path.write_text(program.text(drawn))
            paths.append(str(path))
    return paths


def compiled_by(checkout: Path, listed: Path) -> _Results:
    """Exit code, plan, messages and crash of every program listed in the file `listed`, by the code of a checkout."""
    output = listed.with_suffix(".out")
    subprocess.run(
        [sys.executable, "-c", _CHILD, str(listed), str(output)],
        cwd=ROOT,
        check=True,
        env={**os.environ, "PYTHONPATH": str(checkout)},
    )
    return {path: (code, out, err, crash) for path, (code, out, err, crash) in json.loads(output.read_text()).items()}


def compare(
    commit: Annotated[str, typer.Argument(help="The commit to compare with.")],
    random: Annotated[int, typer.Option(help="Pairs of random programs.")] = 300,
    folder: Annotated[list[Path] | None, typer.Option(help="A folder with more programs; repeatable.")] = None,
) -> None:
    """Compare plans and messages of this checkout with those of a commit; exit code 1 if any differ."""
    with tempfile.TemporaryDirectory() as name:
        temporary = Path(name)
        checkout, listed = temporary / "checkout", temporary / "programs.json"
        listed.write_text(json.dumps(programs(random, folder or [], temporary)))
        git = ["git", "-C", str(ROOT), "worktree"]
        subprocess.run([*git, "add", "--quiet", "--detach", str(checkout), commit], check=True)
        try:
            before = compiled_by(checkout, listed)
        finally:
            subprocess.run([*git, "remove", "--force", str(checkout)], check=True)
        after = compiled_by(ROOT, listed)
    different = [path for path, result in before.items() if after[path] != result]
    for path in different:
        print(f"different: {path}")
    plans = sum(1 for code, *_ in before.values() if code == 0)
    print(f"{len(before)} programs ({plans} plans, {len(before) - plans} refusals), {len(different)} different")
    raise SystemExit(bool(different))


if __name__ == "__main__":
    typer.run(compare)
