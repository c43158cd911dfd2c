"""The set-up of environments by the Makefile."""

from __future__ import annotations

import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_version_to_test_on_is_not_the_one_of_development() -> None:
    """`make` exports variables of its command line, and `tools/bootstrap.sh` installs the release in SPARK."""
    rule = 'probe: ; @echo "[$$SPARK]"'
    said = subprocess.run(
        ["make", "--no-print-directory", "--eval", rule, "probe", "SPARK=4.2"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert said.stdout.strip() == "[]"
