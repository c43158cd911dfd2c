"""A checkpoint's folder, read without Spark."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from compiled_plan.plans.errors import CheckpointError
from compiled_plan.plans.files.folders import ReadableFolder, folder_to_read
from compiled_plan.plans.inspection.checkpoints import FORMAT, CheckpointReader, ProgramFiles


def reader(path: Path) -> CheckpointReader[ReadableFolder]:
    return CheckpointReader(folder_to_read(str(path)))


def write(path: Path, text: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text if isinstance(text, str) else json.dumps(text))


def plan(generation: int, program: int) -> str:
    return json.dumps({"generation": generation, "program": program})


def publish(root: Path, number: int, generation: int, program: int) -> None:
    """Write a head with a program whose plan identifies it."""
    head = {"generation": generation, "program": program, "by": "start", "at": "now", "product": "9.9"}
    write(root / f"heads/{number}", {"format": FORMAT, "number": number, **head})
    folder = root / f"generations/{generation}/compiled-plan/programs/{program}"
    for name, text in {"description": "{}", "stages": "[]", "state": "{}"}.items():
        write(folder / f"{name}.json", text)
    write(folder / "plan.json", plan(generation, program))


def test_the_head_of_the_highest_number_counts(tmp_path: Path) -> None:
    publish(tmp_path, 9, 1, 1)
    publish(tmp_path, 10, 2, 3)
    publish(tmp_path, 11, 1, 1)  # back to the older one
    publish(tmp_path, 2, 1, 2)
    write(tmp_path / "heads/.12.tmp", "half")
    assert reader(tmp_path).program_in_force() == ProgramFiles(plan(1, 1), "{}", "[]", "{}")
    assert [head.number for head in reader(tmp_path).heads()] == [2, 9, 10, 11]


def test_a_generation_that_no_head_names_does_not_count(tmp_path: Path) -> None:
    publish(tmp_path, 1, 1, 1)
    write(tmp_path / "generations/2/compiled-plan/programs/1/plan.json", "later")
    assert reader(tmp_path).program_in_force().plan == plan(1, 1)


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({}, "holds no plan: nothing was started on it"),
        ({"heads/1": "{"}, "heads/1 of the checkpoint is missing or cannot be read"),
        ({"heads/1": {"format": FORMAT + 1, "product": "7.0"}}, f"form {FORMAT + 1}, of release 7.0"),
        ({"compiled-plan/layout.json": "{}"}, "the form of an earlier release"),
        ({"offsets/0": "v1", "metadata": "{}"}, "of a query that execute-plan did not start"),
    ],
)
def test_foreign_checkpoints_are_refused(files: dict[str, object], message: str, tmp_path: Path) -> None:
    for name, text in files.items():
        write(tmp_path / name, text)
    with pytest.raises(CheckpointError, match=message):
        reader(tmp_path).program_in_force()


def test_a_missing_folder(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="the checkpoint is not there"):
        reader(tmp_path / "nowhere").program_in_force()


def test_a_program_without_its_plan_is_damaged(tmp_path: Path) -> None:
    publish(tmp_path, 1, 1, 1)
    (tmp_path / "generations/1/compiled-plan/programs/1/plan.json").unlink()
    with pytest.raises(CheckpointError, match=r"programs/1/plan\.json of the checkpoint is missing"):
        reader(tmp_path).program_in_force()
