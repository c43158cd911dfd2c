"""Freeze the runs of `tests/historical` programs with this release: `python -m tools.freeze_release [NAME]...`.

Each program is started and stopped in the middle of its input; its plan, checkpoint and sinks are archived. Then it
runs to its end, and its rows are the expected result of every later release that continues from the archive. With
names, only these programs are frozen, into an existing release; an archived program is never overwritten.
`--unpack RELEASE FOLDER` extracts a release's files into a folder.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from decimal import Decimal
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from compiled_plan.plans.execution.session.options import GROUPS, NATIVE, TRANSFORM
from compiled_plan.plans.execution.session.spark_session import spark_session
from compiled_plan.plans.plan import CompiledPlan
from tests.historical import cases
from tests.support.packed import pack, unpack

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

#: Programs that are frozen on other hosts, too.
ON_OTHER_HOSTS = {"kept": (TRANSFORM, GROUPS), "first_rows": (TRANSFORM, NATIVE)}


class FreezeError(Exception):
    """A program or release cannot be frozen."""


def freeze(spark: SparkSession, release: Path, names: list[str]) -> None:
    """Freeze programs.

    Args:
        spark: a session of two partitions.
        release: the folder of the release, with its frozen programs unpacked.
        names: of programs; empty for all.

    Raises:
        FreezeError: a program is frozen already, or its rows differ if it is stopped.
    """
    cases.database(spark)
    if not (release / "data").exists():
        shutil.copytree(cases.DATA, release / "data")
    for name in names or cases.programs():
        for host in ON_OTHER_HOSTS.get(name, (TRANSFORM,)):
            folder = release / (name if host == TRANSFORM else f"{name}_{host}")
            if folder.exists():
                raise FreezeError(f"{folder.name} is frozen already")
            _freeze(spark, folder, name, host)
            print(f"{folder.name}: {sum(file.stat().st_size for file in folder.iterdir()):,} bytes", flush=True)


def _freeze(spark: SparkSession, folder: Path, name: str, host: str) -> None:
    plan_text = cases.compiled(name, cases.program(name)).to_json()
    with (
        tempfile.TemporaryDirectory(prefix="freeze-") as temporary,
        cases.place(f"{folder.parent.name}/{folder.name}") as stopped,
    ):
        whole, archived = Path(temporary, "whole"), Path(temporary, "archived")
        plan = CompiledPlan.from_json(plan_text.replace(cases.PLACE, str(stopped)))
        cases.add_part(cases.DATA, 1, stopped)
        if fault := cases.run(spark, plan, stopped, host, stop=True):
            raise FreezeError(f"{name}: {fault}")
        shutil.copytree(stopped, archived)
        cases.add_part(cases.DATA, 2, stopped)
        fails = cases.run(spark, plan, stopped, host)
        rows = {} if fails else cases.results(plan, stopped)

        plan = CompiledPlan.from_json(plan_text.replace(cases.PLACE, str(whole)))
        for part in (1, 2):
            cases.add_part(cases.DATA, part, whole)
        if bool(cases.run(spark, plan, whole, host)) != bool(fails):
            raise FreezeError(f"{name}: fails only with a stop, or only without: {fails}")
        if not fails and (wrong := cases.difference(rows, cases.results(plan, whole))):
            raise FreezeError(f"{name}: the rows differ from a run without a stop: {wrong}")

        for source in cases.DATA.glob("1/*.json"):
            shutil.rmtree(archived / source.stem)
        folder.mkdir(parents=True)
        (folder / "program.sql").write_text(cases.program(name), encoding="utf-8")
        (folder / cases.PLAN).write_text(plan_text, encoding="utf-8")
        pack(archived, folder / cases.STOPPED)
        expected = {"host": host, "fails": fails.partition("\n")[0], "sinks": rows}
        text = json.dumps(expected, indent=1, ensure_ascii=False, default=_number)
        (folder / cases.EXPECTED).write_text(text + "\n", encoding="utf-8")


def _number(value: Any) -> float:
    assert isinstance(value, Decimal)
    return float(value)


def main() -> int:
    """Run the command; exit 0 if all programs are frozen."""
    if sys.argv[1:2] == ["--unpack"]:
        unpack(cases.HERE / f"{sys.argv[2]}.tar.xz", Path(sys.argv[3]))
        return 0
    version, names = metadata.version("compiled-plan"), sys.argv[1:]
    archive = cases.HERE / f"{version}.tar.xz"
    settings = {"spark.sql.shuffle.partitions": "2", "spark.driver.memory": "2g"}
    if archive.exists() and not names:
        print(f"error: {archive} is frozen already; set the version of the next release", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as temporary, spark_session("local[2]", settings) as spark:
        release = Path(temporary, version)
        if archive.exists():
            unpack(archive, release)
        try:
            freeze(spark, release, names)
        except FreezeError as fault:
            print(f"error: {fault}", file=sys.stderr)
            return 1
        pack(release, archive)
    frozen = cases.frozen()
    frozen.setdefault(version, {"refused": {}})["sha256"] = cases.digest(version)
    cases.RELEASES.write_text(json.dumps(frozen, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
