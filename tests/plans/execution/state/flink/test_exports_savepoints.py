"""Savepoints of Flink's restore tests that are imported and exported: states and entries must be the same."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from compiled_plan.plans.errors import CheckpointError
from compiled_plan.plans.execution.session.options import RunOptions
from compiled_plan.plans.execution.state.flink.exports import Export, ExportOptions
from compiled_plan.plans.execution.state.flink.imports import Import, ImportOptions
from compiled_plan.plans.execution.state.flink.savepoint.head import SavepointHead, head_in
from compiled_plan.plans.execution.state.flink.savepoint.reading import read_savepoint
from compiled_plan.plans.nodes.scan import TableSourceScan
from compiled_plan.plans.plan import CompiledPlan
from tests.flink_programs.restoring import filled
from tests.plans.execution.state.flink.savepoint import restore_tests
from tests.plans.execution.state.flink.test_exports import in_order

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.slow, pytest.mark.spark]

#: The program of `make test`; the rest is in `make test-wide`.
DEFAULT = "stream-exec-join_1/join-outer-join"
PROGRAMS = [
    "stream-exec-group-aggregate_1/group-aggregate-simple",
    "stream-exec-group-aggregate_1/group-aggregate-simple-mini-batch",
    "stream-exec-group-aggregate_1/group-aggregate-distinct",
    "stream-exec-join_1/join-inner-join-with-pk",
    "stream-exec-join_1/join-inner-join-with-equal-pk",
    "stream-exec-join_1/join-left-join",
    "stream-exec-join_1/join-right-join",
    "stream-exec-join_1/join-outer-join",
    "stream-exec-join_1/join-semi-join",
    "stream-exec-join_1/join-anti-join",
    "stream-exec-deduplicate_1/deduplicate-asc-proctime",
    "stream-exec-deduplicate_1/deduplicate-desc",
    "stream-exec-changelog-normalize_1/changelog-normalize-source",
    "stream-exec-rank_1/rank-test-append-fast-strategy",
    "stream-exec-rank_1/rank-test-update-fast-strategy",
    "stream-exec-rank_1/rank-test-retract-strategy",
    "stream-exec-rank_1/rank-n-test",
    "stream-exec-limit_1/limit",
    "stream-exec-sort-limit_1/sort-limit-asc",
]


def table_names(plan: str, kind: str) -> list[str]:
    nodes = json.loads(plan)["nodes"]
    tables = [node[kind]["table"]["identifier"] for node in nodes if kind in node]
    return [name.rpartition(".")[2].strip("`") for name in dict.fromkeys(tables)]


def imported(spark: SparkSession, program: str, folder: Path) -> tuple[Path, Path]:
    """The savepoint of a program, and the checkpoint that starts with it."""
    (savepoint,) = restore_tests.unpack(folder / "unpacked", program)
    text = restore_tests.plan(program)
    options = {
        name: {"connector": "filesystem", "path": str(folder / name), "format": form}
        for kind, form in (("scanTableSource", "json"), ("dynamicTableSink", "debezium-json"))
        for name in table_names(text, kind)
    }
    plan = CompiledPlan.from_json(filled(text, options))
    for name in options:
        (folder / name).mkdir(exist_ok=True)
    starts = {node.scan_table_source.table.name: "earliest" for node in plan.nodes if isinstance(node, TableSourceScan)}
    with Import.open(str(savepoint), plan, ImportOptions(starts=starts)) as opened:
        opened.write(spark, RunOptions(checkpoint=str(folder / "checkpoint")))
    return savepoint, folder / "checkpoint"


def exported(spark: SparkSession, checkpoint: Path, to: Path, **options: Any) -> Export:
    tables = [node for node in CompiledPlan.read_file(_plan_in(checkpoint)).nodes if isinstance(node, TableSourceScan)]
    starts = {node.scan_table_source.table.name: "earliest" for node in tables}
    export = Export(spark, str(checkpoint), ExportOptions(starts=starts, **options))
    export.write(to)
    return export


def _plan_in(checkpoint: Path) -> Path:
    return next(checkpoint.rglob("plan.json"))


def content(folder: Path, head: SavepointHead, uid: str) -> tuple[dict[str, Any], list[Any]]:
    """The states of an operator by name, and its entries, without timers and kinds of rows.

    Rows with a null in a key that matches nothing have no state here.
    """
    (operator,) = (operator for operator in head.operators if operator.uid == uid)
    states = {state.name: replace(state, entries=0) for state in operator.states if state.kind != "TIMERS"}
    lines = [json.loads(line) for file in operator.files for line in (folder / file).read_text().splitlines()]
    entries = [{**line, "kind": "+I"} for line in lines if line["state"] in states and None not in line["key"]]
    return states, in_order(entries)


@pytest.mark.wide
@pytest.mark.parametrize(
    "program", [pytest.param(one, marks=() if one == DEFAULT else pytest.mark.wide) for one in PROGRAMS]
)
def test_states_and_entries_come_back(spark: SparkSession, program: str, tmp_path: Path) -> None:
    savepoint, checkpoint = imported(spark, program, tmp_path)
    export = exported(spark, checkpoint, tmp_path / "back")
    uids = [operator.flink_uid for operator in export.report.operators if operator.keys]
    for name, path in (("before", savepoint), ("after", tmp_path / "back")):
        read_savepoint(path, tmp_path / name, uids=uids)
    assert uids
    assert head_in(tmp_path / "after").format == "CANONICAL"
    for uid in uids:
        before, after = (content(tmp_path / name, head_in(tmp_path / name), uid) for name in ("before", "after"))
        assert after == before


@pytest.mark.wide
def test_a_folder_with_files_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    _, checkpoint = imported(spark, PROGRAMS[0], tmp_path)
    (tmp_path / "to").mkdir()
    (tmp_path / "to/file").touch()
    with pytest.raises(CheckpointError, match="the folder for the savepoint is not empty"):
        exported(spark, checkpoint, tmp_path / "to")
    assert [file.name for file in (tmp_path / "to").iterdir()] == ["file"]
