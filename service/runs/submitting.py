"""`spark-submit` as what starts a run: in client mode, so that the run is a process of this machine."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

from compiled_plan.plans.errors import ExecutionError, UnsupportedError
from compiled_plan.plans.execution.kernel import kernel_jar

_DEPLOY_MODE = "spark.submit.deployMode"
#: The command's file: spark-submit takes no script without the ending `.py`.
_SCRIPT = "compiled_plan.cli.execute_plan"


def submitted(master: str, conf: Mapping[str, str], file: str) -> list[str]:
    """The command line that runs `execute-plan` by spark-submit, without its arguments.

    Args:
        master: Spark's; what spark-submit takes by itself if empty.
        conf: Spark's settings.
        file: the properties file that has them.

    Raises:
        ExecutionError: there is no spark-submit.
        UnsupportedError: cluster mode.
    """
    if conf.get(_DEPLOY_MODE, "client") != "client":
        raise UnsupportedError(
            f"{_DEPLOY_MODE}={conf[_DEPLOY_MODE]}: the run would be a process of another machine",
            where="conf",
            remedy="leave it out: the driver runs here, its executors on the cluster",
        )
    found = shutil.which("spark-submit") or shutil.which("spark-submit", path=str(Path(sys.executable).parent))
    if found is None:
        raise ExecutionError(
            "spark-submit is not on the service's PATH", remedy="install it, or set `launcher` to `process`"
        )
    script = find_spec(_SCRIPT)
    assert script is not None and script.origin is not None
    settings = ["--properties-file", file, "--load-spark-defaults"] if conf else []
    return [found, *(["--master", master] if master else []), "--jars", str(kernel_jar()), *settings, script.origin]


def environment() -> dict[str, str]:
    """Variables that it needs: the Python of the service, which has all that runs plans."""
    return {"PYSPARK_PYTHON": sys.executable, "PYSPARK_DRIVER_PYTHON": sys.executable}
