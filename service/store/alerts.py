"""Alerts in the database: firing ones, resolved ones whose messages are pending or recent, and rules."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from compiled_plan.service.common.alert_rules import Rule
from compiled_plan.service.store import pipelines
from compiled_plan.service.store.errors import ConflictError, NotFoundError
from compiled_plan.service.store.tables import Alert, AlertRule, Pipeline


def firing(session: Session) -> Sequence[Alert]:
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


def rules(session: Session, settings: Sequence[Rule]) -> Sequence[Rule]:
    """The rules of the settings, and then those of the database; of two with a name that of the settings."""
    names = {rule.name for rule in settings}
    stored = session.scalars(select(AlertRule).order_by(AlertRule.name))
    return [*settings, *(Rule.model_validate(row.rule) for row in stored if row.name not in names)]


def set_rule(session: Session, settings: Sequence[Rule], rule: Rule, by: str) -> None:
    """Add a rule to the database, or replace it.

    Raises:
        ConflictError: the settings have a rule of this name.
    """
    _check_free(settings, rule.name)
    session.merge(
        AlertRule(name=rule.name, rule=rule.model_dump(mode="json"), changed_at=pipelines.now(), changed_by=by)
    )


def remove_rule(session: Session, settings: Sequence[Rule], name: str) -> None:
    """Remove a rule from the database; its alerts are resolved.

    Raises:
        ConflictError: the rule is in the settings.
        NotFoundError: the rule does not exist.
    """
    _check_free(settings, name)
    row = session.get(AlertRule, name)
    if row is None:
        raise NotFoundError(f"there is no rule {name!r}", where=name, remedy="`GET /alerts` lists the rules")
    session.delete(row)


def _check_free(settings: Sequence[Rule], name: str) -> None:
    if any(rule.name == name for rule in settings):
        raise ConflictError(
            f"the rule {name!r} is in the settings file", where=name, remedy="change it there, or use another name"
        )
