"""The wheel's build hook: adds the kernel jar, built from the sources beside it.

An up-to-date jar is reused. Otherwise Spark becomes a build dependency, to compile against; editable installs need no
jar, `make kernel` builds it.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tools import build_kernel


class KernelBuildHook(BuildHookInterface[Any]):
    """Hook that builds the jar, if outdated, before the wheel's files are collected."""

    def dependencies(self) -> list[str]:
        """Additional build dependencies: Spark, if the jar must be compiled."""
        if build_kernel.is_current():
            return []
        return [name for name in self.metadata.core.dependencies if name.startswith("pyspark")]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the kernel for a real wheel; `version` is `standard` or `editable`."""
        if version == "standard" and not build_kernel.is_current():
            build_kernel.build()
