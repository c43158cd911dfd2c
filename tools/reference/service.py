"""The service: its settings and the routes of its API."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator

from pydantic import BaseModel

from compiled_plan.service.app import PREFIX, ROUTERS
from compiled_plan.service.common.settings import Keep, Limits, Settings
from compiled_plan.service.runs.settings import RunSettings
from compiled_plan.service.web.description import roles_of
from tools.reference.markdown import code, table

#: Tables of the settings' file.
PARTS: dict[str, type[BaseModel]] = {"limits": Limits, "keep": Keep}


def settings() -> str:
    """The settings of a file of `--config`."""
    return table(("setting", "default", ""), _settings())


def _settings() -> Iterator[tuple[str, str, str]]:
    about = dict(re.findall(r"^ +(\w+): (.*(?:\n {12}.*)*)", inspect.getdoc(Settings) or "", re.MULTILINE))
    for name, field in Settings.model_fields.items():
        if name not in PARTS:
            yield code(name), _default(field.default), " ".join(about[name].split())
    for part, model in PARTS.items():
        for name, field in model.model_fields.items():
            yield code(f"{part}.{name}"), _default(field.default), field.description or ""


def _default(value: object) -> str:
    if value in ("", (), {}, None) or isinstance(value, BaseModel):
        return ""
    return code(str(value).lower() if isinstance(value, bool) else str(value))


def run_settings() -> str:
    """The settings of a run, as a start takes them."""
    rows = (
        (code(name), _default(field.get_default(call_default_factory=True)), field.description or "")
        for name, field in RunSettings.model_fields.items()
    )
    return table(("setting", "default", ""), rows)


def routes() -> str:
    """The routes of the API, with the role that each needs."""
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
