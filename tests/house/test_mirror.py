"""Tests mirror the code: folder and name of a test file say which module it tests.

`tests/planner/physical/test_rank.py` tests `planner/physical/rank.py`. A topic may follow the name, and the name of a
folder stands for the folder: `test_rank_ties.py`, and `test_physical_windows.py` in the same folder. Tests of a FLIP
or of a page of Flink's documentation are in `documents`; those that cross the layers have folders of their own.
"""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
#: Test folders that mirror those of the code.
MIRRORED = ("compiled_plan", "planner", "plans", "schemas", "cli", "service")


def about(test: Path, root: Path = ROOT) -> Path | None:
    """The module or package that a test file tests; None if there is none."""
    folder = root / test.parent.relative_to("tests")
    words = test.stem.removeprefix("test_").split("_")
    for count in range(len(words), 0, -1):
        name = "_".join(words[:count])
        for path in (folder / f"{name}.py", folder / name / "__init__.py"):
            if path.exists():
                return path
        if folder.name == name and folder.is_dir():
            return folder / "__init__.py"
    return None


def test_every_test_file_mirrors_its_module() -> None:
    files = [path.relative_to(ROOT) for name in MIRRORED for path in (ROOT / "tests" / name).rglob("test_*.py")]
    assert files
    assert [str(file) for file in files if about(file) is None] == [], "see the first lines of this file"


@pytest.mark.parametrize(
    ("test", "expected"),
    [
        ("planner/physical/test_rank.py", "planner/physical/rank.py"),
        ("planner/physical/test_rank_ties.py", "planner/physical/rank.py"),
        ("planner/physical/test_physical_ties.py", "planner/physical/__init__.py"),
        ("planner/test_physical.py", "planner/physical/__init__.py"),
        ("planner/physical/test_ranks.py", None),
        ("planner/physical/deep/test_rank.py", None),
    ],
)
def test_the_module_of_a_test_file(test: str, expected: str | None, tmp_path: Path) -> None:
    (tmp_path / "planner/physical").mkdir(parents=True)
    for name in ("planner/physical/__init__.py", "planner/physical/rank.py"):
        (tmp_path / name).touch()
    assert about(Path("tests", test), tmp_path) == (expected and tmp_path / expected)
