"""Export of all entries of an operator to Parquet: one row each, with the key's columns, times, and content."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from compiled_plan.plans.errors import CheckpointError, ExecutionError
from compiled_plan.plans.execution.spark.failures import translate
from compiled_plan.plans.execution.spark.java import settings
from compiled_plan.plans.execution.spark.storage import folder_of
from compiled_plan.plans.execution.stages.descriptions import FieldForm
from compiled_plan.plans.execution.state.reading.content import ROWS
from compiled_plan.plans.execution.state.reading.reader import StateReader, StoredOperator
from compiled_plan.plans.execution.state.reading.unknown import WRITES

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

#: Timestamps are written as instants, which readers other than Spark understand, too.
_POINTS_IN_TIME = {"spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS"}
_LISTS = frozenset({"list", "packedList", "rows"})
#: Lists that refer to entries instead of holding them.
_NO_ENTRIES = frozenset({"partial", "complete", "buckets"})


@dataclass(frozen=True, slots=True)
class _EntryList:
    """A list of entries in an operator's state.

    Args:
        path: names of fields.
        field: the kernel's description of it.
    """

    path: tuple[str, ...]
    field: FieldForm

    @property
    def name(self) -> str:
        """The name of its entries: `left`, `input0`, `waiting`, `rows`."""
        return self.path[0]


def export(reader: StateReader, operator: StoredOperator, path: str) -> int:
    """Write all entries of an operator, and return their number.

    Columns: `key_text`; `key`, a struct of the key's columns, if the state has their values; `entries`, the list of
    the entry, if there are several; `last_write` and `expires`, if there are such times; `timer`, the next timer of the
    key; then the fields of the entry, and those that a key has once.

    Args:
        path: a folder that does not exist yet, local or of any file system that Spark reaches.

    Raises:
        ExecutionError: it exists, or cannot be written.
        CheckpointError: the state cannot be read.
    """
    folder = folder_of(reader.spark, path)
    if folder.holds():
        raise ExecutionError("there is a file or folder of that name", where=folder.shown, remedy="name a new one")

    def write(rows: DataFrame | None) -> None:
        entries = entries_of(reader, operator, rows)
        with settings(reader.spark, _POINTS_IN_TIME):
            entries.write.mode("overwrite").parquet(folder.uri)

    try:
        reader.at_rest(write)
        stored = reader.spark.read.parquet(folder.uri)
        return stored.count()
    except CheckpointError:
        folder.remove()
        raise
    except Exception as fault:
        raise translate(fault) from fault


def entries_of(reader: StateReader, operator: StoredOperator, rows: DataFrame | None) -> DataFrame:
    """One row per entry of an operator; see `export`.

    Args:
        reader: the reader of the checkpoint.
        operator: the operator.
        rows: the stored rows, as of `StateReader.at_rest`.

    Raises:
        CheckpointError: there are no stored rows yet.
    """
    if rows is None:
        raise CheckpointError(
            "the checkpoint has no state yet: no micro-batch is done", where=reader.root.shown, remedy="run its plan"
        )
    content = reader.content(rows, operator.uid)
    fields = operator.state["fields"]
    lists = list(_entry_lists(fields))
    frames = [_of_list(operator, content, entry_list, lists) for entry_list in lists]
    frames.append(_without_entries(operator, content, lists))
    return reduce(lambda left, right: left.unionByName(right, allowMissingColumns=True), frames)


def _entry_lists(fields: Sequence[FieldForm], path: tuple[str, ...] = ()) -> Iterator[_EntryList]:
    for field in fields:
        place = (*path, field["name"])
        if field["is"] in _LISTS and field["name"] not in _NO_ENTRIES:
            yield _EntryList(place, field)
        elif field["is"] == "part":
            yield from _entry_lists(field["fields"], place)


def _at(path: Sequence[str]) -> Column:
    return reduce(lambda column, name: column.getField(name), path, F.col("state"))


def _of_list(operator: StoredOperator, content: DataFrame, list_: _EntryList, lists: Sequence[_EntryList]) -> DataFrame:
    frame = content.select("key", "timer", "state", F.explode(_at(list_.path)).alias("entry"))
    entry = F.col("entry")
    described = [] if list_.field["is"] == "rows" else list_.field["fields"]
    own = [part for part in described if part["name"] not in WRITES]
    row = [(entry, list_.field)] if list_.field["is"] == "rows" else []
    row += [(entry.getField(part["name"]), part) for part in own if part["is"] in ROWS]
    several = len(lists) > 1
    names = {_named(part, list_, several) for part in own}
    columns = [
        *_head(operator, list_, row),
        *([F.lit(list_.name).alias("entries")] if several else []),
        *([entry.alias("row")] if list_.field["is"] == "rows" else []),
        *(entry.getField(part["name"]).alias(_named(part, list_, several)) for part in own),
        *_shared(operator, lists, names),
    ]
    return frame.select(*columns)


def _named(field: FieldForm, list_: _EntryList, several: bool) -> str:
    """The column of a field; rows of several inputs get columns of their own."""
    return f"{list_.name}_row" if several and field["is"] in ROWS else str(field["name"])


def _without_entries(operator: StoredOperator, content: DataFrame, lists: Sequence[_EntryList]) -> DataFrame:
    """The keys with state but without entries in a list; all keys if there are no lists."""
    empty = [F.coalesce(F.size(_at(entry_list.path)), F.lit(0)) <= 0 for entry_list in lists]
    frame = content.where(reduce(lambda left, right: left & right, empty)) if empty else content
    return frame.select(*_head(operator, None, ()), *_shared(operator, lists))


def _head(
    operator: StoredOperator, list_: _EntryList | None, rows: Sequence[tuple[Column, FieldForm]]
) -> Iterator[Column]:
    yield F.col("key").alias("key_text")
    fields = operator.state["fields"]
    row_fields = [*rows, *((_at((part["name"],)), part) for part in fields if part["is"] in ROWS)]
    key = _key(operator, row_fields)
    if key is not None:
        yield key.alias("key")
    write = _last_write(operator, list_)
    if write is not None:
        yield write.alias("last_write")
        ttl = operator.ttl(_input(list_))
        if ttl:
            yield F.timestamp_millis(F.try_add(F.unix_millis(write), F.lit(ttl))).alias("expires")
    yield F.col("timer")


def _input(list_: _EntryList | None) -> int:
    """The input of a list's entries."""
    name = "" if list_ is None else list_.name
    return int(name.removeprefix("input")) if name.startswith("input") else int(name == "right")


