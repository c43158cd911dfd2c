"""Public names: one list, seen by type checkers, with an example each that gives what it shows."""

from __future__ import annotations

import ast
import doctest
import inspect
import pkgutil
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

import compiled_plan
import compiled_plan.testing

_PUBLIC = (compiled_plan, compiled_plan.testing)
_FINDER = doctest.DocTestFinder()


def _modules() -> list[ModuleType]:
    """The modules of the public package, and those of the other exported names."""
    folder = Path(compiled_plan.__file__).parent
    links = {path.name for path in folder.iterdir() if path.is_symlink()}
    names = {
        info.name
        for info in pkgutil.walk_packages([str(folder)], "compiled_plan.")
        if info.name.split(".")[1] not in {*links, "api", "__main__"}
    }
    exported = (inspect.getmodule(getattr(package, name)) for package in _PUBLIC for name in package.__all__)
    names |= {module.__name__ for module in exported if module is not None}
    return [compiled_plan, *map(import_module, sorted(names))]


_TESTS = [test for module in _modules() for test in _FINDER.find(module) if test.examples]
#: Examples that need Spark.
_SKIPPED = {
    "compiled_plan.environment.TableEnvironment.create_state_database",
    "compiled_plan.checkpoints.export_savepoint",
    "compiled_plan.checkpoints.export_state",
    "compiled_plan.checkpoints.inspect_key",
    "compiled_plan.checkpoints.inspect_state",
    "compiled_plan.running.plans.CompiledPlan.import_state",
    "compiled_plan.results.table_result.JobClient",
    "compiled_plan.results.table_result.TableResult",
    "compiled_plan.plans.execution.testing.quick.NotQuickError",
    "compiled_plan.testing.programs.ProgramTest",
}
#: Public values, which have no docstring.
_VALUES = {"ANY", "CURRENT_RANGE", "CURRENT_ROW", "UNBOUNDED_RANGE", "UNBOUNDED_ROW"}


@pytest.mark.parametrize("test", _TESTS, ids=lambda test: test.name)
def test_an_example_gives_what_it_shows(test: doctest.DocTest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    output: list[str] = []
    failed, _ = doctest.DocTestRunner().run(test, out=output.append)
    assert not failed, "".join(output)


def test_only_examples_with_spark_are_skipped() -> None:
    skipped = {test.name for test in _TESTS if any(doctest.SKIP in example.options for example in test.examples)}
    assert skipped == _SKIPPED
    assert {"compiled_plan", "compiled_plan.environment.TableEnvironment"} < {test.name for test in _TESTS}


@pytest.mark.parametrize("package", _PUBLIC, ids=lambda package: package.__name__)
def test_every_public_name_has_an_example(package: ModuleType) -> None:
    names = {name: inspect.unwrap(getattr(package, name)) for name in package.__all__ if name not in _VALUES}
    tests = {test.name for test in _TESTS}
    assert {name for name, item in names.items() if f"{item.__module__}.{item.__qualname__}" not in tests} == set()


def test_type_checkers_see_the_public_names() -> None:
    tree = ast.parse(Path(compiled_plan.__file__).read_text(encoding="utf-8"))
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    exported = {alias.asname: node.module for node in imports for alias in node.names if alias.asname == alias.name}
    assert exported == compiled_plan._HOMES
