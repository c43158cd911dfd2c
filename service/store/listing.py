"""Lists of pipelines: filter, sort, and page through them."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, String, and_, case, func, null, or_, select, type_coerce
from sqlalchemy.orm import InstrumentedAttribute, Session

from compiled_plan.plans.errors import PlanError
from compiled_plan.service.store.states import RunState
from compiled_plan.service.store.tables import Moment, Pipeline, Status

#: Keys of `sort`. Pipelines without a value are last in both directions.
SORTS: Mapping[str, ColumnElement[object] | InstrumentedAttribute[object]] = {
    "name": Pipeline.name,
    "owner": case((Pipeline.owner != "", Pipeline.owner), else_=null()),
    "state": func.coalesce(Status.state, RunState.NONE.value),
    "since": Status.since,
    "rows_per_second": Status.rows_per_second,
    "lag": Status.lag,
    "state_bytes": Status.state_bytes,
    "state_growth": Status.state_growth,
    "last_error_at": Status.last_error_at,
    "until": Status.until,
}


@dataclass(frozen=True, slots=True)
class Listed:
    """A pipeline in a list, with its status."""

    pipeline: Pipeline
    status: Status | None


@dataclass(frozen=True, slots=True)
class Page:
    """A page of a list; `cursor` requests the next page, and is empty on the last."""

    items: Sequence[Listed]
    cursor: str
    total: int


@dataclass(frozen=True, slots=True)
class Filter:
    """Conditions on pipelines; empty ones do not apply.

    Args:
        q: a part of the name or the description, case-insensitive.
        state: a state.
        owner: an owner.
        tag: a tag.
    """

    q: str = ""
    state: str = ""
    owner: str = ""
    tag: str = ""

    def conditions(self) -> list[ColumnElement[bool]]:
        conditions: list[ColumnElement[bool]] = []
        if self.q:
            places = (Pipeline.name, Pipeline.description)
            conditions.append(or_(*(place.icontains(self.q, autoescape=True) for place in places)))
        if self.state:
            conditions.append(func.coalesce(Status.state, RunState.NONE.value) == self.state)
        if self.owner:
            conditions.append(Pipeline.owner == self.owner)
        if self.tag:
            conditions.append(type_coerce(Pipeline.tags, String).contains(f" {self.tag} ", autoescape=True))
        return conditions


def page(
    session: Session, condition: Filter | None = None, *, sort: str = "name", limit: int = 50, cursor: str = ""
) -> Page:
    """Pipelines with their status.

    A cursor has the value of the sort key and the name of the last pipeline, so that pipelines that are added, removed
    or moved meanwhile neither repeat nor hide others.

    Args:
        session: the database session.
        condition: the filter.
        sort: a key of `SORTS`; `-` before it sorts in descending order.
        limit: the page size.
        cursor: the cursor of the previous page.

    Raises:
        PlanError: the cursor is invalid, or of another sort.
    """
    key = SORTS[sort.removeprefix("-")]
    descending = sort.startswith("-")
    wanted = (
        select(Pipeline, Status, key)
        .outerjoin(Status, Status.pipeline_id == Pipeline.id)
        .where(*(condition or Filter()).conditions())
    )
    total = session.scalar(select(func.count()).select_from(wanted.with_only_columns(Pipeline.id).subquery())) or 0
    if cursor:
        value, name = _place_of(cursor, sort, isinstance(key.type, Moment))
        later = Pipeline.name > name
        if value is None:
            wanted = wanted.where(key.is_(None), later)
        else:
            beyond = key < value if descending else key > value
            wanted = wanted.where(or_(key.is_(None), beyond, and_(key == value, later)))
    ordered = wanted.order_by(key.is_(None), key.desc() if descending else key.asc(), Pipeline.name)
    rows = session.execute(ordered.limit(limit + 1)).all()
    items = [Listed(pipeline, status) for pipeline, status, _ in rows[:limit]]
    return Page(items, _cursor_of(sort, rows[limit - 1][2], items[-1]) if len(rows) > limit else "", total)


def tags(session: Session) -> dict[str, int]:
    """The number of pipelines by tag."""
    counts: dict[str, int] = {}
    for words in session.scalars(select(Pipeline.tags)):
        for tag in words:
            counts[tag] = counts.get(tag, 0) + 1
    return dict(sorted(counts.items()))


def owners(session: Session) -> dict[str, int]:
    """The number of pipelines by owner, without those that have none."""
    wanted = select(Pipeline.owner, func.count()).where(Pipeline.owner != "")
    return {row[0]: row[1] for row in session.execute(wanted.group_by(Pipeline.owner).order_by(Pipeline.owner))}


def _cursor_of(sort: str, value: object, last: Listed) -> str:
    shown = value.isoformat() if isinstance(value, datetime) else value
    return base64.urlsafe_b64encode(json.dumps([sort, shown, last.pipeline.name]).encode()).decode()


def _place_of(cursor: str, sort: str, is_time: bool) -> tuple[object, str]:
    try:
        of, value, name = json.loads(base64.b64decode(cursor.encode("ascii"), altchars=b"-_", validate=True))
        if of != sort or not isinstance(name, str) or not isinstance(value, str | int | float | None):
            raise ValueError
        return datetime.fromisoformat(str(value)) if is_time and value is not None else value, name
    except (binascii.Error, TypeError, ValueError, RecursionError):
        raise PlanError(
            "not a valid cursor of this list", where="cursor", remedy="use the cursor of the previous page"
        ) from None
