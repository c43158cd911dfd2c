"""Forms of savepoints of a real Flink: HashMap and RocksDB, native and incremental, compressed, with a TTL."""

from __future__ import annotations

import shutil
import tarfile
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import Any

import pytest

from compiled_plan.plans.errors import CheckpointError
from compiled_plan.plans.execution.state.flink.savepoint.head import SavepointHead
from compiled_plan.plans.execution.state.flink.savepoint.reading import read_savepoint, read_savepoints
from tests.plans.execution.state.flink.savepoint.damaging import damaged
from tests.plans.execution.state.flink.savepoint.record import ARCHIVE
from tests.plans.execution.state.flink.savepoint.test_reading import lines

pytestmark = pytest.mark.slow

#: Format and TTL by form.
FORMS = {
    "heap-canonical-snappy": ("CANONICAL", False),
    "heap-native": ("NATIVE", True),
    "heap-native-snappy": ("NATIVE", False),
    "rocksdb-canonical": ("CANONICAL", True),
    "rocksdb-native": ("NATIVE", True),
    "rocksdb-incremental": ("INCREMENTAL", True),
    "heap-timers": ("INCREMENTAL", False),
}
REFUSED = {
    "unaligned": "the checkpoint is unaligned: it holds rows in flight between operators",
    "file-merging": "is not supported",
}

Entries = dict[str, dict[str, list[dict[str, Any]]]]


def unpacked(folder: Path) -> dict[str, Path]:
    """The folders with the metadata, by form."""
    with tarfile.open(ARCHIVE) as archive:
        archive.extractall(folder, filter="data")
    return {path.relative_to(folder).parts[1]: path.parent for path in sorted(folder.rglob("_metadata"))}


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, tuple[Path, SavepointHead | CheckpointError]]:
    """All forms, read in one process from another folder than the one they were written to."""
    folder = tmp_path_factory.mktemp("forms")
    pairs = {form: (path, folder / "read" / form) for form, path in unpacked(folder).items()}
    read = read_savepoints(list(pairs.values()))
    return {form: (to, read[to]) for form, (_, to) in pairs.items()}


def by_operator(folder: Path, head: SavepointHead) -> Entries:
    """The entries by the kind and number of their operator, and by state."""
    stateful = [one for one in head.operators if one.states]
    entries: Entries = {}
    for operator in sorted(stateful, key=lambda one: int((one.uid or "").partition("_")[0])):
        kind = (operator.uid or "").partition("_")[2]
        states = entries.setdefault(kind if kind not in entries else f"{kind}-2", {})
        for entry in lines(folder, operator):
            states.setdefault(entry["state"], []).append(entry)
    return entries


