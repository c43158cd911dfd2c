"""The heap in real-time mode: little is new in it, unless the user says otherwise."""

from __future__ import annotations

import subprocess

from compiled_plan.plans.execution.kernel import use_fit_java
from compiled_plan.plans.execution.realtime.heap import with_short_collections
from compiled_plan.plans.execution.session import DRIVER_JAVA


def _young(settings: dict[str, str]) -> int:
    """The bytes that Java allows for what is new."""
    options = with_short_collections(settings)[DRIVER_JAVA].split()
    command = [
        use_fit_java() / "bin/java",
        "-Xmx4g",
        "-XX:+UseParallelGC",
        *options,
        "-XX:+PrintFlagsFinal",
        "-version",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    flags = {words[1]: words[3] for line in done.stdout.splitlines() if len(words := line.split()) > 3}
    return int(flags["MaxNewSize"])


def test_little_is_new_at_a_time_in_a_heap_of_any_size() -> None:
    assert _young({}) == 200 << 20
    assert _young({DRIVER_JAVA: "-Xmx600m"}) <= 200 << 20


def test_what_the_user_says_of_the_heap_holds() -> None:
    assert _young({DRIVER_JAVA: "-Xmn900m"}) == 900 << 20


def test_other_settings_stay() -> None:
    assert with_short_collections({"a": "b"})["a"] == "b"