def _last_write(operator: StoredOperator, list_: _EntryList | None) -> Column | None:
    if list_ is not None and any(part["name"] == "lastWrite" for part in list_.field.get("fields", ())):
        return F.col("entry").getField("lastWrite")
    names = {part["name"] for part in operator.state["fields"]}
    return next((_at((name,)) for name in WRITES if name in names), None)


def _key(operator: StoredOperator, rows: Sequence[tuple[Column, FieldForm]]) -> Column | None:
    """The key's columns from the first row that has them all."""
    for key in operator.state["keys"]:
        wanted = [(part["input"], part["column"]) for part in key]
        for row, described in rows:
            places = {
                (column.get("input"), column.get("column")): place for place, column in enumerate(described["columns"])
            }
            if wanted and all(part in places for part in wanted):
                names = _column_names(operator, described)
                at = [(names[places[part]], operator.column(*part)["name"]) for part in wanted]
                return F.struct(*(row.getField(inside).alias(name) for inside, name in at))
    return None


def _column_names(operator: StoredOperator, described: FieldForm) -> list[str]:
    """The kernel's names of a row's columns, with a number on repetitions."""
    names: list[str] = []
    for column in described["columns"]:
        name = (
            operator.column(column["input"], column["column"])["name"]
            if "input" in column
            else f"call {column['call'] + 1}"
        )
        number = sum(earlier == name for earlier in names)
        names.append(name if not number else f"{name} {number + 1}")
    return names


def _shared(operator: StoredOperator, lists: Sequence[_EntryList], taken: Collection[str] = ()) -> Iterator[Column]:
    """The fields that a key has once, except the key, times, lists of entries, and names that are taken."""
    paths = {entry_list.path for entry_list in lists}
    for field in operator.state["fields"]:
        name = field["name"]
        # A key's timer tells when it is due.
        if name in ("key", "due", *WRITES) or (name,) in paths:
            continue
        inside = [path[1] for path in paths if path[0] == name and len(path) == 2]
        column = _at((name,))
        if not inside:
            yield column.alias(f"key_{name}" if name in taken else name)
        elif len(inside) < len(field["fields"]):
            yield column.dropFields(*inside).alias(name)
