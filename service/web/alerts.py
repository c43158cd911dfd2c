"""Alerts: firing and recent ones, and the rules for Prometheus."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Query, Response
from pydantic import BaseModel, Field

from compiled_plan.service.alerts.prometheus_rules import rule_file
from compiled_plan.service.common.alert_rules import Rule
from compiled_plan.service.store import alerts
from compiled_plan.service.web.depends import PartsOf, Reading, Viewer
from compiled_plan.service.web.documents import values_of

router = APIRouter(prefix="/alerts", tags=["alerts"])


class AlertDocument(BaseModel):
    """An alert."""

    pipeline: str
    rule: str
    condition: str
    message: str
    value: float
    since: datetime
    resolved_at: datetime | None = Field(description="null while it fires")


class AlertList(BaseModel):
    """Alerts, firing ones first, and the rules."""

    items: list[AlertDocument]
    firing: int
    rules: list[Rule]


@router.get("", summary="Firing and recent alerts, and the rules")
def list_alerts(
    who: Viewer,
    parts: PartsOf,
    session: Reading,
    pipeline: Annotated[str, Query(max_length=100, description="only those of a pipeline")] = "",
) -> AlertList:
    """Resolved alerts are retained for 7 days."""
    items = [
        AlertDocument(**values_of(alert, AlertDocument), pipeline=name)
        for alert, name in alerts.shown(session, pipeline)
    ]
    firing = sum(1 for item in items if item.resolved_at is None)
    return AlertList(items=items, firing=firing, rules=list(parts.settings.alerts.rules))


@router.get(
    "/prometheus", summary="The rules as a rule file of Prometheus", responses={200: {"content": {"text/yaml": {}}}}
)
def prometheus(who: Viewer, parts: PartsOf) -> Response:
    """Over the metrics of `/metrics`; add it to `rule_files` of Prometheus."""
    return Response(rule_file(parts.settings.alerts.rules), media_type="text/yaml")
