"""The rules as a rule file of Prometheus."""

from __future__ import annotations

from pathlib import Path

import yaml

from compiled_plan.service.alerts.prometheus_rules import rule_file
from compiled_plan.service.common.alert_rules import Rule
from compiled_plan.service.common.settings import Settings
from compiled_plan.service.store.database import open_database


def test_each_rule_is_an_expression_over_the_metrics(tmp_path: Path) -> None:
    rules = [
        Rule(name="behind", condition="lag", above=1e6, hold_seconds=60, pipelines="orders.*"),
        Rule(name="slow", condition="delay", above=30),
        Rule(name="broken", condition="failure"),
        Rule(name="grows", condition="state-growth", above=5e9),
        Rule(name="quiet", condition="no-data", above=600, pipelines="a?"),
    ]
    database = open_database(Settings(home=tmp_path))
    with database.read() as session:
        (group,) = yaml.safe_load(rule_file(session, rules))["groups"]
    database.close()
    assert {rule["alert"]: rule["expr"] for rule in group["rules"]} == {
        "behind": 'sum by (plan) (compiled_plan_source_lag{plan=~"orders\\\\..*"}) > 1000000',
        "slow": "compiled_plan_last_delay_seconds > 30",
        "broken": 'max by (plan) (compiled_plan_pipeline_state{state=~"failed|waiting"}) == 1',
        "grows": "sum by (plan) (compiled_plan_state_bytes_per_hour) > 5000000000",
        "quiet": 'increase(compiled_plan_rows_in_total{plan=~"a."}[600s]) == 0 '
        'and on (plan) compiled_plan_running{plan=~"a."} == 1',
    }
    assert group["rules"][0]["for"] == "60s"
