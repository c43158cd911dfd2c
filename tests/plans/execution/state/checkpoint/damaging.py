"""Damages of checkpoints: bytes, lines and whole files that are not what a run wrote."""

from __future__ import annotations

import random
import re
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from compiled_plan.plans.errors import CheckpointError, CompiledPlanError
from compiled_plan.plans.execution.run import Run
from compiled_plan.plans.plan import CompiledPlan
from tests.plans.execution.state.checkpoint.losing import INSERTS, PRICES, TABLES, together
from tests.plans.execution.state.checkpoint.places import Place

#: What happens to a file's checksums: they stay, are removed, or go with its content.
CHECKSUMS = ("kept", "removed", "moved")
WAYS = ("flipped", "letter", "truncated", "first line", "empty", "removed", "swapped", "older")
#: Traces of Java, Scala or Spark in a message.
RAW = re.compile(r"\b(?:java|scala|py4j)\.|org\.apache|Exception\b|Traceback|SQLSTATE|\[[A-Z_.]{6,}\]|\bat \w+\.\w+\(")
#: Spark's own logs.
LOGS = re.compile(r"generations/\d+/(?:offsets|commits|sources|metadata)\b")


@dataclass(frozen=True, slots=True)
class Damage:
    """One damage.

    Args:
        name: of the file in the checkpoint.
        how: one of WAYS.
        checksums: one of CHECKSUMS.
        seed: chooses the byte, or the file to swap with.
    """

    name: str
    how: str
    checksums: str = "kept"
    seed: int = 0


def checksums_of(path: Path) -> list[Path]:
    """The checksum files of a file: Hadoop's, Spark's, and Hadoop's of that one."""
    spark = path.with_name(f"{path.name}.crc")
    return [path.with_name(f".{path.name}.crc"), spark, path.with_name(f".{spark.name}.crc")]


