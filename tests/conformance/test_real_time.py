"""Flink's programs in real-time mode: the supported ones have Flink's results."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.conformance.real_time import fed, runnable
from tests.support.commands import ROOT

if TYPE_CHECKING:
    from tools.services.server import Server

#: Number of refused programs by reason.
REFUSED = {"event time": 39, "CURRENT_WATERMARK": 1, "constant rows": 3}


@pytest.mark.wide
@pytest.mark.slow
def test_most_programs_run_in_real_time_mode() -> None:
    refusals = [fed(case, Path("/out"), "broker:9092").refusal for case in runnable()]
    names = Counter(next((name for name in REFUSED if name in refusal), refusal) for refusal in refusals)
    fit = names.pop("")
    assert names == REFUSED
    assert fit > 4 * sum(REFUSED.values())


@pytest.mark.deep
@pytest.mark.spark
def test_results_are_those_of_flink(kafka: Server, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.conformance.real_time", kafka.address, str(tmp_path)]
    said = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert said.returncode == 0, said.stderr
    results = [json.loads(line) for line in said.stdout.splitlines() if line.startswith("{")]
    assert len(results) > 100
    assert [result for result in results if result["difference"]] == []
