"""In-process data that plans read by name: DataFrames, kept alive as long as a table, plan or run needs them.

A table's options hold only the name, as text. Its owner (a catalog table, a plan, a run) holds a reference to the
`Held` as well; the registry holds weak references only.
"""

from __future__ import annotations

import shutil
import uuid
import weakref
from collections.abc import Iterable, Mapping
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any

from compiled_plan.plans.nodes.scan import TableSourceScan

if TYPE_CHECKING:
    from compiled_plan.plans.nodes.base import PlanNode

#: The connector of such tables; the option `id` holds the name of the data.
CONNECTOR = "inline"
_HELD: weakref.WeakValueDictionary[str, Held] = weakref.WeakValueDictionary()


class Held:
    """Data and the files written from it; both are freed when this object is garbage-collected."""

    def __init__(self, data: Any) -> None:
        self.data = data
        self.name = uuid.uuid4().hex[:12]
        self.file: Path | None = None
        self.folders: list[Path] = []
        _HELD[self.name] = self

    @property
    def options(self) -> dict[str, str]:
        """The options of a table that reads the data."""
        return {"connector": CONNECTOR, "id": self.name}

    def folder(self) -> Path:
        """Create a folder for files of the data."""
        folder = Path(mkdtemp(prefix="compiled-plan-rows-"))
        self.folders.append(folder)
        # `finalize` also runs at the end of the process.
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        return folder


def held_by(options: Mapping[str, str] | None) -> Held | None:
    """The data of a table; None for other tables, and if the data belongs to another process or is gone."""
    if not options or options.get("connector") != CONNECTOR:
        return None
    return _HELD.get(options.get("id", ""))


def held_by_nodes(nodes: Iterable[PlanNode]) -> tuple[Held, ...]:
    """The data that a plan's scans read."""
    data = (held_by(node.scan_table_source.table.options) for node in nodes if isinstance(node, TableSourceScan))
    return tuple(held for held in data if held is not None)