class Damaged:
    """A checkpoint in the middle of its input, to be damaged and started.

    Args:
        place: an empty folder.
        inserts: one INSERT by sink.
        migrates: True for a history of two generations.
        files: number of micro-batches of one file each before the last one.
    """

    def __init__(
        self, place: Place, inserts: Mapping[str, str] = INSERTS, *, migrates: bool = False, files: int = 3
    ) -> None:
        self.place, self.inserts = place, inserts
        self.plan: CompiledPlan = place.compiled(TABLES, together(*inserts.values()))
        self._add(0)
        place.run(self.plan)
        if migrates:
            self._add(1)
            place.moved(self.plan, upgrade="migrate")
        for at in range(1, files):
            self._add(at)
        place.run(self.plan, max_files_per_batch=1)
        shutil.copytree(place.checkpoint, self.older)
        self._add(files)
        place.run(self.plan)
        self._add(files + 1)
        shutil.copytree(place.folder, self.backup)
        place.run(self.plan)
        self.expected = self.rows()

    @property
    def backup(self) -> Path:
        return self.place.folder.with_name(f"{self.place.folder.name}-backup")

    @property
    def older(self) -> Path:
        return self.place.folder.with_name(f"{self.place.folder.name}-older")

    def _add(self, at: int) -> None:
        sales = [{"shop": shop, "price": 3 + at} for shop in "xyz"[: 1 + at % 3]]
        visits = [{"shop": "x", "at1": f"2024-01-01 00:{at:02d}:00"}]
        self.place.add({"sales": sales, "shops": [{"shop": "xyz"[at % 3], "rent": 7 + at}], "visits": visits})

    def rows(self) -> dict[str, list[tuple[Any, ...]]]:
        return {name: self.place.rows(name) for name in self.inserts}

    def start(self) -> Run:
        return self.place.started(self.plan)

    def files(self) -> list[str]:
        """All files of the checkpoint that are no checksums."""
        root = self.backup / "checkpoint"
        paths = (path for path in root.rglob("*") if path.is_file() and path.suffix != ".crc")
        return sorted(str(path.relative_to(root)) for path in paths if path.name != "lock")

    def damages(self, seed: int) -> Iterator[Damage]:
        """Random damages without end: a third in Spark's logs."""
        chance, files = random.Random(seed), self.files()
        logs = [name for name in files if LOGS.match(name)]
        others = [name for name in files if not LOGS.match(name)]
        while True:
            name = chance.choice(logs if chance.random() < 1 / 3 else others)
            yield Damage(name, chance.choice(WAYS), chance.choice(CHECKSUMS), chance.randrange(1 << 30))

    def restore(self) -> None:
        """Restore everything as before the last run."""
        shutil.rmtree(self.place.folder, ignore_errors=True)
        shutil.copytree(self.backup, self.place.folder)

    def damage(self, damage: Damage) -> bool:
        """Damage the checkpoint; return False if this damage changes nothing."""
        path, chance = self.place.checkpoint / damage.name, random.Random(damage.seed)
        data, new = path.read_bytes(), _changed(path.read_bytes(), damage.how, chance)
        if damage.how == "swapped":
            pattern = re.sub(r"(?:[0-9a-f-]{36}|\d+)+", "*", path.name)
            same = [
                partner
                for folder in (path.parent, *path.parent.parent.iterdir())
                if folder.is_dir()
                for partner in folder.glob(pattern)
                if partner.is_file() and partner != path and partner.suffix != ".crc"
            ]
            if not same or (partner := chance.choice(sorted(same))).read_bytes() == data:
                return False
            new = partner.read_bytes()
            partner.write_bytes(data)
            if damage.checksums == "moved":
                for left, right in zip(checksums_of(path), checksums_of(partner), strict=True):
                    _swap(left, right)
            elif damage.checksums == "removed":
                _remove(checksums_of(partner))
        elif damage.how == "older":
            older = self.older / damage.name
            if not older.is_file() or older.read_bytes() == data:
                return False
            new = older.read_bytes()
            if damage.checksums == "moved":
                for checksum in checksums_of(path):
                    checksum.unlink(missing_ok=True)
                for checksum in checksums_of(older):
                    if checksum.is_file():
                        shutil.copy2(checksum, path.parent)
        if new == data:
            return False
        if new is None:
            path.unlink()
        else:
            path.write_bytes(new)
        if damage.checksums == "removed":
            _remove(checksums_of(path))
        return True

    def outcome(self, damage: Damage) -> str:
        """Damage the checkpoint and start; what happened, "none" if the damage changes nothing."""
        self.restore()
        if not self.damage(damage):
            return "none"
        before = _contents(self.place.checkpoint)
        try:
            run = self.start()
        except CompiledPlanError as error:
            assert _contents(self.place.checkpoint) == before, damage
            return self._message(error, "refused")
        except Exception as error:
            return f"RAW at start: {type(error).__name__}: {error}"
        try:
            run.execute()
        except CompiledPlanError as error:
            return self._message(error, "failed")
        except Exception as error:
            return f"RAW in the run: {type(error).__name__}: {error}"
        return "went on" if self.rows() == self.expected else f"WRONG: {self.rows()} for {self.expected}"

    def _message(self, error: CompiledPlanError, outcome: str) -> str:
        text = str(error)
        proper = isinstance(error, CheckpointError) and not RAW.search(text) and error.remedy
        return outcome if proper and str(self.place.checkpoint) in text else f"RAW {outcome}: {text}"


def compacted(place: Place) -> Damaged:
    """A checkpoint whose logs of files have compact entries."""
    place.spark.conf.set("spark.sql.streaming.fileSource.log.compactInterval", "3")
    return Damaged(place, {"prices": PRICES}, files=7)


def _changed(data: bytes, how: str, chance: random.Random) -> bytes | None:
    if how == "removed":
        return None
    if how in ("empty", "truncated"):
        return data[: len(data) // 2 if how == "truncated" else 0]
    if how == "first line":
        return data.split(b"\n")[0]
    if how in ("swapped", "older"):
        return data
    if how == "flipped" and data:
        at = chance.randrange(len(data))
        return data[:at] + bytes([data[at] ^ (1 << chance.randrange(8))]) + data[at + 1 :]
    letters = [match.start() for match in re.finditer(rb"[a-z0-9]", data)]
    in_paths = [
        at for match in re.finditer(rb'"path":"([^"]*)"', data) for at in range(*match.span(1)) if at in letters
    ]
    if not letters:
        return data
    at = chance.choice(in_paths or letters)
    return data[:at] + chance.choice("abcdefgh123456789").encode() + data[at + 1 :]


def _swap(left: Path, right: Path) -> None:
    if left.is_file() and right.is_file():
        content = left.read_bytes()
        left.write_bytes(right.read_bytes())
        right.write_bytes(content)


def _remove(paths: list[Path]) -> None:
    for path in paths:
        path.unlink(missing_ok=True)


def _contents(folder: Path) -> Mapping[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file() and path.name != "lock"}
