"""A service without tokens that runs the stand-in for `execute-plan`: the folder of the service is its argument."""

from __future__ import annotations

import sys
from pathlib import Path

from compiled_plan.service.serving import serve
from compiled_plan.service.settings import Settings
from tests.support.fake_runs import COMMAND


def main() -> None:
    serve(Settings(home=Path(sys.argv[1]), port=0, tokens=False), COMMAND)


if __name__ == "__main__":
    main()
