from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from compiled_plan.plans.errors import PlanError
from compiled_plan.running.plans import CompiledPlan
from tests.support.plan_files import CONFORMANCE, name_of, text_of


def plan(case: str = "join/three_way_inner") -> CompiledPlan:
    return CompiledPlan.from_json(text_of(case))


@pytest.mark.parametrize("path", CONFORMANCE[::5], ids=name_of)
def test_every_node_comes_after_its_inputs(path: Path) -> None:
    compiled = CompiledPlan.read_file(path)
    order = [node.id for node in compiled.in_order]
    assert sorted(order) == sorted(node.id for node in compiled.nodes)
    assert all(order.index(edge.source) < order.index(edge.target) for edge in compiled.edges)


def test_inputs_are_in_the_order_of_the_edges() -> None:
    compiled = plan()
    join = next(node for node in compiled.nodes if node.kind == "join")
    sources = [edge.source for edge in compiled.edges if edge.target == join.id]
    assert [node.id for node in compiled.inputs(join)] == sources
    assert all(join in compiled.consumers(source) for source in sources)


def test_sources_and_sinks() -> None:
    compiled = max(
        (plan(name_of(path)) for path in CONFORMANCE if "statement_set" in str(path)), key=lambda it: len(it.sinks)
    )
    assert {node.kind for node in compiled.sinks} == {"sink"}
    assert len(compiled.sinks) == 3
    assert {node.kind for node in compiled.sources} <= {"table-source-scan", "values"}


def test_an_unknown_node_is_named_with_the_known_ones() -> None:
    with pytest.raises(PlanError, match="no node 77") as raised:
        plan().node(77)
    assert str(plan().nodes[0].id) in raised.value.remedy


def test_the_schema_of_a_file_is_kept_and_makes_no_other_plan() -> None:
    text = plan().to_json().replace("{\n", '{\n  "$schema" : "plan.schema.json",\n', 1)
    named = CompiledPlan.from_json(text)
    assert named.to_json() == named.with_nodes(named.nodes).to_json() == text
    assert named == plan()
    assert named.with_schema("").to_json() == plan().to_json()


class TestFiles:
    def test_writes_what_it_reads(self, tmp_path: Path) -> None:
        path = tmp_path / "plan.json"
        plan().write_file(path)
        assert CompiledPlan.read_file(path) == plan()
        assert [item.name for item in tmp_path.iterdir()] == ["plan.json"]

    def test_a_write_that_fails_leaves_the_old_file(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        path = tmp_path / "plan.json"
        path.write_text("old")

        def refuse(handle: int) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(os, "fsync", refuse)
        with pytest.raises(PlanError, match="no space left"):
            plan().write_file(path)
        assert path.read_text() == "old"
        assert [item.name for item in tmp_path.iterdir()] == ["plan.json"]

    def test_keeps_the_mode_and_the_link(self, tmp_path: Path) -> None:
        real, link = tmp_path / "real.json", tmp_path / "link.json"
        real.write_text("old")
        real.chmod(0o640)
        link.symlink_to(real)
        plan().write_file(link)
        assert link.is_symlink()
        assert real.stat().st_mode & 0o777 == 0o640
        assert CompiledPlan.read_file(real) == plan()

    def test_no_such_file(self, tmp_path: Path) -> None:
        with pytest.raises(PlanError, match="no such plan file"):
            CompiledPlan.read_file(tmp_path / "none.json")

    def test_not_text(self, tmp_path: Path) -> None:
        path = tmp_path / "plan.json"
        path.write_bytes(b"\xff\xfe\x00")
        with pytest.raises(PlanError, match="in UTF-16"):
            CompiledPlan.read_file(path)

    def test_remote(self) -> None:
        plan().write_file("memory://plans/plan.json")
        assert CompiledPlan.read_file("memory://plans/plan.json") == plan()
        with pytest.raises(PlanError, match="no such plan file"):
            CompiledPlan.read_file("memory://plans/none.json")
        with pytest.raises(PlanError, match="cannot read the plan: Protocol not known: nosuch"):
            CompiledPlan.read_file("nosuch://plans/none.json")


def test_text_is_kept_whatever_it_holds() -> None:
    data = json.loads(text_of("join/three_way_inner"))
    data["nodes"][0]["scanTableSource"]["table"]["resolvedTable"]["comment"] = 'Bücher \U0001f4da "x" \\ \n\t\x01 / <'
    compiled = CompiledPlan.from_dict(data)
    assert json.loads(compiled.to_json()) == data
    assert CompiledPlan.from_json(compiled.to_json()) == compiled
