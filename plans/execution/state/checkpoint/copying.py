"""Copies of parts of a generation into another: constant rows, logs of sources, figures.

State has no copy here: `upgrade.seeding` writes it. Watermarks of partitions are copied by `marks.carry_marks`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from urllib.parse import quote

from compiled_plan.plans.execution.spark.storage import Folder
from compiled_plan.plans.execution.state.checkpoint.file_logs import place_of
from compiled_plan.plans.execution.state.checkpoint.store import Generation
from compiled_plan.plans.inspection.checkpoints import FOLDER, GENERATIONS, STATE_ROWS, StateFigures

#: The suffix of the name of the source that signals the end of another.
_END = "_end"
_VALUES = "values-"
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:(//[^/]*)?")


def copy_constant_rows(old: Folder, new: Folder) -> None:
    """Copy the files of constant rows."""
    for name in old.names(FOLDER):
        if name.startswith(_VALUES):
            old.copy(f"{FOLDER}/{name}", new)


def copy_source_logs(old: Generation, new: Generation, names: Iterable[str]) -> None:
    """Copy the logs of sources and of their ends, by name; files of constant rows count as read in the copy, too."""
    for name in (source + end for source in names for end in ("", _END)):
        place = place_of(name)
        old.folder.copy(place, new.folder)
        point_to_values(old, new, name)


def point_to_values(old: Generation, new: Generation, name: str) -> None:
    """Point the log of constant rows, by the name of its source, to the new generation's files."""
    before, after = (f"/{GENERATIONS}/{generation.number}/{FOLDER}/{_VALUES}" for generation in (old, new))
    roots = [quote(_SCHEME.sub("", g.folder.uri.removesuffix(f"/{GENERATIONS}/{g.number}"))) for g in (old, new)]
    for entry in new.folder.names(place_of(name)):
        if not entry.endswith(".crc"):
            text = new.folder.read_text(f"{place_of(name)}/{entry}") or ""
            if before in text:
                text = text.replace(before, after).replace(f"{roots[0]}{after}", f"{roots[1]}{after}")
                new.folder.write_text(f"{place_of(name)}/{entry}", text)


def copy_figures(old: Folder, new: Folder, uids: Mapping[str, str], counted: Mapping[str, int]) -> None:
    """Copy the figures of operators, from which progress and the observation of used entries continue.

    Args:
        uids: uids of the old generation by those of the new one.
        counted: row counts of operators that are written anew, and whose observation begins anew.
    """
    before = StateFigures.read(old.read_text(STATE_ROWS))
    copied = {uid: source for uid, source in uids.items() if uid not in counted and source in before.rows}
    after = StateFigures(
        {**{uid: before.rows[source] for uid, source in copied.items()}, **counted},
        {uid: before.bytes[source] for uid, source in copied.items() if source in before.bytes},
        {uid: before.ages.get(source, ()) for uid, source in copied.items()},
    )
    new.write_text(STATE_ROWS, after.text())
