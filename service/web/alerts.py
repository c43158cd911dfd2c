"""Alerts: firing and recent ones, and the rules for Prometheus."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Path, Query, Response
from pydantic import BaseModel, Field

from compiled_plan.service.access.problems import Problem
from compiled_plan.service.alerts.prometheus_rules import rule_file
from compiled_plan.service.common.alert_rules import Rule
from compiled_plan.service.store import alerts, pipelines
from compiled_plan.service.web.depends import Operator, PartsOf, Reading, Viewer
from compiled_plan.service.web.documents import values_of

router = APIRouter(prefix="/alerts", tags=["alerts"])
RuleName = Annotated[str, Path(max_length=64, description="name of the rule")]


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
    rules: list[Rule] = Field(description="rules of the settings and of the API; with `pipeline`, those that cover it")


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
    rules = alerts.rules(session, parts.settings.alerts.rules)
    if pipeline:
        tags = pipelines.find(session, pipeline).tags
        rules = [rule for rule in rules if rule.covers(pipeline, tags)]
    return AlertList(items=items, firing=firing, rules=list(rules))


@router.put("/rules/{name}", summary="Add a rule of alerts, or replace it")
def set_rule(who: Operator, parts: PartsOf, name: RuleName, body: Rule) -> Rule:
    """For one pipeline (`pipelines`), or for all with a tag. 409 for a rule of the settings file."""
    if body.name != name:
        raise Problem(422, "the path and the rule have different names", where="name", remedy="write the same name")
    with parts.database.write() as session:
        alerts.set_rule(session, parts.settings.alerts.rules, body, who.name)
    return body


@router.delete("/rules/{name}", status_code=204, summary="Remove a rule of alerts")
def remove_rule(who: Operator, parts: PartsOf, name: RuleName) -> None:
    """Its firing alerts are resolved. 409 for a rule of the settings file."""
    with parts.database.write() as session:
        alerts.remove_rule(session, parts.settings.alerts.rules, name)


@router.get(
    "/prometheus", summary="The rules as a rule file of Prometheus", responses={200: {"content": {"text/yaml": {}}}}
)
def prometheus(who: Viewer, parts: PartsOf, session: Reading) -> Response:
    """Over the metrics of `/metrics`; add it to `rule_files` of Prometheus. Tags stand for their present pipelines."""
    return Response(rule_file(session, parts.settings.alerts.rules), media_type="text/yaml")
