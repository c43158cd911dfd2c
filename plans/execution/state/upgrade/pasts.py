"""The histories of a new program's sources, and the tables that replace them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from compiled_plan.plans.connectors.registry import connector_spec
from compiled_plan.plans.connectors.spec import SourceSpec
from compiled_plan.plans.errors import CheckpointError
from compiled_plan.plans.execution.interfaces.connectors import TableSpec, check_table, table_of
from compiled_plan.plans.execution.spark.storage import Folder
from compiled_plan.plans.execution.stages.prepared import PreparedPlan
from compiled_plan.plans.execution.state.checkpoint.offsets import Entry
from compiled_plan.plans.execution.state.checkpoint.sources import Names
from compiled_plan.plans.execution.state.upgrade.excerpt import above
from compiled_plan.plans.execution.state.upgrade.filling import Past
from compiled_plan.plans.execution.state.upgrade.history import FileTimes, Gap, files_read, gaps, history_files
from compiled_plan.plans.inspection.diff.description import Description
from compiled_plan.plans.nodes.scan import TableSourceScan
from compiled_plan.plans.nodes.stateless import WatermarkAssigner
from compiled_plan.plans.plan import CompiledPlan


@dataclass(frozen=True)
class Pasts:
    """The sources of a program.

    Args:
        names: the names under which Spark stores their positions.
        description: the description of the old program.
        generation: Spark's checkpoint location.
        log: its entries.
        times: modification times of files.
        options: options of the tables to read instead, by table.
    """

    prepared: PreparedPlan
    names: Names
    description: Description
    generation: Folder
    log: tuple[Entry, ...]
    times: FileTimes
    options: Mapping[str, Mapping[str, str]]

    def above(self, node: int) -> Iterator[int]:
        """The sources upstream of a node."""
        ids = above(self.prepared.plan, [node])
        for source in (*self.prepared.tables, *self.prepared.values):
            if any(start in ids for start in self.prepared.starts(source)):
                yield source

    def source_of(self, start: int) -> int:
        """The source of a scan or values node's rows."""
        sources = (*self.prepared.tables, *self.prepared.values)
        return next(source for source in sources if start in self.prepared.starts(source))

    def table(self, source: int) -> str:
        """The table of a source, for messages."""
        return self._called(source)[0] if source in self.prepared.tables else "constant rows"

    def was_read(self, source: int) -> bool:
        """Return True if the source has earlier rows, of its own or in a history table."""
        return source in self.histories or self.names.by_node[source] in self._positions

    def past(self, source: int) -> Past | None:
        """The history of a source; None for a new one."""
        if not self.was_read(source):
            return None
        name, history = self.names.by_node[source], self.histories.get(source)
        if history is not None:
            return Past(self.table(source), name, history_files(self.times, history.options.get("path", "")), history)
        until = self._positions[name]
        if self.repeating(source) is not None:
            return Past(self.table(source), name, (), until=until)
        return Past(self.table(source), name, files_read(self.generation, name, int(json.loads(until)["logOffset"])))

    def repeating(self, source: int) -> SourceSpec | None:
        """The connector of a source whose table is read again up to a position; None for others, as those of files."""
        if source in self.histories or source not in self.prepared.tables:
            return None
        connector = connector_spec(self.prepared.tables[source].table.options.get("connector", ""))
        spec = None if connector is None else connector.source
        return None if spec is None or spec.repeats is None else spec

    def timed(self) -> Iterator[str]:
        """The tables with a history whose rows make watermarks."""
        for name in tables_with_watermarks(self.prepared.plan):
            sources = (at for at, table in self.prepared.tables.items() if table.table.identifier == name)
            if any(map(self.was_read, sources)):
                yield name

    @cached_property
    def _positions(self) -> Mapping[str, str]:
        """The positions of sources by name, including sources that come back."""
        recorded = {name: at for name, at in self.description["positions"].items() if at is not None}
        return recorded | dict(self.log[-1].positions if self.log else {})

    # ---- history tables

    @cached_property
    def histories(self) -> Mapping[int, TableSpec]:
        """The history tables that replace sources' tables, by source.

        Raises:
            UnsupportedError: its options are wrong; names the table.
        """
        specs = {}
        for source, table in self.prepared.tables.items():
            options = next((self.options[name] for name in self._called(source) if name in self.options), None)
            if options is not None:
                spec = replace(table.table, options=dict(options))
                check_table(spec.identifier, spec.options, spec.columns, spec.partition_keys, reading=True)
                specs[source] = spec
        return specs

    def check_histories(self, where: str) -> None:
        """Refuse a history table for a table that the program does not read."""
        known = {name for source in self.prepared.tables for name in self._called(source)}
        for name in self.options:
            if name not in known:
                shown = ", ".join(sorted(map(self.table, self.prepared.tables))) or "none"
                raise CheckpointError(
                    f"--warm-up-from {name}: the plan reads no such table", where=where, remedy=f"tables: {shown}"
                )

    def _called(self, source: int) -> tuple[str, ...]:
        """The name of a table, then its qualified forms."""
        path = table_of(self.prepared.tables[source].scans[0]).path
        return tuple(".".join(path[at:]) for at in range(len(path) - 1, -1, -1))

    # ---- unavailable histories

    def faults(self, source: int) -> Iterator[tuple[str, str]]:
        """The reasons why a source's history cannot be read again, with remedies."""
        if not self.was_read(source) or source not in self.prepared.tables:
            return
        table = self.table(source)
        instead = f"--warm-up-from \"{table}=('connector' = 'filesystem', ...)\" names a table that has them"
        spec = self.histories.get(source, self.prepared.tables[source].table)
        name = spec.options.get("connector", "")
        connector = connector_spec(name)
        repeating = self.repeating(source)
        if repeating is not None and repeating.repeats is not None:
            for why in repeating.repeats(spec.options):
                yield f"the rows of table {table} cannot be had again: {why}", instead
            return
        if connector is None or connector.source is None or not connector.source.again:
            yield f"the rows of table {table} cannot be had again from the connector {name}", instead
            return
        past = self.past(source)
        assert past is not None
        if past.history is not None:
            if not past.files:
                yield f"--warm-up-from {table}: there is no file below {spec.options.get('path', '')}", "correct 'path'"
            return
        broken = gaps(self.times, past.files)
        if broken:
            yield f"the history of table {table} has gaps: {_listed(broken)}", instead


def tables_with_watermarks(plan: CompiledPlan) -> frozenset[str]:
    """The full names of the tables whose rows make watermarks."""
    starts = above(plan, [node.id for node in plan.nodes if isinstance(node, WatermarkAssigner)])
    scans = (node for node in plan.nodes if isinstance(node, TableSourceScan) and node.id in starts)
    return frozenset(".".join(table_of(scan).path) for scan in scans)


def _listed(missing: tuple[Gap, ...]) -> str:
    more = f", and {len(missing) - 1} more" if len(missing) > 1 else ""
    return f"{missing[0].path} {missing[0].how}{more}"