@pytest.mark.sampled(3)
@pytest.mark.parametrize("form", FORMS)
def test_every_form_has_the_state_of_the_numbers_read(
    form: str, results: Mapping[str, tuple[Path, SavepointHead | CheckpointError]]
) -> None:
    folder, head = results[form]
    assert isinstance(head, SavepointHead), head
    assert head.format == FORMS[form][0]
    assert {one.parallelism for one in head.operators if one.states} == {2}
    entries = by_operator(folder, head)

    counts = {entry["key"][0]: entry["value"][0] for entry in entries["group-aggregate"]["accState"]}
    last = sum(counts.values())
    assert counts == Counter(number % 20 for number in range(1, last + 1))

    maps = {(entry["key"][0], entry["uk"]): entry["value"] for entry in entries["group-aggregate-2"]["agg0$map"]}
    assert maps == Counter((number % 3, count) for number, count in counts.items())
    groups = {entry["key"][0]: entry["value"] for entry in entries["group-aggregate-2"]["accState"]}
    assert {key: (value[0][0], value[1]) for key, value in groups.items()} == {
        group: (max(counts[one] for one in counts if one % 3 == group), sum(one % 3 == group for one in counts))
        for group in range(3)
    }

    windows = entries["global-window-aggregate"]
    numbers = sorted(entry["uk"] for entry in windows["distinctAcc_0"])
    assert numbers == list(range(numbers[0], last + 1))
    assert numbers[0] % 10 == 0
    assert all(entry["ns"] == (entry["uk"] // 10 + 1) * 10_000 for entry in windows["distinctAcc_0"])
    assert all(entry["timer"] == entry["ns"] - 1 for entry in windows["_timer_state/event_window-timers"])

    sides = [entries["window-join"][f"{side}-records"] for side in ("left", "right")]
    for side in sides:
        rows = {entry["key"][0]: entry["value"] for entry in side}
        assert sorted(rows) == numbers
        assert all(row[0] == key for key, value in rows.items() for row in value)


@pytest.mark.parametrize("form", FORMS)
def test_times_of_last_write(form: str, results: Mapping[str, tuple[Path, SavepointHead | CheckpointError]]) -> None:
    folder, head = results[form]
    assert isinstance(head, SavepointHead), head
    entries = by_operator(folder, head)
    for name in ("group-aggregate", "group-aggregate-2"):
        for entry in [entry for state in entries[name].values() for entry in state]:
            assert ("written" in entry) == FORMS[form][1]
            assert 0 <= head.time - entry.get("written", head.time) < 120_000


@pytest.mark.parametrize("form", REFUSED)
def test_refused_forms(form: str, results: Mapping[str, tuple[Path, SavepointHead | CheckpointError]]) -> None:
    folder, error = results[form]
    assert isinstance(error, CheckpointError)
    assert REFUSED[form] in error.message
    assert ", operator " in error.where
    assert "savepoint" in error.remedy
    assert not folder.exists()


@pytest.mark.wide
@pytest.mark.attack
def test_names_of_files_that_leave_the_savepoint(tmp_path: Path) -> None:
    checkpoint = unpacked(tmp_path)["rocksdb-incremental"]
    metadata = checkpoint / "_metadata"
    good = metadata.read_bytes()
    # Small files are part of the metadata, under the path that they would have.
    shared = next((checkpoint.parent / "shared").iterdir())
    end = good.index(shared.name.encode()) + len(shared.name)
    start = good.rindex(b"file:", 0, end)
    outside = b"file:/etc/".ljust(end - start, b"x")
    metadata.write_bytes(good.replace(good[start:end], outside))
    with pytest.raises(CheckpointError, match="names a file outside its folder") as refusal:
        read_savepoint(checkpoint, tmp_path / "read")
    assert "/etc/xxx" in refusal.value.where

    local = good.index(b"MANIFEST-")
    metadata.write_bytes(good[:local] + b"../../../../abc" + good[local + 15 :])
    with pytest.raises(CheckpointError, match=r"a file '\.\./\.\./\.\./\.\./abc' that RocksDB does not write"):
        read_savepoint(checkpoint, tmp_path / "read")

    metadata.write_bytes(good)
    secret = tmp_path / "secret"
    shutil.move(shared, secret)
    shared.symlink_to(secret)
    with pytest.raises(CheckpointError, match="names a file outside its folder"):
        read_savepoint(checkpoint, tmp_path / "read")
    shared.unlink()
    with pytest.raises(CheckpointError, match=r"names a file outside its folder|is missing"):
        read_savepoint(checkpoint, tmp_path / "read")
    shutil.copy(secret, shared)
    shared.write_bytes(shared.read_bytes()[:-100])
    with pytest.raises(CheckpointError, match="bytes instead of"):
        read_savepoint(checkpoint, tmp_path / "read")
    assert not (tmp_path / "read").exists()


@pytest.mark.wide
@pytest.mark.attack
def test_damaged_files_are_read_or_refused(tmp_path: Path) -> None:
    folders, draw = unpacked(tmp_path / "good"), Random(7)
    pairs = [
        (path, tmp_path / "read" / form / str(number))
        for form in FORMS
        for number, path in enumerate(damaged(folders[form], tmp_path / form, 20, draw))
    ]
    results = read_savepoints(pairs)
    assert len(results) == len(pairs)
    for _, to in pairs:
        result = results[to]
        assert to.exists() == isinstance(result, SavepointHead)
        if isinstance(result, CheckpointError):
            assert result.where and result.remedy
            assert not result.message.startswith("the process that reads"), result
    assert sum(isinstance(result, CheckpointError) for result in results.values()) > len(pairs) // 2
