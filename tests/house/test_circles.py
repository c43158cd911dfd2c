"""Folders and files import in one direction; imports inside functions and under TYPE_CHECKING count."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest
from grimp import build_graph

ROOT = Path(__file__).parents[2]

Imports = Mapping[str, Iterable[str]]


@pytest.fixture(scope="module")
def imports() -> Imports:
    """The imports of every module."""
    graph = build_graph("compiled_plan", exclude_type_checking_imports=False)
    return {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}


def circle(imports: Imports) -> list[str]:
    """The members of an import cycle; empty if there is none."""
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def folder(module: str) -> str:
    """The folder of a module; a package is its own folder."""
    place = Path(*module.split(".")[1:])
    return str(place if (ROOT / "compiled_plan" / place).is_dir() else place.parent)


def between_folders(imports: Imports) -> Imports:
    edges: dict[str, set[str]] = defaultdict(set)
    for module, others in imports.items():
        edges[folder(module)] |= {folder(imported) for imported in others} - {folder(module)}
    return edges


def test_no_import_cycle_of_files(imports: Imports) -> None:
    assert circle(imports) == []


def test_no_import_cycle_of_folders(imports: Imports) -> None:
    assert circle(between_folders(imports)) == []


def test_a_cycle_of_folders_without_a_cycle_of_files_is_detected() -> None:
    imports = {
        "compiled_plan.table.table": ["compiled_plan.compiling.scripts"],
        "compiled_plan.compiling.previews": ["compiled_plan.table.table"],
    }
    assert circle(imports) == []
    assert set(circle(between_folders(imports))) == {"compiling", "table"}
