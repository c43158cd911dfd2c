"""Tasks on runs: their stages and output."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from compiled_plan.service.runs.folders import COMMAND, PLAN
from compiled_plan.service.runs.output import CURRENT
from compiled_plan.service.workers.tasks.runs import shown_output

PASSWORD = "correct horse é battery"
LINES = f"INFO begun\nINFO read with {PASSWORD} by 'password' = 'other one', then\nINFO last\n"


@pytest.fixture
def run(tmp_path: Path) -> Path:
    (tmp_path / "output").mkdir()
    (tmp_path / "output" / CURRENT).write_text(LINES)
    (tmp_path / PLAN).write_text(json.dumps({"nodes": [{"options": {"password": PASSWORD}}]}))
    (tmp_path / COMMAND).write_text(json.dumps({"argv": [], "conf": {}}))
    return tmp_path


@pytest.mark.parametrize("most", [7, 1 << 20])
def test_a_part_of_the_output_shows_no_part_of_a_secret(run: Path, most: int) -> None:
    for offset in range(len(LINES.encode()) + 1):
        shown = shown_output(str(run), offset, None, most)
        text = "\n".join(shown["lines"])
        assert (shown["offset"], shown["next_offset"]) == (offset, min(offset + most, len(LINES.encode())))
        for secret in (PASSWORD, "other one"):
            pieces = {secret[at : at + 4] for at in range(len(secret) - 3)}
            assert not [piece for piece in pieces if piece in text], f"{offset}: {text}"


def test_parts_without_secrets_are_exact(run: Path) -> None:
    assert shown_output(str(run), 5, None, 9)["lines"] == ["begun", "INF"]
    assert shown_output(str(run), None, 1)["lines"] == ["INFO last"]
