"""Evaluation of the rules: alerts begin, hold and end."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta

from sqlalchemy import select

from compiled_plan.service.alerts.conditions import Breach, Observation, breach_of
from compiled_plan.service.common.alert_rules import Rule
from compiled_plan.service.runs.recent import RecentBatches
from compiled_plan.service.store import alerts
from compiled_plan.service.store.database import Database
from compiled_plan.service.store.states import RunState
from compiled_plan.service.store.tables import Alert, Pipeline, Status, Wanted

#: The interval of evaluations in seconds, and the retention of resolved alerts.
EVERY, _RETENTION = 2.0, timedelta(days=7)


class Watch:
    """Evaluates rules, and stores the alerts.

    Args:
        database: the database of the service.
        rules: the rules of the settings; the database has more.
        recent: the recent micro-batches of pipelines.
    """

    def __init__(self, database: Database, rules: Sequence[Rule], recent: RecentBatches) -> None:
        self._database, self._rules, self._recent = database, rules, recent
        self._at = -EVERY
        #: The time at which each condition began to hold, by pipeline and rule, on the monotonic clock.
        self._holds: dict[tuple[int, str], float] = {}

    def tick(self) -> None:
        """Evaluate the rules, at most once per interval."""
        now = time.monotonic()
        if now - self._at >= EVERY:
            self._at = now
            self.evaluate()

    def evaluate(self) -> None:
        """Begin, update and resolve alerts."""
        with self._database.read() as session:
            all_rules = alerts.rules(session, self._rules)
            firing = {(alert.pipeline_id, alert.rule): alert.message for alert in alerts.firing(session)}
            if not all_rules and not firing:
                return
            observed = select(Pipeline.id, Pipeline.name, Pipeline.tags, Status, Wanted.crashes)
            rows = session.execute(observed.join(Status).outerjoin(Wanted)).all()
            session.expunge_all()
        breaches: dict[tuple[int, str], tuple[Rule, Breach]] = {}
        for id_, name, tags, status, crashes in rows:
            rules = [rule for rule in all_rules if rule.covers(name, tags)]
            run = self._observe(id_, status, crashes or 0) if rules else None
            for rule in rules:
                breach = breach_of(rule, run) if run is not None else None
                if breach is not None:
                    breaches[id_, rule.name] = rule, breach
        now = time.monotonic()
        self._holds = {key: self._holds.get(key, now) for key in breaches}
        begun = {
            key: breach
            for key, breach in breaches.items()
            if key not in firing and now - self._holds[key] >= breach[0].hold_seconds
        }
        changed = {
            key: breach for key, (_, breach) in breaches.items() if firing.get(key, breach.message) != breach.message
        }
        ended = firing.keys() - breaches.keys()
        if begun or changed or ended:
            self._store(begun, changed, ended)

    def _observe(self, id_: int, status: Status, crashes: int) -> Observation:
        alive = RunState(status.state).has_figures
        recent = self._recent.of(id_) if alive else None
        quiet = None
        if recent is not None:
            rows = [batch["at"] for batch in recent.batches if batch["rowsIn"]]
            since = datetime.fromisoformat(rows[-1]) if rows else status.since or datetime.now(UTC)
            quiet = (datetime.now(UTC) - since).total_seconds()
        failed = ""
        if RunState(status.state).has_failed:
            failed = status.message or "the run has failed"
        elif crashes and RunState(status.state).is_alive:
            # A restart that has not lasted yet is no recovery: a run that crashes again would alert each time.
            failed = f"restarted after {crashes} crashes in a row"
        return Observation(alive, failed, None if recent is None else recent.figures, quiet)

    def _store(
        self,
        begun: Mapping[tuple[int, str], tuple[Rule, Breach]],
        changed: Mapping[tuple[int, str], Breach],
        ended: set[tuple[int, str]],
    ) -> None:
        now = datetime.now(UTC)
        with self._database.write() as session:
            alerts.forget(session, now - _RETENTION)
            for alert in alerts.firing(session):
                key = (alert.pipeline_id, alert.rule)
                if key in ended:
                    alert.resolved_at, alert.pending = now, True
                elif key in changed:
                    alert.value, alert.message = changed[key]
            for (id_, name), (rule, breach) in begun.items():
                if session.get(Pipeline, id_) is not None:
                    alert = Alert(pipeline_id=id_, rule=name, condition=rule.condition.value, since=now)
                    alert.value, alert.message = breach
                    alert.sent, alert.resolution_sent = [], []
                    session.add(alert)
