"""Random changelogs that a correct upstream could send."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import strategies as st

from tests.support.kernel.harness import Change, Values

Batches = list[list[Change]]


@st.composite
def retract_streams(
    draw: st.DrawFn,
    rows: st.SearchStrategy[Values],
    key: Callable[[Values], str] = lambda row: "",
    *,
    ports: int = 1,
    insert_only: bool = False,
    upsert: bool = False,
    key_width: int = 1,
    max_size: int = 25,
) -> Batches:
    """Batches of inserts, deletions and updates (`-U`, `+U`) of rows that are there at that time.

    `rows` makes rows for any port. With `upsert` a row is identified by its first `key_width` columns: an insert of
    an existing row updates it.
    """
    live: list[list[Values]] = [[] for _ in range(ports)]
    batches: Batches = [[]]
    for _ in range(draw(st.integers(1, max_size))):
        port = draw(st.integers(0, ports - 1))
        action = "insert" if insert_only else draw(st.sampled_from(["insert", "insert", "delete", "update"]))
        if draw(st.integers(0, 3)) == 0:
            batches.append([])
        there = live[port]
        if action == "insert" or not there:
            row = draw(rows)
            old = next((r for r in there if upsert and r[:key_width] == row[:key_width]), None)
            _change(batches[-1], there, old, row, port, key)
        else:
            old = draw(st.sampled_from(there))
            new = draw(rows) if action == "update" else None
            if upsert and new is not None:
                new = (*old[:key_width], *new[key_width:])
            _change(batches[-1], there, old, new, port, key)
    return batches


def _change(
    batch: list[Change],
    there: list[Values],
    old: Values | None,
    new: Values | None,
    port: int,
    key: Callable[[Values], str],
) -> None:
    update = old is not None and new is not None
    if old is not None:
        there.remove(old)
        batch.append(Change("-U" if update else "-D", old, port, key(old)))
    if new is not None:
        there.append(new)
        batch.append(Change("+U" if update else "+I", new, port, key(new)))


def updates_alone(stream: Batches) -> Batches:
    """A changelog as an upsert consumer gets it: without `-U` rows."""
    return [[change for change in batch if change.kind != "-U"] for batch in stream]


def by_key(changes: list[Change], key: Callable[[Values], Values], table: dict[Values, Values]) -> None:
    """Materialize changes as an upsert consumer does, which identifies a row by its key."""
    for change in changes:
        if change.adds:
            table[key(change.values)] = change.values
        else:
            table.pop(key(change.values), None)
