"""The kernel: the Java of the keyed stages and their operators, as one jar beside this file."""

from __future__ import annotations

import os
from pathlib import Path

from compiled_plan.plans.errors import ExecutionError
from compiled_plan.plans.execution.kernel.java import find_java, missing_java_text

JAR_NAME = "compiled-plan-kernel.jar"


def kernel_jar() -> Path:
    """The jar to put into `spark.jars`.

    Raises:
        ExecutionError: there is none. A wheel carries it; in a checkout `make kernel` builds it.
    """
    jar = Path(__file__).with_name(JAR_NAME)
    if jar.is_file():
        return jar
    checkout = (Path(__file__).resolve().parents[3] / "kernel/src").is_dir()
    raise ExecutionError(
        "the kernel jar is missing",
        where=str(jar),
        remedy="run `make kernel` in the checkout" if checkout else "install compiled-plan again from its wheel",
    )


def use_fit_java() -> Path:
    """Point JAVA_HOME to a Java that runs Spark, before a session starts one; returns that home.

    A machine often has an old Java first on its PATH and a fit one beside it.

    Raises:
        ExecutionError: no fit Java; the message names the package to install.
    """
    java = find_java()
    if java is None:
        raise ExecutionError(missing_java_text())
    os.environ["JAVA_HOME"] = str(java.home)
    return java.home
