"""The configuration of a session: what SET may set, and to which values.

Source: Flink 2.3's `TableConfigOptions`, `ExecutionConfigOptions`, `OptimizerConfigOptions`, with their types and
defaults. Keys that are not here are kept as they are, as Flink does: they may be a connector's or a cluster's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import get_close_matches

from plans.durations import warn_of_bare_number
from plans.errors import ProgramError
from plans.options import Kind, Option

OPTIONS: dict[str, Option] = {
    "table.builtin-catalog-name": Option(Kind.TEXT, "default_catalog"),
    "table.builtin-database-name": Option(Kind.TEXT, "default_database"),
    "table.catalog-modification.listeners": Option(Kind.TEXT, ""),
    "table.column-expansion-strategy": Option(
        Kind.CHOICE, "", ("EXCLUDE_ALIASED_VIRTUAL_METADATA_COLUMNS", "EXCLUDE_DEFAULT_VIRTUAL_METADATA_COLUMNS")
    ),
    "table.display.max-column-width": Option(Kind.INTEGER, "30"),
    "table.dml-sync": Option(Kind.BOOLEAN, "false"),
    "table.dynamic-table-options.enabled": Option(Kind.BOOLEAN, "true"),
    "table.exec.async-lookup.buffer-capacity": Option(Kind.INTEGER, "100"),
    "table.exec.async-lookup.key-ordered-enabled": Option(Kind.BOOLEAN, "false"),
    "table.exec.async-lookup.output-mode": Option(Kind.CHOICE, "ORDERED", ("ORDERED", "ALLOW_UNORDERED")),
    "table.exec.async-lookup.timeout": Option(Kind.DURATION, "3 min"),
    "table.exec.async-ml-predict.max-concurrent-operations": Option(Kind.INTEGER, "10"),
    "table.exec.async-ml-predict.output-mode": Option(Kind.CHOICE, "ORDERED", ("ORDERED", "ALLOW_UNORDERED")),
    "table.exec.async-ml-predict.timeout": Option(Kind.DURATION, "3 min"),
    "table.exec.async-scalar.max-attempts": Option(Kind.INTEGER, "3"),
    "table.exec.async-scalar.max-concurrent-operations": Option(Kind.INTEGER, "10"),
    "table.exec.async-scalar.retry-delay": Option(Kind.DURATION, "100 ms"),
    "table.exec.async-scalar.retry-strategy": Option(Kind.CHOICE, "FIXED_DELAY", ("NO_RETRY", "FIXED_DELAY")),
    "table.exec.async-scalar.timeout": Option(Kind.DURATION, "3 min"),
    "table.exec.async-state.enabled": Option(Kind.BOOLEAN, "false"),
    "table.exec.async-table.max-concurrent-operations": Option(Kind.INTEGER, "10"),
    "table.exec.async-table.max-retries": Option(Kind.INTEGER, "3"),
    "table.exec.async-table.retry-delay": Option(Kind.DURATION, "100 ms"),
    "table.exec.async-table.retry-strategy": Option(Kind.CHOICE, "FIXED_DELAY", ("NO_RETRY", "FIXED_DELAY")),
    "table.exec.async-table.timeout": Option(Kind.DURATION, "3 min"),
    "table.exec.async-vector-search.max-concurrent-operations": Option(Kind.INTEGER, "10"),
    "table.exec.async-vector-search.output-mode": Option(Kind.CHOICE, "ORDERED", ("ORDERED", "ALLOW_UNORDERED")),
    "table.exec.async-vector-search.timeout": Option(Kind.DURATION, "3 min"),
    "table.exec.deduplicate.insert-update-after-sensitive-enabled": Option(Kind.BOOLEAN, "true"),
    "table.exec.deduplicate.mini-batch.compact-changes-enabled": Option(Kind.BOOLEAN, "false"),
    "table.exec.delta-join.cache-enabled": Option(Kind.BOOLEAN, "true"),
    "table.exec.delta-join.left.cache-size": Option(Kind.INTEGER, "10000"),
    "table.exec.delta-join.right.cache-size": Option(Kind.INTEGER, "10000"),
    "table.exec.disabled-operators": Option(Kind.TEXT, ""),
    "table.exec.interval-join.min-cleanup-interval": Option(Kind.DURATION, "0 ms"),
    "table.exec.legacy-cast-behaviour": Option(Kind.CHOICE, "DISABLED", ("ENABLED", "DISABLED")),
    "table.exec.local-hash-agg.adaptive.distinct-value-rate-threshold": Option(Kind.NUMBER, "0.5"),
    "table.exec.local-hash-agg.adaptive.enabled": Option(Kind.BOOLEAN, "true"),
    "table.exec.local-hash-agg.adaptive.sampling-threshold": Option(Kind.INTEGER, "500000"),
    "table.exec.mini-batch.allow-latency": Option(Kind.DURATION, "0 ms"),
    "table.exec.mini-batch.enabled": Option(Kind.BOOLEAN, "false"),
    "table.exec.mini-batch.size": Option(Kind.INTEGER, "-1"),
    "table.exec.operator-fusion-codegen.enabled": Option(Kind.BOOLEAN, "false"),
    "table.exec.rank.topn-cache-size": Option(Kind.INTEGER, "10000"),
    "table.exec.resource.default-parallelism": Option(Kind.INTEGER, "-1"),
    "table.exec.resource.external-buffer-memory": Option(Kind.MEMORY, "10 mb"),
    "table.exec.resource.hash-agg.memory": Option(Kind.MEMORY, "128 mb"),
    "table.exec.resource.hash-join.memory": Option(Kind.MEMORY, "128 mb"),
    "table.exec.resource.sort.memory": Option(Kind.MEMORY, "128 mb"),
    "table.exec.simplify-operator-name-enabled": Option(Kind.BOOLEAN, "true"),
    "table.exec.sink.keyed-shuffle": Option(Kind.CHOICE, "AUTO", ("NONE", "AUTO", "FORCE")),
    "table.exec.sink.nested-constraint-enforcer": Option(
        Kind.CHOICE, "IGNORE", ("IGNORE", "ROWS", "ROWS_AND_COLLECTIONS")
    ),
    "table.exec.sink.not-null-enforcer": Option(Kind.CHOICE, "ERROR", ("ERROR", "DROP")),
    "table.exec.sink.require-on-conflict": Option(Kind.BOOLEAN, "true"),
    "table.exec.sink.rowtime-inserter": Option(Kind.CHOICE, "ENABLED", ("ENABLED", "DISABLED")),
    "table.exec.sink.type-length-enforcer": Option(Kind.CHOICE, "IGNORE", ("IGNORE", "TRIM_PAD", "ERROR")),
    "table.exec.sink.upsert-materialize": Option(Kind.CHOICE, "AUTO", ("NONE", "AUTO", "FORCE")),
    "table.exec.sink.upsert-materialize-strategy.adaptive.threshold.high": Option(Kind.INTEGER, ""),
    "table.exec.sink.upsert-materialize-strategy.adaptive.threshold.low": Option(Kind.INTEGER, ""),
    "table.exec.sink.upsert-materialize-strategy.type": Option(
        Kind.CHOICE, "LEGACY", ("LEGACY", "MAP", "VALUE", "ADAPTIVE")
    ),
    "table.exec.sort.async-merge-enabled": Option(Kind.BOOLEAN, "true"),
    "table.exec.sort.default-limit": Option(Kind.INTEGER, "-1"),
    "table.exec.sort.max-num-file-handles": Option(Kind.INTEGER, "128"),
    "table.exec.source.cdc-events-duplicate": Option(Kind.BOOLEAN, "false"),
    "table.exec.source.idle-timeout": Option(Kind.DURATION, "0 ms"),
    "table.exec.spill-compression.block-size": Option(Kind.MEMORY, "64 kb"),
    "table.exec.spill-compression.enabled": Option(Kind.BOOLEAN, "true"),
    "table.exec.state.ttl": Option(Kind.DURATION, "0 ms"),
    "table.exec.uid.format": Option(Kind.TEXT, "<id>_<transformation>"),
    "table.exec.uid.generation": Option(Kind.CHOICE, "PLAN_ONLY", ("PLAN_ONLY", "ALWAYS", "DISABLED")),
    "table.exec.unbounded-over.version": Option(Kind.INTEGER, "2"),
    "table.exec.window-agg.buffer-size-limit": Option(Kind.INTEGER, "100000"),
    "table.generated-code.max-length": Option(Kind.INTEGER, "4000"),
    "table.generated-code.max-members": Option(Kind.INTEGER, "10000"),
    "table.legacy-nested-row-nullability": Option(Kind.BOOLEAN, "false"),
    "table.local-time-zone": Option(Kind.ZONE, "default"),
    "table.optimizer.adaptive-broadcast-join.strategy": Option(Kind.CHOICE, "auto", ("auto", "runtime_only", "none")),
    "table.optimizer.agg-phase-strategy": Option(Kind.CHOICE, "AUTO", ("AUTO", "ONE_PHASE", "TWO_PHASE")),
    "table.optimizer.bushy-join-reorder-threshold": Option(Kind.INTEGER, "12"),
    "table.optimizer.delta-join.strategy": Option(Kind.CHOICE, "AUTO", ("AUTO", "FORCE", "NONE")),
    "table.optimizer.distinct-agg.split.bucket-num": Option(Kind.INTEGER, "1024"),
    "table.optimizer.distinct-agg.split.enabled": Option(Kind.BOOLEAN, "false"),
    "table.optimizer.dynamic-filtering.enabled": Option(Kind.BOOLEAN, "true"),
    "table.optimizer.incremental-agg-enabled": Option(Kind.BOOLEAN, "true"),
    "table.optimizer.join-reorder-enabled": Option(Kind.BOOLEAN, "false"),
    "table.optimizer.join.broadcast-threshold": Option(Kind.INTEGER, "1048576"),
    "table.optimizer.multi-join.enabled": Option(Kind.BOOLEAN, "false"),
    "table.optimizer.multiple-input-enabled": Option(Kind.BOOLEAN, "true"),
    "table.optimizer.non-deterministic-update.strategy": Option(Kind.CHOICE, "IGNORE", ("TRY_RESOLVE", "IGNORE")),
    "table.optimizer.ptf.max-tables": Option(Kind.INTEGER, "20"),
    "table.optimizer.reuse-optimize-block-with-digest-enabled": Option(Kind.BOOLEAN, "false"),
    "table.optimizer.reuse-sink-enabled": Option(Kind.BOOLEAN, "true"),
    "table.optimizer.reuse-source-enabled": Option(Kind.BOOLEAN, "true"),
    "table.optimizer.reuse-sub-plan-enabled": Option(Kind.BOOLEAN, "true"),
    "table.optimizer.runtime-filter.enabled": Option(Kind.BOOLEAN, "false"),
    "table.optimizer.runtime-filter.max-build-data-size": Option(Kind.MEMORY, "150 mb"),
    "table.optimizer.runtime-filter.min-filter-ratio": Option(Kind.NUMBER, "0.5"),
    "table.optimizer.runtime-filter.min-probe-data-size": Option(Kind.MEMORY, "10 gb"),
    "table.optimizer.skewed-join-optimization.skewed-factor": Option(Kind.NUMBER, "4.0"),
    "table.optimizer.skewed-join-optimization.skewed-threshold": Option(Kind.MEMORY, "256 mb"),
    "table.optimizer.skewed-join-optimization.strategy": Option(Kind.CHOICE, "auto", ("auto", "forced", "none")),
    "table.optimizer.source.report-statistics-enabled": Option(Kind.BOOLEAN, "true"),
    "table.optimizer.sql2rel.project-merge.enabled": Option(Kind.BOOLEAN, "false"),
    "table.optimizer.union-all-as-breakpoint-enabled": Option(Kind.BOOLEAN, "true"),
    "table.plan.compile.catalog-objects": Option(Kind.CHOICE, "ALL", ("ALL", "SCHEMA", "IDENTIFIER")),
    "table.plan.force-recompile": Option(Kind.BOOLEAN, "false"),
    "table.plan.restore.catalog-objects": Option(Kind.CHOICE, "ALL", ("ALL", "ALL_ENFORCED", "IDENTIFIER")),
    "table.resources.download-dir": Option(Kind.TEXT, "/tmp"),
    "table.rtas-ctas.atomicity-enabled": Option(Kind.BOOLEAN, "false"),
    "table.sql-dialect": Option(Kind.TEXT, "default"),
}


def _text(key: str, value: object) -> str:
    """The value of an option as text; numbers and truth values as they are written."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str | int | float):
        return str(value)
    raise ProgramError(f"the value of {key!r} is a text, not {value!r}", remedy="write it as SET would have it")


