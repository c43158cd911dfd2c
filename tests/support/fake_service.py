"""A service that runs stand-ins for `execute-plan` and `inspect-state`.

    python -m tests.support.fake_service HOME [--tokens] [--data DIR]... [--inspect COMMAND]

Without `--tokens` authentication is off. COMMAND, a shell command, stands in for `inspect-state`.
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
    options = parser.parse_args()
    inspect = ("/bin/sh", "-c", options.inspect, "inspect-state")
    settings = Settings(home=options.home, port=0, tokens=options.tokens, data=tuple(options.data))
    serve(settings, COMMAND, inspect)


if __name__ == "__main__":
    main()
