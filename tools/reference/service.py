"""The service: its settings, the states of pipelines, and the routes of its API."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import BaseModel
from pydantic_core import PydanticUndefined

from compiled_plan.service.app import PREFIX, ROUTERS
from compiled_plan.service.common.alert_rules import Alerts, Rule, Webhook
from compiled_plan.service.common.settings import Keep, Limits, Settings
from compiled_plan.service.runs.settings import RunSettings
from compiled_plan.service.store.states import RunState
from compiled_plan.service.web.description import roles_of
from tools.reference.markdown import code, table

_TITLES = ("setting", "default", "")


def settings() -> str:
    """The settings of the `--config` file."""
    return table(_TITLES, _setting_rows())


def _setting_rows() -> Iterator[tuple[str, str, str]]:
    yield from _fields(Settings)
    parts: tuple[type[BaseModel], ...] = (Limits, Keep, Alerts, Rule, Webhook)
    names = ("limits", "keep", "alerts", "alerts.rules", "alerts.webhooks")
    for part, name in zip(parts, names, strict=True):
        yield from _fields(part, f"{name}.")


def run_settings() -> str:
    """The settings of a run, in the request that starts it."""
    return table(_TITLES, _fields(RunSettings))


def _fields(model: type[BaseModel], prefix: str = "") -> Iterator[tuple[str, str, str]]:
    for name, field in model.model_fields.items():
        if field.description:
            default = _default(field.get_default(call_default_factory=True))
            yield code(f"{prefix}{name}"), default, field.description


def _default(value: object) -> str:
    if value is PydanticUndefined or value is None or value in ("", (), {}):
        return ""
    return code(str(value).lower() if isinstance(value, bool) else str(value))


def states() -> str:
    """The states of a pipeline."""
    return table(("state", ""), [(code(state.value), state.meaning) for state in RunState])


def routes() -> str:
    """The routes of the API with their required roles."""
    return table(("", "role", ""), _routes())


def _routes() -> Iterator[tuple[str, str, str]]:
    roles = roles_of(ROUTERS, "")
    for router in ROUTERS:
        for route in router.routes:
            for method in sorted(route.methods):  # type: ignore[attr-defined]
                path: str = route.path  # type: ignore[attr-defined]
                role = roles.get((method, path))
                summary: str = route.summary or ""  # type: ignore[attr-defined]
                yield code(f"{method} {PREFIX}{path}"), role.value if role else "", summary
