"""Local paths of a run, checked before a JVM starts."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from compiled_plan import TableEnvironment
from compiled_plan.plans.errors import CompiledPlanError
from compiled_plan.plans.inspection.places import check_places, local_place
from compiled_plan.plans.plan import CompiledPlan

PROGRAM = """
CREATE TABLE t (a INT) WITH ('connector' = 'filesystem', 'path' = '{source}', 'format' = 'json');
CREATE TABLE o (a INT) WITH ('connector' = 'filesystem', 'path' = '{sink}', 'format' = 'json');
INSERT INTO o SELECT a FROM t;
"""


def plan(source: object, sink: object) -> CompiledPlan:
    return TableEnvironment().compile_script(PROGRAM.format(source=source, sink=sink))


@pytest.fixture
def there(tmp_path: Path) -> Path:
    (tmp_path / "in.json").write_text("")
    (tmp_path / "query").mkdir()
    (tmp_path / "query" / "offsets").mkdir()
    return tmp_path


def test_usable_places(there: Path) -> None:
    before = sorted(there.rglob("*"))
    check_places(plan(there / "in.json", there / "a/b/out"), str(there / "new/checkpoint"))
    check_places(plan(f"file://{there}/in.json", "s3://bucket/out"), "hdfs:///checkpoints/a")
    check_places(plan("s3://bucket/in.json", there), "")
    assert sorted(there.rglob("*")) == before


@pytest.mark.parametrize(
    ("source", "sink", "checkpoint", "message"),
    [
        ("no.json", "out", "", "no.json' does not exist"),
        ("in.json", "in.json", "", "in.json' is a file, and rows are written into a folder"),
        ("in.json", "in.json/out", "", "in.json is a file"),
        ("in.json", "out", "in.json", "the checkpoint is a file"),
        ("in.json", "out", "in.json/checkpoint", "the checkpoint cannot be written"),
        ("in.json", "out", "query", "a query that execute-plan did not start"),
    ],
)
def test_refused_places(there: Path, source: str, sink: str, checkpoint: str, message: str) -> None:
    before = sorted(there.rglob("*"))
    with pytest.raises(CompiledPlanError, match=message) as refused:
        check_places(plan(there / source, there / sink), checkpoint and str(there / checkpoint))
    assert refused.value.remedy
    assert str(there) in str(refused.value)
    assert sorted(there.rglob("*")) == before


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_place_that_may_not_be_written(there: Path) -> None:
    there.chmod(0o500)
    with pytest.raises(CompiledPlanError, match="may not be written"):
        check_places(plan(there / "in.json", there / "out"))


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("/a/b", "/a/b"),
        ("file:/a/b", "/a/b"),
        ("file:///a/b%20c", "/a/b%20c"),
        ("s3://bucket/a", None),
        ("hdfs:/a", None),
        ("/a:/b", "/a:/b"),
    ],
)
def test_paths_of_this_machine(text: str, path: str | None) -> None:
    assert local_place(text) == (None if path is None else Path(path))
