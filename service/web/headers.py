"""Headers of requests that several routes take."""

from __future__ import annotations

from typing import Annotated

from fastapi import Header

from compiled_plan.service.access.problems import Problem

IfMatch = Annotated[
    str | None,
    Header(
        alias="If-Match",
        description="the ETag of the pipeline as it was read: nobody's change is lost; `*` for whatever there is",
    ),
]
IdempotencyKey = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        max_length=200,
        description="a text of the client's own: the same request with it is carried out once, and answered alike",
    ),
]


def expected(if_match: str | None) -> str:
    """The ETag that a change is made on.

    Raises:
        Problem: none is given.
    """
    if if_match is None:
        raise Problem(
            428,
            "this changes what others may have changed meanwhile",
            where="If-Match",
            remedy="send the ETag of the pipeline as it was read",
        )
    return if_match
