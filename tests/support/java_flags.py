"""JVM flags after parsing options."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence

from compiled_plan.plans.execution.kernel import use_suitable_java


def java_flags(options: Sequence[str]) -> Mapping[str, str]:
    """The values of all flags of a JVM started with these options; fails if it warns."""
    command = [str(use_suitable_java() / "bin/java"), *options, "-XX:+PrintFlagsFinal", "-version"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "VM warning" not in done.stdout + done.stderr
    return {words[1]: words[3] for line in done.stdout.splitlines() if len(words := line.split()) > 3}
