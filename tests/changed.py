"""Test files that changes reach: `python -m tests.changed [COMMIT]`, `make test CHANGED=1`.

A test is reached if it imports a changed file, directly or transitively; imports inside functions count, and module
names in quotes, as for `python -m`. A module that calls `import_module` or `iter_modules` imports all modules of the
packages that its text names, and of its own package. Other files belong to the modules of their folder. Changes of
the set-up reach all tests.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PRODUCT = "compiled_plan"
#: Starting Spark loads the jar that is built from `kernel/`.
_KERNEL = f"{PRODUCT}.plans.execution.kernel"
#: Tests that read documents and samples, or run commands and tools, without importing them; by folder, "" for the
#: top folder.
_READ_BY = {
    "": ("tests/docs",),
    ".github": ("tests/docs",),
    "cli": ("tests/docs", "tests/samples"),
    "docs": ("tests/docs", "tests/tools/coverage"),
    "requirements": ("tests/tools",),
    "samples": ("tests/docs", "tests/samples"),
    "service": ("tests/docs",),
    "tools": ("tests/docs",),
}
#: Folders of the package, with the names of their links in it.
_LINKS = {link.resolve(): link.name for link in (ROOT / PRODUCT).iterdir() if link.is_symlink()}
#: Set-up of all tests.
_ALL = ("pyproject.toml", "Makefile", "tests/conftest.py", "requirements/dev.txt")
#: Imports what its callers name, in quotes of theirs.
_FOR_CALLERS = f"{PRODUCT}.plans.deferred"
_BY_NAME = re.compile(r"\b(?:import_module|iter_modules)\(")
_PACKAGE = re.compile(r"[\"'](compiled_plan(?:\.\w+)+)")

#: A fixture of `tests/conftest.py`; tests that do not request it are independent of it.
_SPARK = re.compile(r"\bspark\b")

Imports = Mapping[str, set[str]]


def changes(base: str) -> list[str]:
    """The paths that differ from a commit, untracked files included."""
    commands = ["git diff --name-only", f"git diff --name-only {base}...", "git ls-files --others --exclude-standard"]
    outputs = (
        subprocess.run(command.split(), cwd=ROOT, capture_output=True, text=True, check=True) for command in commands
    )
    return sorted({path for output in outputs for path in output.stdout.splitlines()})


def modules() -> dict[str, Path]:
    """All modules of the product, its tests and tools, with their files."""
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "*.py"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    paths = [ROOT / path for path in listed.stdout.splitlines() if (ROOT / path).exists()]
    return {module_of(path): path for path in paths}


def module_of(path: Path) -> str:
    """The module name of a file."""
    folder = next((parent for parent in path.parents if parent in _LINKS), None)
    start = (PRODUCT, _LINKS[folder]) if folder else ()
    return ".".join((*start, *path.relative_to(folder or ROOT).with_suffix("").parts)).removesuffix(".__init__")


def imports(files: Mapping[str, Path]) -> Imports:
    """The imports of every module."""
    graph: dict[str, set[str]] = {}
    for module, file in files.items():
        text = file.read_text(encoding="utf-8")
        quoted = set(_PACKAGE.findall(text))
        named = set(_imported(ast.parse(text))) | quoted | {name.rpartition(".")[0] for name in quoted}
        if _BY_NAME.search(text) and module != _FOR_CALLERS:
            own = module if file.name == "__init__.py" else module.rpartition(".")[0]
            packages = quoted | ({own} - {PRODUCT, "tests"})
            named |= {name for name in files if any(f"{name}.".startswith(f"{package}.") for package in packages)}
        if module.startswith("tests.") and _SPARK.search(text):
            named.add("tests.conftest")
        graph[module] = (named | set(_parents(module))) & files.keys() - {module}
    return graph


def _imported(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _parents(module: str) -> Iterable[str]:
    """The packages of a module, which are imported before it; for a test the `conftest` modules of its folders.

    `compiled_plan` imports whatever a program uses of it, so only modules that name it depend on it.
    """
    while "." in module:
        module = module.rpartition(".")[0]
        if module.startswith("tests."):
            yield f"{module}.conftest"
        if module != PRODUCT:
            yield module


def modules_of(path: str, files: Mapping[str, Path]) -> set[str]:
    """The modules that a path belongs to."""
    place = ROOT / path
    if place.is_relative_to(ROOT / "kernel"):
        return {module for module in files if f"{module}.".startswith(f"{_KERNEL}.")}
    own = {module_of(place)} & files.keys()
    while not own and place.parent != ROOT:
        place = place.parent
        own = {module for module, file in files.items() if file.parent == place}
    return own


def reached(paths: Iterable[str], files: Mapping[str, Path], imports: Imports) -> list[str] | None:
    """The test files and folders of tests that changed paths reach; None for all."""
    paths = list(paths)
    if any(path in _ALL for path in paths):
        return None
    importers: dict[str, set[str]] = defaultdict(set)
    for importer, imported in imports.items():
        for module in imported:
            importers[module].add(importer)
    todo = {module for path in paths for module in modules_of(path, files)}
    seen: set[str] = set()
    while todo:
        module = todo.pop()
        seen.add(module)
        todo |= importers[module] - seen
    tests = {str(files[module].relative_to(ROOT)) for module in seen if module.rpartition(".")[2].startswith("test_")}
    read = {test for path in paths for test in _READ_BY.get(path.rpartition("/")[0].partition("/")[0], ())}
    return sorted(tests | read | {"tests/house"})


def main() -> None:
    """Print the files, as arguments of pytest."""
    files = modules()
    tests = reached(changes(sys.argv[1] if len(sys.argv) > 1 else "main"), files, imports(files))
    print("tests" if tests is None else " ".join(tests))


if __name__ == "__main__":
    main()
