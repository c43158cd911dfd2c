"""Commands as a user calls them: in a subprocess, or in this process where the result is the same."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from typer.testing import CliRunner

from compiled_plan.plans.errors import CompiledPlanError

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Said:
    """Exit code, stdout and stderr of a command; the fields are named as in `subprocess.CompletedProcess`."""

    returncode: int
    stdout: str
    stderr: str


def called(command: str, *arguments: str | Path, **env: str) -> Said:
    """Call a command (`edit_plan`) in this process: the same but for the start and the end of a process."""
    app = import_module(f"compiled_plan.cli.{command}").app
    result = CliRunner().invoke(app, [str(argument) for argument in arguments], env=env)
    if isinstance(result.exception, CompiledPlanError):
        return Said(1, result.stdout, f"{result.stderr}error: {result.exception.render()}\n")
    return Said(result.exit_code, result.stdout, result.stderr)


def process(command: str, *arguments: str | Path, cwd: Path = ROOT, **env: str) -> subprocess.CompletedProcess[str]:
    """Call a command in a subprocess."""
    line = [sys.executable, "-m", f"compiled_plan.cli.{command}", *map(str, arguments)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **env}
    return subprocess.run(line, capture_output=True, text=True, cwd=cwd, env=environment, check=False, timeout=240)
