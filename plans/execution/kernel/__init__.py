"""The kernel: the Java of the keyed stages and their operators, as one jar beside this file."""

from __future__ import annotations

import os
from pathlib import Path

from compiled_plan.plans.errors import ExecutionError
from compiled_plan.plans.execution.kernel.java import find_java, missing_java_text

JAR_NAME = "compiled-plan-kernel.jar"


def kernel_jar() -> Path:
    """The jar for `spark.jars`.

    Raises:
        ExecutionError: it is missing. A wheel contains it; in a checkout `make kernel` builds it.
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


def use_suitable_java() -> Path:
    """Set JAVA_HOME to a Java that runs Spark, before a session starts one; return that home.

    Machines often have an old Java first on the PATH and a suitable one beside it.

    Raises:
        ExecutionError: no suitable Java; the message names the package to install.
    """
    java = find_java()
    if java is None:
        raise ExecutionError(missing_java_text())
    os.environ["JAVA_HOME"] = str(java.home)
    return java.home
