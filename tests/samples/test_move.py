"""The job that moves from Flink: its program compiles with the tables of the sample."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.commands import called


@pytest.mark.parametrize("program", ["kafka/program.sql", "kafka/fill.sql", "move/read.sql"])
def test_a_program_with_the_tables(program: str, root: Path, tmp_path: Path) -> None:
    samples = root / "samples"
    said = called(
        "compile_plan", "--init", samples / "move/tables.sql", samples / program, "-o", tmp_path / "plan.json"
    )
    assert said.returncode == 0, said.stderr


def test_the_demo_puts_the_address_and_the_topic_in(root: Path) -> None:
    tables = (root / "samples/move/tables.sql").read_text()
    demo = (root / "samples/demo_move.sh").read_text()
    for text in ("localhost:9092", "'topic' = 'sales_by_country'"):
        assert text in tables
        assert f"s|{text}|" in demo
