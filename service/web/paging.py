"""Lists in pages: what their routes ask for."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query

#: How many items a page has at most.
Limit = Annotated[int, Query(ge=1, le=1000)]
#: The number of the last item of the page before; empty for the first page.
Cursor = Annotated[str, Query(pattern=r"^[0-9]{0,9}$", description="of the page before")]


def number_of(cursor: str) -> int | None:
    """The number that a cursor is; None for the first page."""
    return int(cursor) if cursor else None
