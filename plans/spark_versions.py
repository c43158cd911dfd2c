"""The versions of Spark on which plans run, and what each has: the one declaration, for checks, docs and tests.

A difference that only the kernel sees has a class in its `host/versions`, named after the first version that has that
form.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from compiled_plan.plans.errors import ExecutionError, UnsupportedError

#: Class of the kernel that writes checkpoints, for a Spark that names sources.
_FENCED = "org.compiledplan.kernel.files.FencedFiles"
#: The same for a Spark that numbers them.
_NAMING = "org.compiledplan.kernel.host.versions.NamedSourceFiles"


@dataclass(frozen=True, slots=True, order=True)
class SparkVersion:
    """A version of Spark that runs plans.

    Args:
        number: major and minor version.
        tested: the release that tests run on.
        hadoop: the release of Hadoop that it brings, whose clients of object stores fit.
        real_time: runs stages with state in real-time mode.
        names_sources: stores positions of sources by name; otherwise the kernel does.
    """

    number: tuple[int, int]
    tested: str
    hadoop: str
    real_time: bool = True
    names_sources: bool = True

    def __str__(self) -> str:
        return ".".join(map(str, self.number))

    @property
    def checkpoint_files(self) -> str:
        """Class of the kernel through which Spark writes checkpoints."""
        return _FENCED if self.names_sources else _NAMING


#: All versions, newest first; the first one is that of development, against which the kernel is compiled.
SPARK_VERSIONS = (
    SparkVersion((4, 3), "4.3.0", hadoop="3.5.0"),
    SparkVersion((4, 2), "4.2.1", hadoop="3.5.0", real_time=False),
    SparkVersion((4, 1), "4.1.4", hadoop="3.4.2", real_time=False, names_sources=False),
)
_BY_NUMBER: Mapping[tuple[int, ...], SparkVersion] = {version.number: version for version in SPARK_VERSIONS}


def release(text: str) -> tuple[int, ...]:
    """Release of Spark relevant for compatibility: major and minor version of a text such as "4.3.0"."""
    return tuple(int(part) for part in re.findall(r"\d+", text)[:2])


def runs_plans(text: str) -> bool:
    """Return True if plans run on a release of Spark."""
    return release(text) in _BY_NUMBER


def spark_version(text: str) -> SparkVersion:
    """The version of a release such as "4.3.0".

    Raises:
        ExecutionError: no plans run on it.
    """
    version = _BY_NUMBER.get(release(text))
    if version is None:
        known = ", ".join(map(str, reversed(SPARK_VERSIONS)))
        raise ExecutionError(
            f"plans do not run on Spark {text}",
            remedy=f'install one of Spark {known}: pip install "pyspark~={_NEWEST}"',
        )
    return version


_NEWEST = SPARK_VERSIONS[0].tested


def check_real_time(text: str) -> None:
    """Raise if a release of Spark lacks real-time mode for stages with state.

    Raises:
        UnsupportedError: it does; names a version that has the mode.
        ExecutionError: no plans run on it.
    """
    if spark_version(text).real_time:
        return
    has = " and ".join(str(version) for version in SPARK_VERSIONS if version.real_time)
    raise UnsupportedError(
        f"real-time mode: Spark {text} has none for plans; Spark {has} has it",
        remedy=f'pip install "pyspark~={_NEWEST}", or run it in micro-batches: leave --trigger real-time out',
    )
