"""Pin the dependencies for development and for the service, with the hashes of all their files, for all platforms.

    python -m tools.lock [--upgrade]

Without `--upgrade`, versions that still satisfy the requirements do not change.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
#: The extras of each list.
LISTS = {"dev": ("dev",), "service": ("service", "metrics", "lineage")}
_HOW = "make lock"


def main() -> int:
    """Run the command."""
    for name, extras in LISTS.items():
        command = ["uv", "pip", "compile", "--quiet", "--universal", "--python-version", "3.11", "--generate-hashes"]
        command += ["--custom-compile-command", _HOW, *(f"--extra={extra}" for extra in extras), *sys.argv[1:]]
        command += ["pyproject.toml", "--output-file", f"requirements/{name}.txt"]
        # uv is in the folder of this Python.
        done = subprocess.run([Path(sys.executable).parent / command[0], *command[1:]], cwd=ROOT, check=False)
        if done.returncode:
            return done.returncode
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
