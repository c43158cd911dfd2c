"""Data of this process that plans read by a name: DataFrames, held as long as a table, plan or run needs them.

The name stands in a table's options, as text that knows nothing of the data. What has the name on behalf of the
program (a table of the catalog, a plan, a run) holds the `Held` beside it; the registry does not.
"""

from __future__ import annotations

import shutil
import uuid
import weakref
from collections.abc import Iterable, Mapping
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from compiled_plan.plans.nodes.base import PlanNode

#: The connector whose tables are such data; their name is the option `id`.
CONNECTOR = "inline"
_HELD: weakref.WeakValueDictionary[str, Held] = weakref.WeakValueDictionary()


class Held:
    """Some data, and the files that were made of it. Both go when nothing refers to this object any more."""

    def __init__(self, data: Any) -> None:
        self.data = data
        self.name = uuid.uuid4().hex[:12]
        self.file: Path | None = None
        self.folders: list[Path] = []
        _HELD[self.name] = self

    @property
    def options(self) -> dict[str, str]:
        """The options of a table of the data."""
        return {"connector": CONNECTOR, "id": self.name}

    def folder(self) -> Path:
        """A new folder for files of the data."""
        folder = Path(mkdtemp(prefix="compiled-plan-rows-"))
        self.folders.append(folder)
        # Also called when the process ends.
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        return folder


def held_by(options: Mapping[str, str] | None) -> Held | None:
    """The data of a table; None where it is no such table, or the data is of another process, or gone."""
    if not options or options.get("connector") != CONNECTOR:
        return None
    return _HELD.get(options.get("id", ""))


def held_by_nodes(nodes: Iterable[PlanNode]) -> tuple[Held, ...]:
    """The data that a plan's scans read."""
    from compiled_plan.plans.nodes.scan import TableSourceScan

    data = (held_by(node.scan_table_source.table.options) for node in nodes if isinstance(node, TableSourceScan))
    return tuple(held for held in data if held is not None)
