"""A service that runs stand-ins for `execute-plan`, `inspect-state` and previews.

    python -m tests.support.fake_service HOME [--tokens] [--data DIR]... [--inspect COMMAND] [--preview COMMAND]

Without `--tokens` authentication is off. The shell commands stand in for `inspect-state` and for previews.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from compiled_plan.service.common.settings import Settings
from compiled_plan.service.serving import serve
from tests.support.fake_runs import COMMAND


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("home", type=Path)
    parser.add_argument("--tokens", action="store_true")
    parser.add_argument("--data", action="append", default=[])
    parser.add_argument("--inspect", default="echo {}")
    parser.add_argument("--preview", default="echo {}")
    options = parser.parse_args()
    inspect = ("/bin/sh", "-c", options.inspect, "inspect-state")
    preview = ("/bin/sh", "-c", options.preview, "compiled_plan.cli.preview_rows")
    settings = Settings(home=options.home, port=0, tokens=options.tokens, data=tuple(options.data))
    serve(settings, COMMAND, inspect, preview)


if __name__ == "__main__":
    main()
