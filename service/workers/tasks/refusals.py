"""Plans of tests, and refusals of tasks, as JSON objects."""

from __future__ import annotations

from typing import TypedDict


class RefusalFields(TypedDict):
    """An error of the product."""

    message: str
    where: str
    remedy: str


class PlanOfTest(TypedDict, total=False):
    """The plan of a test, or the error that refuses it."""

    plan: str
    refused: RefusalFields