class TableConfig(Mapping[str, str]):
    """The options that a program or command set; as a mapping it holds these alone, not the defaults."""

    def __init__(self, options: Mapping[str, str] | None = None) -> None:
        self._values: dict[str, str] = {}
        for key, value in (options or {}).items():
            self._put(key, value)

    def set(self, key: str, value: str) -> None:
        """Set an option.

        Raises:
            ProgramError: a known option and a value that does not fit it; says what would.
        """
        value = _text(key, value)
        self._put(key, value)
        if key == "table.exec.state.ttl":
            warn_of_bare_number(value, f"the option {key!r}")

    def _put(self, key: str, value: str) -> None:
        option = OPTIONS.get(key)
        if option is not None:
            option.check(key, value)
        self._values[key] = value

    def reset(self, key: str | None = None) -> None:
        """Forget an option, or all of them."""
        if key is None:
            self._values.clear()
        else:
            self._values.pop(key, None)

    def value(self, key: str) -> str:
        """The value of an option, or its default; empty where it has none."""
        return self._values.get(key, self.default(key))

    def default(self, key: str) -> str:
        """The default of an option; empty where it has none."""
        option = OPTIONS.get(key)
        return option.default if option is not None else ""

    def boolean(self, key: str) -> bool:
        """The value of a boolean option, or its default."""
        return self.value(key).strip().lower() == "true"

    def nearest(self, key: str) -> str | None:
        """The known option that a misspelt key may mean; None for a known key, or one that is like no other."""
        if key in OPTIONS or not key.startswith("table."):
            return None
        return next(iter(get_close_matches(key, OPTIONS, n=1, cutoff=0.85)), None)

    def __getitem__(self, key: str) -> str:
        return self._values[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)
