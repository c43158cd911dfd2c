"""Handmade checkpoints, as far as commands without Spark read them."""

from __future__ import annotations

import json
from pathlib import Path

from compiled_plan.plans.inspection.checkpoints import FORMAT

#: A run file without a Spark version, in the folder of the tests.
_DESCRIBED = {"format": 4, "versions": {"spark": ""}, "folder": None, "sources": [], "gone": [], "operators": []}


def without_digests(folder: Path) -> None:
    """Leave the heads of a checkpoint as earlier releases did, so that a test may change the files that they name."""
    for head in folder.rglob("heads/*"):
        if head.name.isdigit():
            fields = json.loads(head.read_text(encoding="utf-8"))
            plain = {name: value for name, value in fields.items() if name not in ("digest", "files")}
            head.write_text(json.dumps(plain), encoding="utf-8")


def checkpoint(folder: Path, *plans: str) -> Path:
    """A checkpoint that was started with these plans in turn."""
    for number, plan in enumerate(plans, 1):
        program = folder / f"generations/1/compiled-plan/programs/{number}"
        program.mkdir(parents=True)
        (program / "plan.json").write_text(plan, encoding="utf-8")
        (program / "description.json").write_text(json.dumps(_DESCRIBED), encoding="utf-8")
        (program / "stages.json").write_text("[]", encoding="utf-8")
        (program / "state.json").write_text("{}", encoding="utf-8")
        head = {"format": FORMAT, "number": number, "generation": 1, "program": number, "by": "start", "at": ""}
        (folder / "heads").mkdir(exist_ok=True)
        (folder / f"heads/{number}").write_text(json.dumps(head | {"product": ""}), encoding="utf-8")
    return folder
