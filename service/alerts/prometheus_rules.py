"""The rules of alerts as a rule file of Prometheus."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fnmatch import translate

import yaml
from sqlalchemy import select
from sqlalchemy.orm import Session

from compiled_plan.service.common.alert_rules import Condition, Rule
from compiled_plan.service.store import alerts
from compiled_plan.service.store.tables import Pipeline


def rule_file(session: Session, settings: Sequence[Rule]) -> str:
    """The file: one alert per rule, over the metrics of `/metrics`.

    Metrics have no tags: the tag of a rule stands for the pipelines that have it now.

    Args:
        session: the database session.
        settings: the rules of the settings; the database has more.
    """
    rules = alerts.rules(session, settings)
    known = session.execute(select(Pipeline.name, Pipeline.tags)).all() if any(rule.tag for rule in rules) else ()
    tagged = {rule.name: [name for name, tags in known if rule.covers(name, tags)] for rule in rules if rule.tag}
    groups = [{"name": "plan-service", "rules": [_alert(rule, tagged) for rule in rules]}]
    return str(yaml.safe_dump({"groups": groups}, sort_keys=False, width=120))


def _alert(rule: Rule, tagged: Mapping[str, Sequence[str]]) -> dict[str, object]:
    summary = f"{{{{ $labels.plan }}}}: {rule.condition.value} ({{{{ $value }}}})"
    return {
        "alert": rule.name,
        "expr": _expression(rule, tagged),
        "for": f"{round(rule.hold_seconds)}s",
        "labels": {"condition": rule.condition.value},
        "annotations": {"summary": summary},
    }


def _expression(rule: Rule, tagged: Mapping[str, Sequence[str]]) -> str:
    patterns = tagged[rule.name] if rule.tag else [rule.pipelines]
    plans = "" if list(patterns) == ["*"] else f'plan=~"{"|".join(map(_regex, patterns))}"'
    labels = f"{{{plans}}}" if plans else ""
    above = f"{rule.above:.12g}"
    match rule.condition:
        case Condition.LAG:
            return f"sum by (plan) (compiled_plan_source_lag{labels}) > {above}"
        case Condition.DELAY:
            return f"compiled_plan_last_delay_seconds{labels} > {above}"
        case Condition.FAILURE:
            state = ",".join(filter(None, ('state=~"failed|waiting"', plans)))
            return f"max by (plan) (compiled_plan_pipeline_state{{{state}}}) == 1"
        case Condition.STATE_GROWTH:
            return f"sum by (plan) (compiled_plan_state_bytes_per_hour{labels}) > {above}"
        case Condition.NO_DATA:
            rows = f"increase(compiled_plan_rows_in_total{labels}[{max(1, round(rule.above))}s])"
            return f"{rows} == 0 and on (plan) compiled_plan_running{labels} == 1"


def _regex(pattern: str) -> str:
    """The pattern as RE2, anchored by Prometheus, in a quoted string."""
    inner = translate(pattern).removeprefix("(?s:").removesuffix(r")\Z")
    return inner.replace("\\", "\\\\").replace('"', '\\"')
