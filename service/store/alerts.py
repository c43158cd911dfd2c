"""Alerts in the database: firing ones, and resolved ones whose messages are pending or recent."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from compiled_plan.service.store.tables import Alert, Pipeline


def firing(session: Session) -> Sequence[Alert]:
    """The alerts that fire."""
    return session.scalars(select(Alert).where(Alert.resolved_at.is_(None)).order_by(Alert.id)).all()


def shown(session: Session, pipeline: str = "", limit: int = 200) -> Sequence[tuple[Alert, str]]:
    """Alerts with the names of their pipelines: firing ones first, then the newest."""
    wanted = select(Alert, Pipeline.name).join(Pipeline)
    if pipeline:
        wanted = wanted.where(Pipeline.name == pipeline)
    rows = session.execute(wanted.order_by(Alert.resolved_at.is_not(None), Alert.id.desc()).limit(limit))
    return [(alert, name) for alert, name in rows]


def forget(session: Session, before: datetime) -> None:
    """Remove alerts that were resolved before a time."""
    session.execute(delete(Alert).where(Alert.resolved_at < before))
