"""The OpenAPI document of the API, with its problem details and required roles."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from fastapi import APIRouter, FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute

from compiled_plan.service.access.problems import MEDIA_TYPE, ProblemDetails
from compiled_plan.service.access.roles import Role
from compiled_plan.service.web.depends import role_of

_ABOUT = """Pipelines with the history of their programs and plans, and a supervisor of their runs.

Errors are problem details (RFC 9457) with `where`, `value` and `remedy`. Changes of a pipeline require its ETag
(`If-Match`), which prevents lost updates. Lists are paged by `limit` and `cursor`. Secrets in programs and plans are
masked as `******`.
"""
_PROBLEM: dict[str, object] = {"$ref": "#/components/schemas/Problem"}


class Application(FastAPI):
    """An application whose OpenAPI document has problem details and required roles.

    Attributes:
        roles: the required roles of operations by method and path.
    """

    roles: Mapping[tuple[str, str], Role] = {}

    def openapi(self) -> dict[str, Any]:
        """The OpenAPI document, built once."""
        if not self.openapi_schema:
            self.openapi_schema = _described(self)
        return self.openapi_schema


def _described(app: Application) -> dict[str, Any]:
    document = get_openapi(
        title=app.title, version=app.version, summary=app.summary, description=_ABOUT, routes=app.routes
    )
    components = document.setdefault("components", {})
    schemas = components.setdefault("schemas", {})
    for name in ("HTTPValidationError", "ValidationError"):
        schemas.pop(name, None)
    schemas["Problem"] = ProblemDetails.model_json_schema() | {"title": "Problem"}
    components["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            role = app.roles.get((method.upper(), path))
            operation["responses"].pop("422", None)
            content = {MEDIA_TYPE: {"schema": _PROBLEM}}
            operation["responses"]["4XX"] = {"description": "The request is refused", "content": content}
            operation["responses"]["5XX"] = {"description": "The service is busy or has failed", "content": content}
            operation["security"] = [] if role is None else [{"token": []}]
            if role is not None:
                operation["x-role"] = role.value
    return document


def roles_of(routers: Iterable[APIRouter], prefix: str) -> dict[tuple[str, str], Role]:
    """The required roles of operations by method and path, without public operations."""
    roles: dict[tuple[str, str], Role] = {}
    for router in routers:
        for route in router.routes:
            role = role_of(route) if isinstance(route, APIRoute) else None
            if isinstance(route, APIRoute) and role is not None:
                roles |= {(method, f"{prefix}{route.path}"): role for method in route.methods or ()}
    return roles
