"""`compiled-plan new`: the project compiles, its files agree with each other, and nothing is overwritten."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from pathlib import Path

import pytest
import yaml

from compiled_plan.cli import new_project
from compiled_plan.commands.registry import COMMANDS
from compiled_plan.plans.plan import CompiledPlan
from tests.support.commands import called

FILES = [
    ".github/workflows/plans.yml",
    ".gitignore",
    "README.md",
    "data/orders/1.json",
    "requirements.txt",
    "tables.sql",
    "totals.sql",
    "totals.test.yaml",
]


def files_of(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    result = called("new_project", "my shop")
    assert result.returncode == 0, result.stderr
    assert "cd 'my shop'\n" in result.stderr
    assert files_of(tmp_path) == [f"my shop/{file}" for file in FILES], "no draft is left"
    monkeypatch.chdir(tmp_path / "my shop")
    return tmp_path / "my shop"


def test_the_program_compiles_with_its_ttl(project: Path) -> None:
    compiled = called("compile_plan", *"--init tables.sql totals.sql -o totals.json".split())
    assert compiled.returncode == 0, compiled.stderr
    plan = CompiledPlan.read_file(project / "totals.json")
    (ttl,) = [entry.ttl_ms for node in plan.nodes for entry in node.ttl_entries]
    assert ttl == 7 * 86_400_000
    assert (project / "README.md").read_text().startswith("# my shop\n")
    for line in (project / "data/orders/1.json").read_text().splitlines():
        assert set(json.loads(line)) == {"id", "customer", "price"}


def test_commands_in_the_files_are_those_of_the_product(project: Path) -> None:
    workflow = yaml.safe_load((project / ".github/workflows/plans.yml").read_text())
    lines = [step["run"] for step in workflow["jobs"]["plans"]["steps"] if "run" in step]
    readme = (project / "README.md").read_text().split("```")
    lines += [line for block in readme[1::2] for line in block.splitlines()[1:]]
    lines += new_project._NEXT.splitlines()[2:]
    words = {shlex.split(line)[0] for line in lines}
    assert words - {"pip"} <= COMMANDS.keys()
    tests = yaml.safe_load((project / "totals.test.yaml").read_text())
    assert {tests["program"], *tests["init"]} <= set(FILES)


def test_the_review_of_the_first_push(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """There is no commit before it, nor a pull request."""
    workflow = yaml.safe_load((project / ".github/workflows/plans.yml").read_text())
    (step,) = [step for step in workflow["jobs"]["plans"]["steps"] if step.get("name") == "Review"]
    for arguments in (("init", "--quiet"), ("add", "."), ("commit", "--quiet", "--message=first")):
        subprocess.run(["git", "-c", "user.name=n", "-c", "user.email=n@example.org", *arguments], check=True)
    (event := tmp_path / "event.json").write_text(json.dumps({"before": "0" * 40}))
    monkeypatch.setenv("GITHUB_EVENT_PATH", str(event))
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    monkeypatch.delenv("GITHUB_OUTPUT", raising=False)
    name, *words = shlex.split(step["run"])
    reviewed = called(name.replace("-", "_"), *words)
    assert reviewed.returncode == 0, reviewed.stderr
    assert (tmp_path / "summary.md").read_text().startswith("## Plans: no changed program\n")


@pytest.mark.parametrize("name", ["", "."])
def test_an_empty_folder_is_filled(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    before = tmp_path.stat().st_ino
    assert called("new_project", name or tmp_path).returncode == 0
    assert files_of(tmp_path) == FILES
    assert tmp_path.stat().st_ino == before
    again = called("new_project", tmp_path)
    assert again.returncode == 1
    assert "the folder is not empty" in again.stderr and "try: " in again.stderr


def test_what_is_there_is_not_touched(tmp_path: Path) -> None:
    (file := tmp_path / "shop").write_text("mine")
    (tmp_path / "link").symlink_to("nowhere")
    for name in ("shop", "link"):
        result = called("new_project", tmp_path / name)
        assert (result.returncode, "the folder is a file" in result.stderr) == (1, True)
    assert called("new_project", tmp_path / "no" / "parent").returncode == 1
    assert file.read_text() == "mine"
    assert files_of(tmp_path) == ["shop"]


@pytest.mark.parametrize("exists", [True, False])
def test_an_error_leaves_no_file(exists: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "shop"
    if exists:
        folder.mkdir()
    rename, moves = Path.rename, []

    def fails_late(self: Path, target: Path) -> Path:
        moves.append(target)
        if len(moves) == (4 if exists else 1):
            raise OSError(28, os.strerror(28))
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", fails_late)
    result = called("new_project", folder)
    assert result.returncode == 1
    assert "no space left" in result.stderr
    assert list(tmp_path.rglob("*")) == ([folder] if exists else [])
