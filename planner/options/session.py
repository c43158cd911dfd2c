"""Session configuration: the options of SET and their values.

Source: Flink 2.3's `TableConfigOptions`, `ExecutionConfigOptions`, `OptimizerConfigOptions`, `SqlClientOptions`, with
their types and defaults. Unknown keys are stored unchecked, as Flink does: they may belong to a connector or a cluster.
Keys that resemble one of these options are refused: Flink ignores them, and state without the TTL that was meant grows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from enum import Enum
from typing import Self

from compiled_plan.planner.options.option_methods import OptionMethods
from compiled_plan.plans.errors import ProgramError
from compiled_plan.plans.text.durations import warn_of_bare_number
from compiled_plan.plans.text.options import Kind, Option


class Effect(Enum):
    PLAN = "shapes the plan"
    RUN = "is kept in the nodes that depend on it, and holds at the run"
    SESSION = "is of the program that sets it, not of its plan"
    SHELL = "is of plan-shell, as in Flink's SQL client"
    REFUSED = "is refused for aggregates of windows"
    FLINK = "is kept in the plan for Flink; no effect here"
    NONE = "no effect"


@dataclass(frozen=True, slots=True)
class SessionOption(Option):
    effect: Effect = Effect.NONE


OPTIONS: dict[str, SessionOption] = {
    "sql-client.display.color-schema": SessionOption(
        Kind.CHOICE,
        "DEFAULT",
        ("DEFAULT", "DARK", "LIGHT", "CHESTER", "VS2010", "SOLARIZED", "OBSIDIAN", "GESHI"),
        effect=Effect.SHELL,
    ),
    "sql-client.display.print-time-cost": SessionOption(Kind.BOOLEAN, "true", effect=Effect.SHELL),
    "sql-client.display.show-line-numbers": SessionOption(Kind.BOOLEAN, "false", effect=Effect.SHELL),
    "sql-client.execution.max-table-result.rows": SessionOption(Kind.POSITIVE, "1000000", effect=Effect.SHELL),
    "sql-client.execution.result-mode": SessionOption(
        Kind.CHOICE, "TABLE", ("TABLE", "CHANGELOG", "TABLEAU"), effect=Effect.SHELL
    ),
    "sql-client.verbose": SessionOption(Kind.BOOLEAN, "false", effect=Effect.SHELL),
    "table.builtin-catalog-name": SessionOption(Kind.TEXT, "default_catalog", effect=Effect.PLAN),
    "table.builtin-database-name": SessionOption(Kind.TEXT, "default_database", effect=Effect.PLAN),
    "table.catalog-modification.listeners": SessionOption(Kind.TEXT, ""),
    "table.catalog-store.kind": SessionOption(Kind.TEXT, "generic_in_memory"),
    "table.column-expansion-strategy": SessionOption(
        Kind.CHOICE, "", ("EXCLUDE_ALIASED_VIRTUAL_METADATA_COLUMNS", "EXCLUDE_DEFAULT_VIRTUAL_METADATA_COLUMNS")
    ),
    "table.display.max-column-width": SessionOption(Kind.INTEGER, "30", effect=Effect.SESSION),
    "table.dml-sync": SessionOption(Kind.BOOLEAN, "false", effect=Effect.SESSION),
    "table.dynamic-table-options.enabled": SessionOption(Kind.BOOLEAN, "true"),
    "table.exec.async-lookup.buffer-capacity": SessionOption(Kind.INTEGER, "100"),
    "table.exec.async-lookup.key-ordered-enabled": SessionOption(Kind.BOOLEAN, "false"),
    "table.exec.async-lookup.output-mode": SessionOption(Kind.CHOICE, "ORDERED", ("ORDERED", "ALLOW_UNORDERED")),
    "table.exec.async-lookup.timeout": SessionOption(Kind.DURATION, "3 min"),
    "table.exec.async-ml-predict.max-concurrent-operations": SessionOption(Kind.INTEGER, "10"),
    "table.exec.async-ml-predict.output-mode": SessionOption(Kind.CHOICE, "ORDERED", ("ORDERED", "ALLOW_UNORDERED")),
    "table.exec.async-ml-predict.timeout": SessionOption(Kind.DURATION, "3 min"),
    "table.exec.async-scalar.max-attempts": SessionOption(Kind.INTEGER, "3"),
    "table.exec.async-scalar.max-concurrent-operations": SessionOption(Kind.INTEGER, "10"),
    "table.exec.async-scalar.retry-delay": SessionOption(Kind.DURATION, "100 ms"),
    "table.exec.async-scalar.retry-strategy": SessionOption(Kind.CHOICE, "FIXED_DELAY", ("NO_RETRY", "FIXED_DELAY")),
    "table.exec.async-scalar.timeout": SessionOption(Kind.DURATION, "3 min"),
    "table.exec.async-state.enabled": SessionOption(Kind.BOOLEAN, "false"),
    "table.exec.async-table.max-concurrent-operations": SessionOption(Kind.INTEGER, "10"),
    "table.exec.async-table.max-retries": SessionOption(Kind.INTEGER, "3"),
    "table.exec.async-table.retry-delay": SessionOption(Kind.DURATION, "100 ms"),
    "table.exec.async-table.retry-strategy": SessionOption(Kind.CHOICE, "FIXED_DELAY", ("NO_RETRY", "FIXED_DELAY")),
    "table.exec.async-table.timeout": SessionOption(Kind.DURATION, "3 min"),
    "table.exec.async-vector-search.max-concurrent-operations": SessionOption(Kind.INTEGER, "10"),
    "table.exec.async-vector-search.output-mode": SessionOption(Kind.CHOICE, "ORDERED", ("ORDERED", "ALLOW_UNORDERED")),
    "table.exec.async-vector-search.timeout": SessionOption(Kind.DURATION, "3 min"),
    "table.exec.deduplicate.insert-update-after-sensitive-enabled": SessionOption(
        Kind.BOOLEAN, "true", effect=Effect.PLAN
    ),
    "table.exec.deduplicate.mini-batch.compact-changes-enabled": SessionOption(
        Kind.BOOLEAN, "false", effect=Effect.PLAN
    ),
    "table.exec.delta-join.cache-enabled": SessionOption(Kind.BOOLEAN, "true"),
    "table.exec.delta-join.left.cache-size": SessionOption(Kind.INTEGER, "10000"),
    "table.exec.delta-join.right.cache-size": SessionOption(Kind.INTEGER, "10000"),
    "table.exec.disabled-operators": SessionOption(Kind.TEXT, ""),
    "table.exec.emit.allow-lateness": SessionOption(Kind.DURATION, ""),
    "table.exec.emit.early-fire.delay": SessionOption(Kind.DURATION, ""),
    "table.exec.emit.early-fire.enabled": SessionOption(Kind.BOOLEAN, "false", effect=Effect.REFUSED),
    "table.exec.emit.late-fire.delay": SessionOption(Kind.DURATION, ""),
    "table.exec.emit.late-fire.enabled": SessionOption(Kind.BOOLEAN, "false", effect=Effect.REFUSED),
    "table.exec.interval-join.min-cleanup-interval": SessionOption(Kind.DURATION, "0 ms"),
    "table.exec.legacy-cast-behaviour": SessionOption(Kind.CHOICE, "DISABLED", ("ENABLED", "DISABLED")),
    "table.exec.local-hash-agg.adaptive.distinct-value-rate-threshold": SessionOption(Kind.NUMBER, "0.5"),
    "table.exec.local-hash-agg.adaptive.enabled": SessionOption(Kind.BOOLEAN, "true"),
    "table.exec.local-hash-agg.adaptive.sampling-threshold": SessionOption(Kind.INTEGER, "500000"),
    "table.exec.mini-batch.allow-latency": SessionOption(Kind.DURATION, "0 ms", effect=Effect.PLAN),
    "table.exec.mini-batch.enabled": SessionOption(Kind.BOOLEAN, "false", effect=Effect.PLAN),
    "table.exec.mini-batch.size": SessionOption(Kind.INTEGER, "-1", effect=Effect.FLINK),
    "table.exec.operator-fusion-codegen.enabled": SessionOption(Kind.BOOLEAN, "false"),
    "table.exec.rank.topn-cache-size": SessionOption(Kind.INTEGER, "10000", effect=Effect.FLINK),
    "table.exec.resource.default-parallelism": SessionOption(Kind.INTEGER, "-1"),
    "table.exec.resource.external-buffer-memory": SessionOption(Kind.MEMORY, "10 mb"),
    "table.exec.resource.hash-agg.memory": SessionOption(Kind.MEMORY, "128 mb"),
    "table.exec.resource.hash-join.memory": SessionOption(Kind.MEMORY, "128 mb"),
    "table.exec.resource.sort.memory": SessionOption(Kind.MEMORY, "128 mb"),
    "table.exec.simplify-operator-name-enabled": SessionOption(Kind.BOOLEAN, "true"),
    "table.exec.sink.keyed-shuffle": SessionOption(Kind.CHOICE, "AUTO", ("NONE", "AUTO", "FORCE"), effect=Effect.FLINK),
    "table.exec.sink.nested-constraint-enforcer": SessionOption(
        Kind.CHOICE, "IGNORE", ("IGNORE", "ROWS", "ROWS_AND_COLLECTIONS"), effect=Effect.RUN
    ),
    "table.exec.sink.not-null-enforcer": SessionOption(Kind.CHOICE, "ERROR", ("ERROR", "DROP"), effect=Effect.RUN),
    "table.exec.sink.require-on-conflict": SessionOption(Kind.BOOLEAN, "true", effect=Effect.PLAN),
    "table.exec.sink.rowtime-inserter": SessionOption(
        Kind.CHOICE, "ENABLED", ("ENABLED", "DISABLED"), effect=Effect.PLAN
    ),
    "table.exec.sink.type-length-enforcer": SessionOption(
        Kind.CHOICE, "IGNORE", ("IGNORE", "TRIM_PAD", "ERROR"), effect=Effect.RUN
    ),
    "table.exec.sink.upsert-materialize": SessionOption(
        Kind.CHOICE, "AUTO", ("NONE", "AUTO", "FORCE"), effect=Effect.PLAN
    ),
    "table.exec.sink.upsert-materialize-strategy.adaptive.threshold.high": SessionOption(Kind.INTEGER, ""),
    "table.exec.sink.upsert-materialize-strategy.adaptive.threshold.low": SessionOption(Kind.INTEGER, ""),
    "table.exec.sink.upsert-materialize-strategy.type": SessionOption(
        Kind.CHOICE, "LEGACY", ("LEGACY", "MAP", "VALUE", "ADAPTIVE")
    ),
    "table.exec.sort.async-merge-enabled": SessionOption(Kind.BOOLEAN, "true"),
    "table.exec.sort.default-limit": SessionOption(Kind.INTEGER, "-1"),
    "table.exec.sort.max-num-file-handles": SessionOption(Kind.INTEGER, "128"),
    "table.exec.source.cdc-events-duplicate": SessionOption(Kind.BOOLEAN, "false", effect=Effect.PLAN),
    "table.exec.source.idle-timeout": SessionOption(Kind.DURATION, "0 ms", effect=Effect.RUN),
    "table.exec.spill-compression.block-size": SessionOption(Kind.MEMORY, "64 kb"),
    "table.exec.spill-compression.enabled": SessionOption(Kind.BOOLEAN, "true"),
    "table.exec.state.ttl": SessionOption(Kind.DURATION, "0 ms", effect=Effect.PLAN),
    "table.exec.uid.format": SessionOption(Kind.TEXT, "<id>_<transformation>", effect=Effect.SESSION),
    "table.exec.uid.generation": SessionOption(
        Kind.CHOICE, "PLAN_ONLY", ("PLAN_ONLY", "ALWAYS", "DISABLED"), effect=Effect.SESSION
    ),
    "table.exec.unbounded-over.version": SessionOption(Kind.INTEGER, "2", effect=Effect.PLAN),
    "table.exec.window-agg.buffer-size-limit": SessionOption(Kind.INTEGER, "100000"),
    "table.generated-code.max-length": SessionOption(Kind.INTEGER, "4000"),
    "table.generated-code.max-members": SessionOption(Kind.INTEGER, "10000"),
    "table.legacy-nested-row-nullability": SessionOption(Kind.BOOLEAN, "false"),
    "table.local-time-zone": SessionOption(Kind.ZONE, "default", effect=Effect.RUN),
    "table.optimizer.adaptive-broadcast-join.strategy": SessionOption(
        Kind.CHOICE, "auto", ("auto", "runtime_only", "none")
    ),
    "table.optimizer.agg-phase-strategy": SessionOption(
        Kind.CHOICE, "AUTO", ("AUTO", "ONE_PHASE", "TWO_PHASE"), effect=Effect.PLAN
    ),
    "table.optimizer.bushy-join-reorder-threshold": SessionOption(Kind.INTEGER, "12"),
    "table.optimizer.delta-join.strategy": SessionOption(Kind.CHOICE, "AUTO", ("AUTO", "FORCE", "NONE")),
    "table.optimizer.distinct-agg.split.bucket-num": SessionOption(Kind.INTEGER, "1024", effect=Effect.PLAN),
    "table.optimizer.distinct-agg.split.enabled": SessionOption(Kind.BOOLEAN, "false", effect=Effect.PLAN),
    "table.optimizer.dynamic-filtering.enabled": SessionOption(Kind.BOOLEAN, "true"),
    "table.optimizer.incremental-agg-enabled": SessionOption(Kind.BOOLEAN, "true", effect=Effect.PLAN),
    "table.optimizer.join-reorder-enabled": SessionOption(Kind.BOOLEAN, "false"),
    "table.optimizer.join.broadcast-threshold": SessionOption(Kind.INTEGER, "1048576"),
    "table.optimizer.multi-join.enabled": SessionOption(Kind.BOOLEAN, "false", effect=Effect.PLAN),
    "table.optimizer.multiple-input-enabled": SessionOption(Kind.BOOLEAN, "true"),
    "table.optimizer.non-deterministic-update.strategy": SessionOption(
        Kind.CHOICE, "IGNORE", ("TRY_RESOLVE", "IGNORE"), effect=Effect.PLAN
    ),
    "table.optimizer.ptf.max-tables": SessionOption(Kind.INTEGER, "20"),
    "table.optimizer.reuse-optimize-block-with-digest-enabled": SessionOption(Kind.BOOLEAN, "false"),
    "table.optimizer.reuse-sink-enabled": SessionOption(Kind.BOOLEAN, "true"),
    "table.optimizer.reuse-source-enabled": SessionOption(Kind.BOOLEAN, "true"),
    "table.optimizer.reuse-sub-plan-enabled": SessionOption(Kind.BOOLEAN, "true"),
    "table.optimizer.runtime-filter.enabled": SessionOption(Kind.BOOLEAN, "false"),
    "table.optimizer.runtime-filter.max-build-data-size": SessionOption(Kind.MEMORY, "150 mb"),
    "table.optimizer.runtime-filter.min-filter-ratio": SessionOption(Kind.NUMBER, "0.5"),
    "table.optimizer.runtime-filter.min-probe-data-size": SessionOption(Kind.MEMORY, "10 gb"),
    "table.optimizer.skewed-join-optimization.skewed-factor": SessionOption(Kind.NUMBER, "4.0"),
    "table.optimizer.skewed-join-optimization.skewed-threshold": SessionOption(Kind.MEMORY, "256 mb"),
    "table.optimizer.skewed-join-optimization.strategy": SessionOption(Kind.CHOICE, "auto", ("auto", "forced", "none")),
    "table.optimizer.source.report-statistics-enabled": SessionOption(Kind.BOOLEAN, "true"),
    "table.optimizer.sql2rel.project-merge.enabled": SessionOption(Kind.BOOLEAN, "false"),
    "table.optimizer.union-all-as-breakpoint-enabled": SessionOption(Kind.BOOLEAN, "true"),
    "table.plan.compile.catalog-objects": SessionOption(Kind.CHOICE, "ALL", ("ALL", "SCHEMA", "IDENTIFIER")),
    "table.plan.force-recompile": SessionOption(Kind.BOOLEAN, "false", effect=Effect.SESSION),
    "table.plan.restore.catalog-objects": SessionOption(Kind.CHOICE, "ALL", ("ALL", "ALL_ENFORCED", "IDENTIFIER")),
    "table.resources.download-dir": SessionOption(Kind.TEXT, "/tmp"),
    "table.rtas-ctas.atomicity-enabled": SessionOption(Kind.BOOLEAN, "false"),
    "table.secret-store.kind": SessionOption(Kind.TEXT, "generic_in_memory"),
    "table.sql-dialect": SessionOption(Kind.TEXT, "default"),
}


def _text(key: str, value: object) -> str:
    """The value of an option as text; numbers and booleans in their literal form."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str | int | float):
        return str(value)
    raise ProgramError(f"the value of {key!r} is a text, not {value!r}", remedy="write it as SET would have it")


