"""Names under which Spark stores the positions of sources.

A name is derived from the table's identifier when the checkpoint meets a table for the first time. It then stays with
the table's identity (its place and options), whatever the program calls the table later. A table that a program drops
keeps its name and position for its return.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from compiled_plan.plans.execution.interfaces.connectors import table_of
from compiled_plan.plans.execution.stages.prepared import PreparedPlan, SourceTable
from compiled_plan.plans.execution.state.checkpoint.description import Setting
from compiled_plan.plans.inspection.diff.description import Description, SourceEntry
from compiled_plan.plans.inspection.lineage.operators import SourceLineage
from compiled_plan.plans.inspection.lineage.plans import lineage_of
from compiled_plan.plans.inspection.lineage.same_tables import SourceKey, match_sources

_DEFAULTS = ("default_catalog", "default_database")
_LONGEST = 120


@dataclass(frozen=True, slots=True)
class Names:
    """Names of sources.

    Args:
        by_node: the name of each source of a program, by node id.
        active: an entry of the description for each table read, with its names.
        gone: the same for tables read by earlier programs.
    """

    by_node: Mapping[int, str]
    active: tuple[SourceEntry, ...]
    gone: tuple[SourceEntry, ...]

    def end_of(self, node: int) -> str:
        """The name of the source that signals the end of input."""
        return f"{self.by_node[node]}_end"

    def all(self) -> frozenset[str]:
        """All names under which the program's sources are read."""
        return frozenset(self.by_node.values()) | frozenset(map(self.end_of, self.by_node))


def names_of(prepared: PreparedPlan, setting: Setting, old: Description | None = None) -> Names:
    """The names of a program's sources.

    Args:
        setting: the environment of the run.
        old: the description of the last program started on the checkpoint.
    """
    sources = lineage_of(prepared.plan, setting.place).sources
    before: Sequence[SourceEntry] = old["sources"] if old else ()
    left: Sequence[SourceEntry] = old["gone"] if old else ()
    keys = [SourceKey.of(source) for source in sources]
    entries = _matched(keys, before, left)
    taken = {name for entry in (*before, *left) for name in entry["names"]}
    by_node: dict[int, str] = {}
    active: list[SourceEntry] = []
    for at, (source, key) in enumerate(zip(sources, keys, strict=True)):
        names = list(entries[at]["names"] if at in entries else ())
        for number, node in enumerate(_read_by(source, prepared)):
            if number == len(names):
                names.append(_free(_name(node, source, prepared), taken))
            by_node[node] = names[number]
        active.append({"name": key.name, "identity": key.identity, "options": key.options, "names": names})
    used = {id(entry) for entry in entries.values()}
    return Names(by_node, tuple(active), tuple(entry for entry in (*before, *left) if id(entry) not in used))


def _matched(
    new: Sequence[SourceKey], before: Sequence[SourceEntry], left: Sequence[SourceEntry]
) -> dict[int, SourceEntry]:
    """Match new sources, by position, to old ones: of the last program, or equal ones of an earlier program."""
    matched = {at: before[old] for at, old in match_sources(list(map(_key, before)), new).items()}
    for at, key in enumerate(new):
        if at in matched:
            continue
        for entry in left:
            if entry["identity"] == key.identity and not any(entry is known for known in matched.values()):
                matched[at] = entry
                break
    return matched


def _key(entry: SourceEntry) -> SourceKey:
    return SourceKey(entry["name"], entry["identity"], entry["options"])


def _read_by(source: SourceLineage, prepared: PreparedPlan) -> Iterator[int]:
    """The ids of the streams that emit a source's rows: a table is read once per distinct way to read it."""
    if source.nodes[0] in prepared.values:
        yield source.nodes[0]
        return
    tables = [table for table in prepared.tables.values() if table.scans[0].id in source.nodes]
    for table in sorted(tables, key=_place):
        yield table.id


def _place(source: SourceTable) -> tuple[object, ...]:
    """The place of a stream among those of its table, in any order of the statements."""
    return sorted(source.table.options.items()), str(source.table.columns)


def _name(node: int, source: SourceLineage, prepared: PreparedPlan) -> str:
    if node in prepared.values:
        return f"values_v{source.identity}"
    path = table_of(prepared.tables[node].scans[0]).path
    return spelled(path[2:] if tuple(path[:2]) == _DEFAULTS and len(path) > 2 else path)


def spelled(path: Sequence[str]) -> str:
    """The path of a table as an injective name of ASCII letters, digits and underscores.

    An underscore starts an escape: `__` an underscore, `_u` before a letter its capital, `_x` a code point, `_p` the
    next part of the path. Names may become folder names, which may be case-insensitive.
    """
    text = "_p".join(re.sub(r"[^a-z0-9]", lambda match: _escaped(match[0]), part) for part in path)
    if len(text) <= _LONGEST:
        return text
    return f"{text[: _LONGEST - 32]}_h{hashlib.sha256(text.encode()).hexdigest()[:30]}"


def _escaped(letter: str) -> str:
    if letter == "_":
        return "__"
    return f"_u{letter.lower()}" if letter.isascii() and letter.isupper() else f"_x{ord(letter):x}_"


def _free(name: str, taken: set[str]) -> str:
    """The name, or the name with the lowest free number appended."""
    free, number = name, 1
    while free in taken:
        number += 1
        free = f"{name}_n{number}"
    taken.add(free)
    return free
