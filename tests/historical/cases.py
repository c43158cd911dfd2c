"""The frozen cases: a program that a release started, stopped in the middle of its input, and its expected results.

`<release>.tar.xz` holds, by case, `program.sql`, `plan.json` as the release compiled it, `stopped.tar.xz` (checkpoint
and sinks when the run stopped after the first part of the input) and `expected.json`; `data/<part>/`
holds the input. `releases.json` has the digest of each, and the cases that are refused by now, with a part of the
message; `python -m tools.freeze_release --unpack RELEASE FOLDER` unpacks one. In programs and plans `${folder}` stands
for the folder of a run. A checkpoint has absolute paths, and digests of them, so each case has one folder on every
machine, see `place`.
"""

from __future__ import annotations

import fcntl
import hashlib
import io
import json
import os
import shutil
import tarfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from compiled_plan.plans.errors import CheckpointError, ExecutionError
from compiled_plan.plans.execution.run import Run
from compiled_plan.plans.execution.session.options import CHECK, TRANSFORM, RunOptions
from compiled_plan.plans.execution.spark.java import java_class
from compiled_plan.plans.nodes.sink import Sink
from compiled_plan.plans.plan import CompiledPlan
from tests.conformance.cases import added_up, row_text
from tests.support.packed import unpacked

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

HERE = Path(__file__).parent
PROGRAMS, DATA = HERE / "programs", HERE / "data"
PACKED, RELEASES = unpacked(HERE), HERE / "releases.json"
#: The folder of a run in programs and plans.
PLACE = "${folder}"
#: Folder of the cases' folders.
ROOT = Path("/tmp/compiled-plan-historical")
PLAN, STOPPED, EXPECTED = "plan.json", "stopped.tar.xz", "expected.json"
#: Modification time of the first part of the input; later parts are later.
_WRITTEN = 1_700_000_000
_FUNCTIONS = ("tests.historical.functions",)


@dataclass(frozen=True)
class Case:
    """A frozen case."""

    folder: Path

    @property
    def name(self) -> str:
        return f"{self.folder.parent.name}/{self.folder.name}"

    @cached_property
    def expected(self) -> dict[str, Any]:
        document: dict[str, Any] = json.loads((self.folder / EXPECTED).read_text(), parse_float=Decimal)
        return document

    @cached_property
    def refusal(self) -> str:
        """Part of the refusal; empty if the case continues."""
        return str(frozen()[self.folder.parent.name]["refused"].get(self.folder.name, ""))

    @property
    def program(self) -> str:
        """The name of its program; a case on another host appends it."""
        return self.folder.name.removesuffix(f"_{self.expected['host']}")

    @property
    def data(self) -> Path:
        """The input, in parts."""
        return self.folder.parent / "data"

    def plan(self, place: Path) -> CompiledPlan:
        """The plan over the tables of a folder."""
        return CompiledPlan.from_json(self.text(PLAN).replace(PLACE, str(place)))

    def text(self, file: str) -> str:
        return (self.folder / file).read_text(encoding="utf-8")

    def restore(self, place: Path) -> None:
        """Put the checkpoint, the sinks and the input into a folder."""
        with tarfile.open(self.folder / STOPPED) as archive:
            archive.extractall(place, filter="data")
        for part in (1, 2):
            add_part(self.data, part, place)

    def state_formats(self) -> Iterator[tuple[str, str]]:
        """The state formats in its checkpoint, by kind and version."""
        with tarfile.open(self.folder / STOPPED) as archive:
            for member in archive.getmembers():
                if member.name.endswith("/state.json"):
                    states = json.load(archive.extractfile(member) or io.BytesIO())
                    yield from ((state["kind"], state["version"]) for state in states.values())


def frozen() -> dict[str, dict[str, Any]]:
    """The releases, oldest first: the digest of the archive, and the refused cases."""
    releases: dict[str, dict[str, Any]] = json.loads(RELEASES.read_text())
    return releases


def cases() -> list[Case]:
    """All frozen cases."""
    return [Case(path.parent) for release in frozen() for path in sorted((PACKED / release).glob(f"*/{EXPECTED}"))]


def digest(release: str) -> str:
    """The SHA-256 of a release's archive."""
    return hashlib.sha256((HERE / f"{release}.tar.xz").read_bytes()).hexdigest()


# ---- current programs


def programs() -> list[str]:
    """The names of the programs that are frozen with each release."""
    return sorted(path.stem for path in PROGRAMS.glob("*.sql") if path.stem != "tables")


def program(name: str) -> str:
    """The text of a program, its tables included."""
    return "".join((PROGRAMS / f"{script}.sql").read_text(encoding="utf-8") for script in ("tables", name))


