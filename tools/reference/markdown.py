"""Tables in Markdown."""

from __future__ import annotations

from collections.abc import Iterable


def table(titles: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    """A table; vertical bars in its cells are escaped."""
    lines = (titles, ("---",) * len(titles), *rows)
    return "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |" for cells in lines)


def code(text: str) -> str:
    """A text as code; empty for an empty one."""
    return f"`{text}`" if text else ""


def codes(texts: Iterable[str]) -> str:
    """Texts as code, separated by commas."""
    return ", ".join(map(code, texts))


def first_line(doc: str | None) -> str:
    """The first line of a docstring, without its full stop."""
    return (doc or "").strip().partition("\n")[0].rstrip(".")
