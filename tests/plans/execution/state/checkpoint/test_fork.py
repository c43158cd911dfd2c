"""Forks of a generation: the files that a micro-batch needs, while a run goes on and removes others."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import pytest

from compiled_plan.plans.errors import CheckpointError
from compiled_plan.plans.execution.spark.storage import LocalFolder
from compiled_plan.plans.execution.state.checkpoint.fork import fork, fork_last
from compiled_plan.plans.execution.state.checkpoint.marks import Marks, read_marks, write_marks
from compiled_plan.plans.execution.state.checkpoint.records import RECORDED, record_batch
from compiled_plan.plans.execution.state.checkpoint.retained import RetainedState, VanishedError
from compiled_plan.plans.execution.state.checkpoint.store import Generation, Store
from compiled_plan.plans.execution.state.checkpoint.written import read_written
from compiled_plan.plans.inspection.checkpoints import DIGESTS, STATE_ROWS, WRITTEN, Origin, ProgramFiles, sealed

#: The versions of which the writer uploads a snapshot.
SNAPSHOTS = (2, 6, 10)


def log(number: int) -> str:
    return "v1\n" + json.dumps({"path": f"file:///in/{number}.json", "timestamp": 1, "batchId": number})


class Writer:
    """A generation as Spark writes it: one operator in two partitions, a source of files, and one with offsets."""

    def __init__(self, root: Path) -> None:
        self.store = Store(LocalFolder(root))
        self.generation = self.store.new_generation({"product": "1"}, "run-one")
        self.folder = self.generation.folder
        self.next = 0
        self.folder.write_text("metadata", '{"id":"one"}')
        self.folder.write_text("state/0/_metadata/v2/0", "v2")
        self.folder.write_text("state/0/_stateSchema/default/0_schema", "v2")
        self.folder.write_text("sources/topic/0", "v1\n{}")
        path = self.folder.child("compiled-plan/values-1/part-0.json").replace("file:", "file://")
        self.folder.write_text("compiled-plan/values-1/part-0.json", "{}")
        self.folder.write_text("sources/values/0", f'v1\n{{"path":"{path}","timestamp":1,"batchId":0}}')
        self.store.publish(1, self.store.new_program(self.generation, ProgramFiles("{}", "{}")), "start")

    def batch(self) -> None:
        batch, version = self.next, self.next + 1
        about = {"batchWatermarkMs": 0, "batchTimestampMs": batch}
        self.folder.write_text(f"sources/files/{batch}", log(batch))
        positions = f'files:{{"logOffset":{batch}}}\ntopic:{{"t":{{"0":{batch}}}}}\nvalues:{{"logOffset":0}}'
        self.folder.write_text(f"offsets/{batch}", f"v2\n{json.dumps(about)}\n{positions}")
        for partition in (0, 1):
            self.folder.write_text(f"state/0/{partition}/{version}_failed.changelog", "of an attempt")
            name = f"state/0/{partition}/{version}_id{version}"
            self.folder.write_text(f"{name}.changelog", f"changes {version}")
            self.folder.write_text(f"{name}.changelog.crc", "crc")
            if version in SNAPSHOTS:
                self.snapshot(partition, version)
        figures = {"batch": batch, "batches": batch + 1, "rows": {"t": 10 * version}, "last": {"t": 10}}
        self.folder.write_text(WRITTEN, json.dumps(sealed(figures)))
        write_marks(self.folder, Marks(batch))
        self.folder.write_text(STATE_ROWS, json.dumps({"a": {"rows": version}}))
        record_batch(self.folder, batch, *RECORDED)
        text = json.dumps({"nextBatchWatermarkMs": 0, "stateUniqueIds": {"0": [[f"id{version}"], [f"id{version}"]]}})
        self.folder.write_text(f"commits/{batch}", f"v2\n{text}")
        self.next += 1

    def snapshot(self, partition: int, version: int) -> None:
        place, files = f"state/0/{partition}", [f"{file}.sst" for file in range(max(0, version - 4), version)]
        for file in files:
            self.folder.write_text(f"{place}/SSTs/{file}", file)
        data = BytesIO()
        with ZipFile(data, "w") as archive:
            archive.writestr("metadata", "v1\n" + json.dumps({"sstFiles": [{"dfsSstFileName": at} for at in files]}))
        path = self.folder.path / place / f"{version}_id{version}.zip"
        path.write_bytes(data.getvalue())

    def purge(self, first: int) -> None:
        """Remove the micro-batches before the first, and the state that only they need."""
        for log in ("offsets", "commits"):
            for number in self.folder.numbers(log):
                if number < first:
                    self.folder.remove(f"{log}/{number}")
        lowest = max(version for version in SNAPSHOTS if version <= first + 1)
        for partition in (0, 1):
            place = f"state/0/{partition}"
            for name in self.folder.names(place):
                if name != "SSTs" and int(name.partition("_")[0]) < lowest:
                    self.folder.remove(f"{place}/{name}")
            for name in self.folder.names(f"{place}/SSTs"):
                if int(name.partition(".")[0]) < lowest - 4:
                    self.folder.remove(f"{place}/SSTs/{name}")

    def target(self, batch: int = 0) -> Generation:
        return self.store.new_generation({}, "run-two", Origin(1, 1, batch))


@pytest.fixture
def writer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Writer:
    monkeypatch.setattr(os, "fsync", lambda number: None)
    writer = Writer(tmp_path / "with space")
    for _ in range(9):
        writer.batch()
    return writer


def contents(folder: LocalFolder, *parts: str) -> Mapping[str, bytes]:
    files = (path for part in parts for path in (folder.path / part).rglob("*") if path.is_file())
    return {str(path.relative_to(folder.path)): path.read_bytes() for path in files}


def state(version: int, snapshot: int) -> set[str]:
    """The files of state that a version needs."""
    names = set()
    for partition in (0, 1):
        place = f"state/0/{partition}"
        changes = range(snapshot + 1, version + 1)
        names |= {f"{place}/{at}_id{at}.changelog{end}" for at in changes for end in ("", ".crc")}
        if snapshot:
            names |= {f"{place}/{snapshot}_id{snapshot}.zip"}
            names |= {f"{place}/SSTs/{file}.sst" for file in range(max(0, snapshot - 4), snapshot)}
    return names


@pytest.mark.parametrize(("batch", "snapshot"), [(0, 0), (1, 2), (4, 2), (5, 6), (7, 6)])
def test_a_fork_has_what_the_micro_batch_needs_and_nothing_later(writer: Writer, batch: int, snapshot: int) -> None:
    before, target = contents(writer.folder, "."), writer.target(batch)
    fork(writer.generation, batch, target, {})
    assert contents(writer.folder, ".") == before, "the source does not change"
    new = target.folder
    about = {"state/0/_metadata/v2/0", "state/0/_stateSchema/default/0_schema"}
    assert contents(new, "state").keys() == state(batch + 1, snapshot) | about
    assert new.numbers("offsets") == new.numbers("commits") == list(range(batch + 1))
    assert new.numbers("sources/files") == list(range(batch + 1)), "later files are read again"
    assert new.read_text("sources/topic/0") == "v1\n{}"
    moved = (new.read_text("sources/values/0") or "").partition('"path":"')[2].partition('"')[0]
    assert moved.endswith("/generations/2/compiled-plan/values-1/part-0.json")
    assert new.read_text("metadata") != writer.folder.read_text("metadata"), "two queries have two ids"
    written = read_written(new)
    assert (written.batch, written.batches, written.rows) == (batch, batch + 1, {"t": 10 * (batch + 1)})
    assert read_marks(new).batch == batch
    assert json.loads(new.read_text(STATE_ROWS) or "") == {"a": {"rows": batch + 1}}
    assert new.holds(DIGESTS)
    assert not writer.store.has_run(target.number), "nobody has seen it: the next start removes it"


def test_files_of_state_are_links(writer: Writer) -> None:
    target = writer.target()
    fork(writer.generation, 6, target, {})
    for name in RetainedState(writer.folder).files(6):
        assert (target.folder.path / name).samefile(writer.folder.path / name)
    for name in (*RECORDED, "metadata"):
        assert not (target.folder.path / name).samefile(writer.folder.path / name)


def test_the_price_of_the_micro_batches_before_the_last_one(writer: Writer) -> None:
    retained = RetainedState(writer.folder)
    files = contents(writer.folder, "state/0/0", "state/0/1")
    needed = set(retained.files(8))
    price = sum(len(data) for name, data in files.items() if name not in needed)
    assert 0 < price == retained.bytes_beyond(retained.files(8))
    assert retained.bytes_beyond([*files]) == 0


def test_the_log_of_a_table_that_was_removed_ends_at_its_position(writer: Writer) -> None:
    for at in range(5):
        writer.folder.write_text(f"sources/gone/{at}", log(at))
    target = writer.target()
    fork(writer.generation, 6, target, {"gone": '{"logOffset":2}', "never_read": None})
    assert target.folder.numbers("sources/gone") == [0, 1, 2]


def test_a_fork_of_a_fork_goes_back_to_its_first_micro_batch(writer: Writer) -> None:
    first = writer.target()
    fork(writer.generation, 6, first, {})
    second = writer.target()
    fork(first, 6, second, {})
    assert contents(second.folder, "state") == contents(first.folder, "state")
    assert read_written(second.folder) == read_written(first.folder)


def test_a_micro_batch_that_is_not_retained_is_refused(writer: Writer) -> None:
    writer.purge(6)
    retained = RetainedState(writer.folder)
    assert retained.batches == [6, 7, 8]
    assert retained.oldest() == 6
    for batch in (6, 7, 8):
        fork(writer.generation, batch, writer.target(), {})
    for partition in (0, 1):
        writer.folder.remove(f"state/0/{partition}/7_id7.changelog")
    assert RetainedState(writer.folder).oldest() is None, "all need that version"
    with pytest.raises(VanishedError, match=r"state of micro-batch 6 is not complete: .*7_id7.changelog is missing"):
        fork(writer.generation, 6, writer.target(), {})
    for name in ("SSTs/4.sst", "6_id6.zip"):
        writer = Writer(writer.folder.path.parent.parent / name.partition(".")[0])
        for _ in range(9):
            writer.batch()
        writer.folder.remove(f"state/0/1/{name}")
        if name.endswith("zip"):
            writer.folder.remove("state/0/1/6_id6.changelog")
        with pytest.raises(VanishedError, match="is missing"):
            fork(writer.generation, 8, writer.target(), {})


def test_state_older_than_the_log_is_found_without_ids(writer: Writer) -> None:
    """The chain of changes may begin before the first commit of the log."""
    for batch in range(6):
        writer.folder.remove(f"commits/{batch}")
        writer.folder.remove(f"offsets/{batch}")
    writer.folder.remove("state/0/1/6_id6.zip")
    target = writer.target()
    fork(writer.generation, 6, target, {})
    names = contents(target.folder, "state/0/1")
    assert {f"state/0/1/{at}_id{at}.changelog" for at in range(3, 8)} <= names.keys()
    assert "state/0/1/2_id2.zip" in names
    assert "state/0/1/8_id8.changelog" not in names


def test_unrecorded_watermarks_are_refused_by_name(writer: Writer) -> None:
    writer.folder.remove("compiled-plan/batches/6")
    with pytest.raises(CheckpointError, match="watermarks of partitions after micro-batch 6 were not recorded"):
        fork(writer.generation, 6, writer.target(), {})
    writer.folder.remove("compiled-plan/batches/8")
    fork(writer.generation, 8, writer.target(), {})


def test_outdated_records_are_removed(writer: Writer) -> None:
    writer.purge(6)
    while writer.next < 17:
        writer.batch()
    assert writer.folder.numbers("compiled-plan/batches") == list(range(6, 17))


@pytest.mark.parametrize("moments", range(0, 120, 7))
def test_a_fork_beside_a_run_that_commits_and_purges(
    writer: Writer, monkeypatch: pytest.MonkeyPatch, moments: int
) -> None:
    """The run goes on after any number of links; the fork is one of its micro-batches, with all that it needs."""
    link, links, busy = LocalFolder.link, [0], [False]

    def linked(folder: LocalFolder, name: str, to: LocalFolder, target: str) -> bool:
        links[0] += not busy[0]
        if links[0] == moments + 1 and not busy[0]:
            busy[0] = True
            for _ in range(4):
                writer.batch()
            writer.purge(writer.next - 1)
            busy[0] = False
        return link(folder, name, to, target)

    monkeypatch.setattr(LocalFolder, "link", linked)
    target = writer.target()
    batch = fork_last(writer.generation, target, {})
    assert batch in (8, 12)
    snapshot = 6 if batch == 8 else 10
    files = contents(target.folder, "state").keys()
    assert files >= state(batch + 1, snapshot)
    assert not any(f"/{version}_" in name for name in files for version in range(batch + 2, writer.next + 1))
    assert read_written(target.folder).batch == batch
    assert target.folder.last("offsets") == target.folder.last("commits") == batch
