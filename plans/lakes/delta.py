"""Tables of Delta Lake in the folders of a warehouse, as Spark's session catalog lays them out.

Source: Delta's transaction log protocol: names of commits and checkpoints, the action `metaData`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from compiled_plan.plans.deferred import deferred
from compiled_plan.plans.errors import ProgramError
from compiled_plan.plans.lakes.folders import LakeFolder
from compiled_plan.plans.lakes.lake import Lake, LakeSchema

if TYPE_CHECKING:
    from pyarrow import parquet
else:
    parquet = deferred("pyarrow.parquet")

_LOG, _METADATA = "_delta_log", "metaData"
#: The database whose tables Spark puts into the warehouse itself, and the suffix of the folders of others.
_DEFAULT, _SUFFIX = "default", ".db"
_COMMIT = re.compile(r"(\d{20})\.json")
#: A checkpoint in one file, in parts, or with the name of a UUID.
_CHECKPOINT = re.compile(r"(?P<version>\d{20})\.checkpoint(?:\.\d{10}\.(?P<parts>\d{10})|\.[\w-]+)?\.(?:parquet|json)")


class DeltaLake(Lake):
    """The folder of a warehouse."""

    def __init__(self, folder: LakeFolder) -> None:
        self._folder = folder

    def databases(self) -> list[str]:
        names = self._folder.folders()
        return sorted({_DEFAULT if self._is_table(name) else name.removesuffix(_SUFFIX) for name in names})

    def has_database(self, name: str) -> bool:
        return name == _DEFAULT or any(self._folder.holds(folder) for folder in (f"{name}{_SUFFIX}", name))

    def tables(self, database: str) -> list[str]:
        places = ((place, name) for place in _places(database) for name in self._folder.folders(place))
        return sorted({name for place, name in places if self._is_table(_inside(place, name))})

    def schema(self, database: str, table: str) -> LakeSchema | None:
        place = self.place(database, table)
        if not self._is_table(place):
            return None
        try:
            metadata = self._metadata(f"{place}/{_LOG}")
            return LakeSchema(json.loads(metadata["schemaString"]), partition_keys=tuple(metadata["partitionColumns"]))
        except (KeyError, TypeError, ValueError, OSError) as fault:
            raise self._folder.malformed(place, fault) from None

    def place(self, database: str, table: str) -> str:
        """The folder of a table, which may not exist yet.

        Raises:
            ProgramError: several folders may be it.
        """
        places = [_inside(place, table) for place in _places(database)]
        existing = [place for place in places if self._is_table(place)]
        if len(existing) > 1:
            raise ProgramError(
                f"table {database}.{table} is in several folders of the warehouse: {', '.join(existing)}",
                remedy="move one of them, or declare the table with its 'path'",
            )
        if existing:
            return existing[0]
        return places[1 if self._folder.holds(f"{database}{_SUFFIX}") else 0]

    def _is_table(self, place: str) -> bool:
        return bool(self._folder.names(f"{place}/{_LOG}"))

    def _metadata(self, log: str) -> Mapping[str, Any]:
        """The newest `metaData` of a log: in the commits behind its last checkpoint, or in that."""
        names = self._folder.names(log)
        version, parts = _last_checkpoint(names)
        for name in sorted(filter(_COMMIT.fullmatch, names), reverse=True):
            if int(name.partition(".")[0]) <= version:
                break
            for action in self._actions(f"{log}/{name}"):
                return action
        for name in parts:
            for action in self._actions(f"{log}/{name}"):
                return action
        raise ValueError(f"the log has no {_METADATA}")

    def _actions(self, path: str) -> Iterator[Mapping[str, Any]]:
        """The actions `metaData` of a commit or checkpoint."""
        if path.endswith(".json"):
            lines = (line for line in self._folder.read(path).splitlines() if f'"{_METADATA}"'.encode() in line)
            yield from (action[_METADATA] for line in lines if _METADATA in (action := json.loads(line)))
            return
        with self._folder.open(path) as file:
            actions = parquet.read_table(file, columns=[_METADATA])
        yield from actions.column(_METADATA).drop_null().to_pylist()


def _places(database: str) -> tuple[str, ...]:
    """The folders that may hold the tables of a database; the first is that of a new one."""
    return (database, f"{database}{_SUFFIX}", *([""] if database == _DEFAULT else []))


def _inside(place: str, name: str) -> str:
    return f"{place}/{name}" if place else name


def _last_checkpoint(names: tuple[str, ...]) -> tuple[int, list[str]]:
    """The version and files of the last complete checkpoint; -1 without one."""
    checkpoints: dict[int, list[str]] = {}
    for name in names:
        match = _CHECKPOINT.fullmatch(name)
        if match is not None and (match["parts"] is None or _is_complete(match, names)):
            checkpoints.setdefault(int(match["version"]), []).append(name)
    version = max(checkpoints, default=-1)
    return version, checkpoints.get(version, [])


def _is_complete(part: re.Match[str], names: tuple[str, ...]) -> bool:
    count = int(part["parts"])
    files = {f"{part['version']}.checkpoint.{at:010}.{count:010}.parquet" for at in range(1, count + 1)}
    return files <= set(names)