class TableConfig(OptionMethods):
    """The options set by a program or command; as a mapping it holds these alone, not the defaults."""

    def __init__(self, options: Mapping[str, str] | None = None) -> None:
        self._values: dict[str, str] = {}
        for key, value in (options or {}).items():
            self._put(key, value)

    def set(self, key: str, value: str) -> Self:
        """Set an option, and return this configuration.

        Raises:
            ProgramError: a misspelt option, or an invalid value of a known one; names valid ones.
        """
        value = _text(key, value)
        self._put(key, value)
        if key == "table.exec.state.ttl":
            warn_of_bare_number(value, f"the option {key!r}")
        return self

    def _put(self, key: str, value: str) -> None:
        option = OPTIONS.get(key)
        near = self.nearest(key)
        if near is not None:
            raise ProgramError(f"no option is named {key!r}", remedy=f"did you mean {near!r}?")
        if option is not None:
            option.check(key, value)
        self._values[key] = value

    def reset(self, key: str | None = None) -> None:
        """Reset an option, or all of them, to the default."""
        if key is None:
            self._values.clear()
        else:
            self._values.pop(key, None)

    def value(self, key: str) -> str:
        """The value of an option, or its default; empty if it has none."""
        return self._values.get(key, self.default(key))

    def default(self, key: str) -> str:
        """The default of an option; empty if it has none."""
        option = OPTIONS.get(key)
        return option.default if option is not None else ""

    def changed(self, keys: Iterable[str]) -> dict[str, str]:
        """The options whose value differs from the default."""
        values = {key: self.value(key) for key in keys}
        return {key: value for key, value in values.items() if value != self.default(key)}

    def boolean(self, key: str) -> bool:
        """The value of a boolean option, or its default."""
        return self.value(key).strip().lower() == "true"

    def nearest(self, key: str) -> str | None:
        """The known option nearest to a misspelt key; None for a known key or one without a near match."""
        if key in OPTIONS or not key.startswith(("table.", "sql-client.")):
            return None
        return next(iter(get_close_matches(key, OPTIONS, n=1, cutoff=0.85)), None)

    def __getitem__(self, key: str) -> str:
        return self._values[key]

    def __setitem__(self, key: str, value: str) -> None:
        self.set(key, value)

    def __delitem__(self, key: str) -> None:
        del self._values[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)
