"""Delivery of alerts to webhooks: one message when an alert fires, one when it is resolved, with retries."""

from __future__ import annotations

import json
import logging
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import and_, or_, select

from compiled_plan.service.common.alert_rules import Webhook
from compiled_plan.service.store.database import Database
from compiled_plan.service.store.tables import Alert, Pipeline

_LOG = logging.getLogger(__name__)
#: In seconds: the interval of searches for pending messages, the timeout of a delivery, the longest delay of a retry.
_EVERY, _TIMEOUT, _MOST = 1.0, 10.0, 300.0
#: The age at which the delivery of a resolved alert is given up.
_GIVE_UP = timedelta(days=1)


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Refuses redirects: they would leave the addresses of the settings."""

    def redirect_request(self, *arguments: object) -> None:
        return None


_OPENER = urllib.request.build_opener(_NoRedirects)


def document(alert: Alert, pipeline: str, address: str, *, resolved: bool) -> dict[str, object]:
    """The generic message of an alert.

    Args:
        alert: the alert.
        pipeline: the name of its pipeline.
        address: the address of the service for users; empty if it is unknown.
        resolved: True for the message of its end.
    """
    return {
        "version": 1,
        "state": "resolved" if resolved else "firing",
        "rule": alert.rule,
        "condition": alert.condition,
        "pipeline": pipeline,
        "message": alert.message,
        "value": alert.value,
        "since": alert.since.isoformat(timespec="seconds"),
        "resolved_at": alert.resolved_at.isoformat(timespec="seconds") if resolved and alert.resolved_at else None,
        "link": f"{address.rstrip('/')}/#/pipelines/{pipeline}" if address else "",
    }


def slack(message: dict[str, Any]) -> dict[str, object]:
    """The message in the form of Slack's incoming webhooks."""
    sign = ":white_check_mark: Resolved" if message["state"] == "resolved" else ":rotating_light: Firing"
    name = f"<{message['link']}|{message['pipeline']}>" if message["link"] else message["pipeline"]
    text = message["message"].replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return {"text": f"{sign}: *{name}* {message['rule']}: {text}"}


class Delivery:
    """Delivers the alerts of a database to webhooks, in a thread of its own.

    Args:
        database: the database of the service.
        webhooks: the webhooks of the settings; no other address is contacted.
        address: the address of the service for users.
        first_retry: the delay of the first retry, in seconds; each further delay is twice the one before.
    """

    def __init__(self, database: Database, webhooks: Sequence[Webhook], address: str, first_retry: float = 2.0) -> None:
        self._database, self._webhooks, self._address = database, webhooks, address
        self._first_retry = first_retry
        self._end = threading.Event()
        #: False until alerts were sought that a webhook of these settings lacks, but no earlier one.
        self._sought = False
        self._delays: dict[str, tuple[float, float]] = {}
        self._thread: threading.Thread | None = None

    def begin(self) -> None:
        """Start the thread, unless there is no webhook."""
        if self._webhooks:
            self._thread = threading.Thread(target=self._go_on, name="alerts", daemon=True)
            self._thread.start()

    def close(self) -> None:
        """End the thread; pending messages are delivered after the next start."""
        self._end.set()
        if self._thread is not None:
            self._thread.join(_TIMEOUT + 1)

    def _go_on(self) -> None:
        while not self._end.wait(_EVERY):
            try:
                self.deliver()
            except Exception:
                _LOG.exception("alerts: the delivery failed")

    def deliver(self) -> None:
        """Send all pending messages once; those of a failing webhook wait for its retry."""
        due = or_(Alert.resolved_at.is_(None), Alert.resolved_at > datetime.now(UTC) - _GIVE_UP)
        if self._sought:
            due = and_(Alert.pending, due)
        with self._database.read() as session:
            rows = session.execute(select(Alert, Pipeline.name).join(Pipeline).where(due).order_by(Alert.id)).all()
            session.expunge_all()
        waiting: dict[int, bool] = {alert.id: False for alert, _ in rows}
        for webhook in self._webhooks:
            for at, (alert, pipeline) in enumerate(rows):
                if not self._send(webhook, alert, pipeline):
                    waiting.update({later.id: True for later, _ in rows[at:]})
                    break
        self._settle({alert.id: waiting[alert.id] for alert, _ in rows if waiting[alert.id] != alert.pending})
        self._sought = True

    def _settle(self, pending: Mapping[int, bool]) -> None:
        """Record which alerts have pending messages; one that was resolved meanwhile has."""
        if pending:
            with self._database.write() as session:
                for alert in session.scalars(select(Alert).where(Alert.id.in_(pending))):
                    lacking = any(webhook.name not in alert.resolution_sent for webhook in self._webhooks)
                    alert.pending = pending[alert.id] or (alert.resolved_at is not None and lacking)

    def _send(self, webhook: Webhook, alert: Alert, pipeline: str) -> bool:
        """Send the messages of an alert that a webhook lacks; False if it must wait."""
        for resolved, names in ((False, alert.sent), (True, alert.resolution_sent)):
            if webhook.name in names or (resolved and alert.resolved_at is None):
                continue
            if not self._post(webhook, document(alert, pipeline, self._address, resolved=resolved)):
                return False
            with self._database.write() as session:
                row = session.get(Alert, alert.id)
                if row is not None and resolved:
                    row.resolution_sent = [*row.resolution_sent, webhook.name]
                elif row is not None:
                    row.sent = [*row.sent, webhook.name]
        return True

    def _post(self, webhook: Webhook, message: dict[str, object]) -> bool:
        due, delay = self._delays.get(webhook.name, (0.0, self._first_retry))
        if time.monotonic() < due:
            return False
        body = json.dumps(slack(message) if webhook.form == "slack" else message).encode()
        request = urllib.request.Request(
            webhook.url.get_secret_value(), body, {"Content-Type": "application/json"}, method="POST"
        )
        try:
            with _OPENER.open(request, timeout=_TIMEOUT):
                pass
        except (OSError, ValueError) as fault:
            self._delays[webhook.name] = time.monotonic() + delay, min(2 * delay, _MOST)
            # The texts of errors may contain the URL, which is a secret.
            reason = f"status {fault.code}" if isinstance(fault, urllib.error.HTTPError) else type(fault).__name__
            _LOG.warning("alerts: the webhook %s failed (%s); next attempt in %.0f s", webhook.name, reason, delay)
            return False
        self._delays.pop(webhook.name, None)
        return True
