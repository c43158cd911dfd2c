"""Spark's settings from outside the product: of `spark-submit`, `PYSPARK_SUBMIT_ARGS` and `spark-defaults.conf`.

Source: Spark 4.3, "Configuration", "Dynamically Loading Spark Properties" and "Environment Variables";
`SparkSubmitArguments`; `PythonRunner`, for the order of the workers' Python.
"""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from compiled_plan.plans.deferred import deferred
from compiled_plan.plans.errors import ExecutionError
from compiled_plan.plans.text.properties import read_properties

if TYPE_CHECKING:
    import pyspark
    from pyspark import find_spark_home
else:
    pyspark = deferred("pyspark")
    find_spark_home = deferred("pyspark.find_spark_home")

#: PySpark's variable with options of spark-submit, and the pseudo-program that ends them.
ARGUMENTS, _SHELL = "PYSPARK_SUBMIT_ARGS", "pyspark-shell"
JARS, CLASS_PATH = "spark.jars", "spark.driver.extraClassPath"
#: Comma-separated lists of what executors receive.
LISTS = (JARS, "spark.files", "spark.archives", "spark.submit.pyFiles")
#: Options of spark-submit with their settings, which they override.
_OPTIONS = {
    "--master": "spark.master",
    "--name": "spark.app.name",
    "--jars": JARS,
    "--driver-class-path": CLASS_PATH,
    "--driver-memory": "spark.driver.memory",
    "--driver-java-options": "spark.driver.extraJavaOptions",
}
#: Variables of the environment and the setting with which PySpark is a client of Spark Connect.
_CONNECT, _MODE = ("SPARK_CONNECT_MODE_ENABLED", "SPARK_REMOTE"), "spark.api.mode"
_CONF, _FILE = ("--conf", "-c"), "--properties-file"
_CONTINUED = re.compile(r"\\\r?\n[ \t]*")


def is_submitted() -> bool:
    """Return True under `spark-submit`, which has started Java before this process."""
    return "PYSPARK_GATEWAY_PORT" in os.environ


def check_classic(settings: Mapping[str, str]) -> None:
    """Refuse Spark Connect, in which a process has no JVM.

    Args:
        settings: those of the session to start; empty for the sessions that exist.

    Raises:
        ExecutionError: a setting or a variable of the environment turns it on; names it.
    """
    variables = [f"{name}={os.environ[name]}" for name in _CONNECT if name in os.environ]
    mode = {_MODE: settings.get(_MODE) or os.environ.get("SPARK_API_MODE", "")}
    named = [f"{name}={value}" for name, value in {**settings, **mode}.items() if _turns_on_connect(name, value)]
    if origins := [*variables, *named]:
        raise ExecutionError(
            f"plans do not run over Spark Connect, which {' and '.join(origins)} turns on: "
            "the operators are in the JVM of the driver, and a client has none",
            remedy="run this process where the driver may run, without that setting; name the cluster as the master",
        )


def _turns_on_connect(name: str, value: str) -> bool:
    return name == "spark.remote" or (name == _MODE and value.lower() == "connect")


def configured_settings() -> dict[str, str]:
    """All settings from outside.

    Raises:
        ProgramError: `spark-defaults.conf` is not a properties file.
    """
    if is_submitted():
        pyspark.SparkContext._ensure_initialized()
        return settings_of_java()
    words = _submit_words()
    pairs = list(pairwise(words))
    settings = _file_settings(next((value for word, value in reversed(pairs) if word == _FILE), None))
    settings |= dict(value.partition("=")[::2] for word, value in pairs if word in _CONF)
    return settings | {_OPTIONS[word]: value for word, value in pairs if word in _OPTIONS}


def settings_of_java() -> dict[str, str]:
    """The settings of the running Java, with the files of `spark.jars.packages` in `spark.jars`."""
    return dict(pyspark.SparkConf().getAll())


def master_of(chosen: str, settings: Mapping[str, str]) -> str:
    """Spark's master URL: the chosen one, that of settings, from outside, of the environment, or this machine.

    Args:
        chosen: that of `--master`; empty without one.
        settings: the user's settings.
    """
    known = chosen or settings.get("spark.master") or configured_settings().get("spark.master")
    return known or os.environ.get("MASTER", "local[*]")


def submit_arguments(settings: Mapping[str, str]) -> str:
    """`PYSPARK_SUBMIT_ARGS` with the jars and the class path of `settings`, which include its own."""
    words = [*_submit_words()]
    # Spark takes the last one of an option, and an option before a setting.
    for option, name in (("--jars", JARS), ("--driver-class-path", CLASS_PATH)):
        words += [option, settings[name]] if words and name in settings else []
    return shlex.join([*words, _SHELL])


def joined(*lists: str | None) -> str:
    """The union of comma-separated lists."""
    return ",".join(dict.fromkeys(part for text in lists for part in (text or "").split(",") if part))


def python_of_workers(settings: Mapping[str, str]) -> str:
    """The Python of Spark's workers: that of the settings, of the environment, or of this process.

    Args:
        settings: the settings of the session.
    """
    return settings.get("spark.pyspark.python") or os.environ.get("PYSPARK_PYTHON") or sys.executable


def holds_file(paths: str, file: Path) -> bool:
    """Return True if a comma-separated list has a file of this name, whatever its folder or scheme."""
    return any(path.rpartition("/")[2] == file.name for path in paths.split(","))


def _submit_words() -> Sequence[str]:
    words = shlex.split(os.environ.get(ARGUMENTS, ""))
    return words[:-1] if words[-1:] == [_SHELL] else words


def _file_settings(file: str | None) -> dict[str, str]:
    folder = Path(os.environ.get("SPARK_CONF_DIR") or Path(find_spark_home._find_spark_home()) / "conf")
    path = Path(file) if file else folder / "spark-defaults.conf"
    if not path.is_file():
        return {}
    return read_properties(_CONTINUED.sub("", path.read_text(encoding="utf-8")), str(path))
