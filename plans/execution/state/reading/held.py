"""The state of a checkpoint's operators as tables of a program, read anew by each run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from compiled_plan.plans.connectors.held import Held
from compiled_plan.plans.errors import CheckpointError
from compiled_plan.plans.execution.spark.types import cast_columns, row_type_of
from compiled_plan.plans.execution.state.reading.entries import entries_of
from compiled_plan.plans.execution.state.reading.reader import StateReader, StoredOperator
from compiled_plan.plans.types import RowType

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def hold_state(spark: SparkSession, checkpoint: str) -> Mapping[str, tuple[RowType, Held]]:
    """The columns and the rows of each operator's state, by uid.

    Columns are those of `reading.entries.export`, with the key's columns instead of `key`.

    Raises:
        CheckpointError: there is no checkpoint, or it has no state yet.
    """
    reader = StateReader.open(spark, checkpoint)
    held: dict[str, tuple[RowType, Held]] = {}

    def hold(rows: DataFrame | None) -> None:
        for uid, operator in reader.operators.items():
            row_type = _row_type(_entries(reader, operator, rows))
            held[uid] = row_type, Held(HeldState(spark, checkpoint, uid, row_type))

    reader.at_rest(hold)
    return held


@dataclass(frozen=True, slots=True)
class HeldState:
    """The entries of an operator's state; see `connectors.inline.HeldRows`.

    Args:
        spark: the session.
        checkpoint: the checkpoint's folder.
        uid: the operator.
        row_type: the columns.
    """

    spark: SparkSession
    checkpoint: str
    uid: str
    row_type: RowType

    def stream(self) -> None:
        """Return None: the state is read once."""

    def use(self, write: Callable[[DataFrame], None]) -> None:
        """Call `write` with the entries after the last micro-batch; again if a run has removed their files meanwhile.

        Raises:
            CheckpointError: the state cannot be read, or has other columns by now.
        """
        reader = StateReader.open(self.spark, self.checkpoint)
        operator = reader.operator(self.uid)

        def write_entries(rows: DataFrame | None) -> None:
            entries = _entries(reader, operator, rows)
            if _row_type(entries) != self.row_type:
                raise CheckpointError(
                    f"the state of operator {self.uid} has other columns since the checkpoint was upgraded",
                    where=reader.root.shown,
                    remedy="read it in a new session",
                )
            write(cast_columns(entries, self.row_type))

        reader.at_rest(write_entries)


def _entries(reader: StateReader, operator: StoredOperator, rows: DataFrame | None) -> DataFrame:
    """One row per entry, with the columns of the key in front."""
    entries = entries_of(reader, operator, rows)
    if "key" not in entries.columns:
        return entries
    others = [name for name in entries.columns if name != "key"]
    keys = entries.select("key.*").columns
    named = dict(zip(keys, _free(keys, others), strict=True))
    return entries.select(
        *(entries["key"].getField(name).alias(alias) for name, alias in named.items()),
        *(entries[f"`{name}`"] for name in others),
    )


def _row_type(entries: DataFrame) -> RowType:
    return row_type_of(entries.schema, entries.columns)


def _free(names: list[str], taken: list[str]) -> Iterator[str]:
    """The names, with `key_` in front of one that another column has."""
    used = {*taken}
    for name in names:
        free = name
        while free in used:
            free = f"key_{free}"
        used.add(free)
        yield free
