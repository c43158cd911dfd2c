"""Runs Flink, some ten minutes for all kinds."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.bench.nexmark.flink import ONE_TASK, flink_python
from tests.upgrades.kinds import KINDS
from tests.upgrades.kinds.model import FIRST, Elsewhere, Kind
from tests.upgrades.programs import as_declared, write
from tests.upgrades.savepoints import ANSWERS, answers


def streaming(kind: Kind, new: bool, folder: Path) -> str:
    """The plan of a program whose filesystem sources keep looking for files."""
    data = as_declared(kind, new, folder).to_dict()
    for node in data["nodes"]:
        table = node.get("scanTableSource", {}).get("table", {}).get("resolvedTable", {})
        if table.get("options", {}).get("connector") == "filesystem":
            table["options"]["source.monitor-interval"] = "1 s"
    return json.dumps(data)


def request(kind: Kind, folder: Path) -> dict[str, Any]:
    """The request for `jobs.py`."""
    write(folder, 0, FIRST)
    plans = [streaming(kind, new, folder) for new in (False, True)]
    return {"name": kind.name, "plans": plans, "zones": kind.zones, "folder": str(folder / "savepoints")}


def main(names: list[str]) -> None:
    """Record these kinds, all if there is no name."""
    wanted = [kind for kind in KINDS if kind.flink is not Elsewhere.ABSENT and (not names or kind.name in names)]
    with tempfile.TemporaryDirectory(prefix="savepoints-") as folder:
        message = {"options": dict(ONE_TASK), "jobs": [request(kind, Path(folder) / kind.name) for kind in wanted]}
        command = [str(flink_python()), str(Path(__file__).with_name("jobs.py"))]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(message))
        process.stdin.close()
        known = dict(answers()) if ANSWERS.exists() else {}
        for line in process.stdout:
            if line.startswith("{"):
                answer = json.loads(line)
                print(answer["name"], answer["answer"], answer["why"], flush=True)
                known[answer["name"]] = answer["answer"]
        if process.wait():
            raise SystemExit(f"{' '.join(command)} ended with {process.returncode}")
    ANSWERS.write_text(json.dumps(dict(sorted(known.items())), indent=1) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
