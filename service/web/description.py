"""The API's own description (OpenAPI): errors as they are answered, and what asks for a token."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from compiled_plan.service.web.problems import MEDIA_TYPE, ProblemDetails

_ABOUT = """Pipelines with the history of their programs and plans; runs that are looked after.

Errors are problem details (RFC 9457) with `where`, `value` and `remedy`. A change of a pipeline takes the ETag that it
was read with (`If-Match`), so that nobody's change is lost. Lists are paged by `limit` and `cursor`. What is secret in
programs and plans is shown as `******`.
"""
_PROBLEM: dict[str, Any] = {"$ref": "#/components/schemas/Problem"}
_OPEN = ("/api/v1/health", "/api/v1/session")


def describe(app: FastAPI) -> None:
    """Have an application describe itself as it answers."""

    def openapi() -> dict[str, Any]:
        if not app.openapi_schema:
            app.openapi_schema = _described(app)
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign]


def _described(app: FastAPI) -> dict[str, Any]:
    found = get_openapi(
        title=app.title, version=app.version, summary=app.summary, description=_ABOUT, routes=app.routes
    )
    components = found.setdefault("components", {})
    schemas = components.setdefault("schemas", {})
    for name in ("HTTPValidationError", "ValidationError"):
        schemas.pop(name, None)
    schemas["Problem"] = ProblemDetails.model_json_schema() | {"title": "Problem"}
    components["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
    for path, operations in found["paths"].items():
        for operation in operations.values():
            operation["responses"].pop("422", None)
            content = {MEDIA_TYPE: {"schema": _PROBLEM}}
            operation["responses"]["4XX"] = {"description": "Refused: what, where, and what to do", "content": content}
            operation["responses"]["5XX"] = {"description": "Busy, or broken", "content": content}
            operation["security"] = [] if path in _OPEN else [{"token": []}]
    return found
