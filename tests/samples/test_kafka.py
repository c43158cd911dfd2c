"""The sample between servers: its programs compile with the tables of another file, which has the addresses."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.commands import called


@pytest.mark.parametrize(("program", "operators"), [("fill", 0), ("program", 3)])
def test_a_program_with_its_tables(program: str, operators: int, root: Path, tmp_path: Path) -> None:
    folder, plan = root / "samples/kafka", tmp_path / "plan.json"
    said = called("compile_plan", "--init", folder / "tables.sql", folder / f"{program}.sql", "-o", plan)
    assert said.returncode == 0, said.stderr
    assert f"{operators} with a TTL" in said.stdout + said.stderr


def test_the_demo_puts_the_addresses_in(root: Path) -> None:
    tables = (root / "samples/kafka/tables.sql").read_text()
    demo = (root / "samples/demo_kafka.sh").read_text()
    for address in ("localhost:9092", "jdbc:postgresql://localhost:5432/postgres?user=postgres"):
        assert address in tables
        assert f"s|{address}|" in demo
