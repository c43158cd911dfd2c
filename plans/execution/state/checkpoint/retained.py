"""The micro-batches to which the state of a generation can return, and the files of state that each one needs.

With state of format 2, version n + 1 of a store is the result of micro-batch n, and the commit log names the id of each
version: `<version>_<id>.zip` is a snapshot that lists its immutable files, `<version>_<id>.changelog` the changes since
the previous version (Spark 4.3, `RocksDBFileManager`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from io import BytesIO
from zipfile import BadZipFile, ZipFile

from compiled_plan.plans.errors import CheckpointError
from compiled_plan.plans.execution.spark.storage import Folder
from compiled_plan.plans.inspection.checkpoints import COMMITS, OFFSETS, json_in

STATE = "state"
_SNAPSHOT, _CHANGES = ".zip", ".changelog"
_FILE = re.compile(rf"(\d+)_([^.]+)(?:{re.escape(_SNAPSHOT)}|{re.escape(_CHANGES)})")
#: Folders of a snapshot's immutable files, by the key of their list in its metadata and the key of their names.
_IMMUTABLE = {("sstFiles", "dfsSstFileName"): "SSTs", ("logFiles", "dfsLogFileName"): "logs"}


class VanishedError(CheckpointError):
    """State that a micro-batch needs is not there, or no longer."""


@dataclass
class RetainedState:
    """The state of a generation, listed once.

    Args:
        generation: Spark's checkpoint location.
    """

    generation: Folder
    _names: dict[str, frozenset[str]] = field(default_factory=dict)
    _snapshots: dict[str, tuple[str, ...]] = field(default_factory=dict)

    @cached_property
    def batches(self) -> Sequence[int]:
        """The committed micro-batches whose log entries are retained, ascending."""
        begun = set(self.generation.numbers(OFFSETS))
        return [batch for batch in self.generation.numbers(COMMITS) if batch in begun]

    def oldest(self) -> int | None:
        """The first micro-batch whose state is complete; None if there is none."""
        for batch in self.batches:
            with suppress(VanishedError):
                self.files(batch)
                return batch
        return None

    def files(self, batch: int) -> list[str]:
        """The files of state after a micro-batch, with their checksums.

        Raises:
            VanishedError: some are missing.
        """
        names: list[str] = []
        for operator, partitions in sorted(self._ids(batch).items()):
            for partition, ids in enumerate(partitions):
                if len(ids) != 1:
                    raise self._vanished(batch, f"operator {operator} has {len(ids)} stores in a partition")
                names += self._store(batch, f"{STATE}/{operator}/{partition}", operator, partition)
        return names

    def bytes_beyond(self, files: Sequence[str]) -> int:
        """The bytes of state in other files than these."""
        needed = set(files)
        sizes = (
            (f"{place}/{name}", size) for place in self._places() for name, size in self.generation.sizes(place).items()
        )
        return sum(size for name, size in sizes if name not in needed)

    # ---- one store

    def _store(self, batch: int, place: str, operator: str, partition: int) -> Iterator[str]:
        """The files from the last snapshot on."""
        for before in range(batch, -1, -1):
            version, ids = before + 1, self._ids(before).get(operator)
            if ids is None:
                # The log no longer names the versions below: all of them, of which one is a snapshot.
                yield from self._all_below(batch, place, version)
                return
            name = f"{place}/{version}_{ids[partition][0]}"
            if self._exists(name + _SNAPSHOT):
                yield from self._snapshot(batch, place, name + _SNAPSHOT)
                return
            if not self._exists(name + _CHANGES):
                raise self._vanished(batch, f"{name}{_CHANGES} is missing")
            yield from self._with_checksums(name + _CHANGES)

    def _all_below(self, batch: int, place: str, version: int) -> Iterator[str]:
        versions, snapshot = set(), 0
        for name in sorted(self._listed(place)):
            match = _FILE.fullmatch(name)
            if match is None or int(match[1]) > version:
                continue
            versions.add(int(match[1]))
            if name.endswith(_SNAPSHOT):
                snapshot = max(snapshot, int(match[1]))
                yield from self._snapshot(batch, place, f"{place}/{name}")
            else:
                yield from self._with_checksums(f"{place}/{name}")
        missing = set(range(snapshot + 1, version + 1)) - versions
        if missing:
            raise self._vanished(batch, f"{place} lacks version {min(missing)}")

    def _snapshot(self, batch: int, place: str, name: str) -> Iterator[str]:
        yield from self._with_checksums(name)
        for file in self._immutable(batch, place, name):
            if not self._exists(file):
                raise self._vanished(batch, f"{file} is missing")
            yield from self._with_checksums(file)

    def _immutable(self, batch: int, place: str, name: str) -> tuple[str, ...]:
        if name not in self._snapshots:
            data = self.generation.read_bytes(name)
            try:
                with ZipFile(BytesIO(data or b"")) as archive:
                    text = archive.read("metadata").decode()
                about = json.loads(text.partition("\n")[2])
                self._snapshots[name] = tuple(
                    f"{place}/{folder}/{file[key]}"
                    for (files, key), folder in _IMMUTABLE.items()
                    for file in about.get(files, ())
                )
            except (BadZipFile, KeyError, ValueError) as fault:
                raise self._vanished(batch, f"{name} is missing or damaged") from fault
        return self._snapshots[name]

    def _with_checksums(self, name: str) -> Iterator[str]:
        """A file with those of its checksums that exist: Spark's, and for each Hadoop's."""
        place, _, own = name.rpartition("/")
        names = (own, f"{own}.crc", f".{own}.crc", f".{own}.crc.crc")
        yield from (f"{place}/{file}" for file in names if file in self._listed(place))

    # ---- logs and folders

    def _ids(self, batch: int) -> Mapping[str, Sequence[Sequence[str]]]:
        """The id of each store after a micro-batch, by operator and partition; empty if its commit is not retained."""
        lines = (self.generation.read_text(f"{COMMITS}/{batch}") or "").splitlines()
        ids = (json_in("".join(lines[1:2]), dict) or {}).get("stateUniqueIds")
        return ids if isinstance(ids, dict) else {}

    def _places(self) -> Iterator[str]:
        """The folders with files of state."""
        for operator in self.generation.numbers(STATE):
            for partition in self.generation.numbers(f"{STATE}/{operator}"):
                place = f"{STATE}/{operator}/{partition}"
                yield from (place, *(f"{place}/{folder}" for folder in _IMMUTABLE.values()))

    def _exists(self, name: str) -> bool:
        place, _, own = name.rpartition("/")
        return own in self._listed(place)

    def _listed(self, place: str) -> frozenset[str]:
        if place not in self._names:
            self._names[place] = frozenset(self.generation.names(place))
        return self._names[place]

    def _vanished(self, batch: int, problem: str) -> VanishedError:
        return VanishedError(
            f"the state of micro-batch {batch} is not complete: {problem}",
            where=self.generation.shown,
            remedy="choose a later micro-batch",
        )