def compiled(name: str, text: str) -> CompiledPlan:
    """The plan of a program over the tables of `PLACE`."""
    from compiled_plan.environment import TableEnvironment

    if name in PLANS:
        return CompiledPlan.read_file(str(PLANS[name]))
    data = json.loads(TableEnvironment().compile_script(text).to_json(), object_hook=_anywhere)
    if name in EDITS:
        EDITS[name](data)
    return CompiledPlan.from_json(json.dumps(data))


def _anywhere(document: dict[str, Any]) -> dict[str, Any]:
    """A Python function without the path of its file, which differs between machines."""
    return {name: value for name, value in document.items() if not (name == "file" and "module" in document)}


def _of_the_clock(plan: dict[str, Any]) -> None:
    """A temporal table function as of now, and windows of three rows."""
    for node in plan["nodes"]:
        if node["type"].startswith("stream-exec-temporal-join"):
            node |= {"isTemporalFunctionJoin": True, "rightTimeAttributeIndex": -1}
        if node["type"].startswith("stream-exec-group-window-aggregate"):
            node["window"] |= {"isTimeWindow": False, "size": 3}


#: Programs whose plan is edited by hand.
EDITS: dict[str, Callable[[dict[str, Any]], None]] = {"clock_function": _of_the_clock}
#: Programs whose plan was compiled by Flink.
PLANS = {"materialized": PACKED / "flink" / "2.1" / "changelogs.json"}


# ---- runs


def database(spark: SparkSession) -> None:
    """The lookup tables of `programs/lookups.sql`, in the memory of Spark's process."""
    jvm = spark._jvm
    assert jvm is not None
    manager: Any = java_class(jvm, "java.sql.DriverManager")
    # A limit that an earlier table has set counts the start of Derby, too.
    manager.setLoginTimeout(0)
    connection = manager.getConnection("jdbc:derby:memory:historical;create=true")
    if not connection.getMetaData().getTables(None, None, "CARRIERS", None).next():
        statement = connection.createStatement()
        statement.execute("CREATE TABLE carriers (name VARCHAR(9), fee DECIMAL(10, 2))")
        statement.execute("INSERT INTO carriers VALUES ('ups', 1.25), ('fedex', 3.50)")
    connection.close()


@contextmanager
def place(name: str) -> Iterator[Path]:
    """The empty folder of a case, locked for one process at a time."""
    folder = ROOT / name
    folder.parent.mkdir(parents=True, exist_ok=True)
    with folder.with_name(f"{folder.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def add_part(data: Path, number: int, place: Path) -> None:
    """Add a part of the input: a file per table."""
    for source in sorted((data / str(number)).glob("*.json")):
        target = place / source.stem / f"{number}.json"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(source.read_bytes())
        os.utime(target, (_WRITTEN + number, _WRITTEN + number))


def run(
    spark: SparkSession,
    plan: CompiledPlan,
    place: Path,
    host: str = TRANSFORM,
    *,
    stop: bool = False,
    upgrade: str = CHECK,
) -> str:
    """Run a plan on the checkpoint of a folder until the input ends, or the available input has been read.

    Args:
        spark: the session.
        plan: a plan over the tables of the folder.
        place: the folder.
        host: the state host.
        stop: end after the available input; more may come.
        upgrade: see `RunOptions`.

    Returns:
        The run's error if its data causes one; else empty.
    """
    options = RunOptions(
        checkpoint=str(place / "checkpoint"),
        available_now=stop,
        host=host,
        max_files_per_batch=1,
        functions_from=_FUNCTIONS,
        upgrade=upgrade,
        time_zone="UTC",
        # The archives get older than the absence that a start accepts; no TTL in them ends within a century.
        allow_clock_jump=True,
    )
    try:
        Run(spark, plan, options).execute()
    except CheckpointError:
        raise
    except ExecutionError as fault:
        return str(fault)
    return ""


def results(plan: CompiledPlan, place: Path) -> dict[str, list[Any]]:
    """The tables that the changes in the sinks' files result in."""
    result = {}
    for sink in plan.sinks:
        assert isinstance(sink, Sink)
        name = sink.dynamic_table_sink.table.identifier.split("`")[-2]
        table, rows = added_up(place / name)
        assert all(count >= 0 for count in table.values()), f"{name}: more deletes than inserts"
        result[name] = [rows[key] for key in sorted(table) for _ in range(table[key])]
    return result


def difference(actual: dict[str, list[Any]], wanted: dict[str, list[Any]]) -> str:
    """Missing and extra rows of tables; empty for equal tables."""
    for name, table in wanted.items():
        has, right = (Counter(map(row_text, rows)) for rows in (actual[name], table))
        if has != right:
            return f"{name}: missing {list((right - has).elements())}, extra {list((has - right).elements())}"
    return ""
