"""Tables that changelogs result in, in the text form of Flink's rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

Table = Counter[str]
_KINDS = {"+": "+U", "-": "-D"}


def expected_table(changes: Iterable[str], key: Sequence[int]) -> Table:
    """The table of a changelog such as `+I[1, a]`.

    Args:
        changes: the changelog.
        key: positions of the primary key, by which a row replaces another; empty for a table without one.
    """
    if not key:
        return summed(("-" if change[:2] in ("-U", "-D") else "+") + change[2:] for change in changes)
    rows: dict[tuple[str, ...], str] = {}
    for change in changes:
        fields = list(_fields(change[2:]))
        at = tuple(fields[position] for position in key)
        if change[:2] in ("+I", "+U"):
            rows[at] = change[2:]
        else:
            rows.pop(at, None)
    return Counter(rows.values())


def summed(changes: Iterable[str]) -> Table:
    """The table of a changelog of + and -; counts may be negative."""
    table: Table = Counter()
    for change in changes:
        table[change[1:]] += 1 if change[0] == "+" else -1
    return Counter({row: count for row, count in table.items() if count})


def continued(before: Iterable[str], key: Sequence[int], changes: Iterable[str]) -> Table:
    """The table of a changelog such as `+I[1, a]` that a changelog of + and - continues.

    Args:
        before: the changelog so far.
        key: positions of the primary key; empty for a table without one.
        changes: the changes after it; a + replaces the row of its key.
    """
    if not key:
        table = expected_table(before, key)
        table.update(summed(changes))
        return Counter({row: count for row, count in table.items() if count})
    return expected_table([*before, *(f"{_KINDS[change[0]]}{change[1:]}" for change in changes)], key)


def difference(expected: Table, actual: Table) -> str:
    """Rows that are missing or too many; empty for equal tables."""
    if expected == actual:
        return ""
    missing, extra = (
        [f"{row} ({count} times)" if count > 1 else row for row, count in rows.items()]
        for rows in (_minus(expected, actual), _minus(actual, expected))
    )
    return f"missing {missing[:3]}, extra {extra[:3]}"


def _minus(left: Table, right: Table) -> dict[str, int]:
    return {row: left[row] - right[row] for row in {**left, **right} if left[row] > right[row]}


def _fields(text: str) -> Iterator[str]:
    """The fields of a row's text."""
    depth, field = 0, ""
    for part in text[1:-1].split(", "):
        field += part
        depth += sum(part.count(opening) for opening in "[{(") - sum(part.count(closing) for closing in "]})")
        if depth > 0:
            field += ", "
            continue
        yield field
        field = ""
