"""API errors: problem details (RFC 9457) with the fields of the product's errors: where, value, remedy."""

from __future__ import annotations

import json
import logging
from http import HTTPStatus

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from pydantic import BaseModel, Field
from sqlalchemy.exc import DataError, IntegrityError, OperationalError
from starlette.exceptions import HTTPException

from compiled_plan.plans.errors import CompiledPlanError
from compiled_plan.plans.text.masking import masked_json, masked_program, masked_text
from compiled_plan.plans.text.spans import pointer_of
from compiled_plan.service.common.lanes import BusyError
from compiled_plan.service.common.texts import cut
from compiled_plan.service.store.errors import ConflictError, MovedError, NotFoundError

MEDIA_TYPE = "application/problem+json"
_LOG = logging.getLogger(__name__)
#: The Retry-After header of a request refused because all workers are busy.
_BUSY_SECONDS = 5


class ProblemDetails(BaseModel):
    """An error: its cause, location and remedy."""

    type: str = Field(default="about:blank", description="`about:blank`: `title` is the phrase of the HTTP status")
    title: str = Field(description="phrase of the HTTP status", examples=["Not Found"])
    status: int = Field(description="HTTP status", examples=[404])
    detail: str = Field(description="the error in one sentence", examples=["there is no pipeline 'orders'"])
    where: str = Field(
        default="", description="location: file, line and column, a node, a JSON pointer, or a parameter"
    )
    value: object = Field(default=None, description="the wrong value, if there is one")
    remedy: str = Field(default="", description="what to do")


class Problem(HTTPException):
    """An error of a request."""

    def __init__(
        self,
        status: int,
        detail: str,
        *,
        where: str = "",
        value: object = None,
        remedy: str = "",
        headers: dict[str, str] | None = None,
    ) -> None:
        super().__init__(status, detail, headers)
        self.details = ProblemDetails(
            title=HTTPStatus(status).phrase, status=status, detail=detail, where=where, value=value, remedy=remedy
        )


def refused(fault: CompiledPlanError, status: int = 422) -> Problem:
    """The problem of a product error, with secrets masked."""
    headers = {"Retry-After": str(_BUSY_SECONDS)} if status == HTTPStatus.SERVICE_UNAVAILABLE else None
    texts = {"where": shown(fault.where), "remedy": shown(fault.remedy)}
    return Problem(status, shown(fault.message), **texts, headers=headers)


def shown(text: str) -> str:
    """The text of an error, which may quote a program line, with secrets masked."""
    return masked_text(masked_program(cut(text)))


#: The status of the product's errors; 422 for all others.
_STATUS: dict[type[CompiledPlanError], int] = {NotFoundError: 404, ConflictError: 409, MovedError: 412, BusyError: 503}


def status_of(fault: CompiledPlanError) -> int:
    """The HTTP status of a product error."""
    return next((status for kind, status in _STATUS.items() if isinstance(fault, kind)), 422)


def answer(problem: Problem) -> Response:
    """The response with problem details."""
    # ASCII, since values of the request may contain lone surrogates, which UTF-8 cannot encode.
    text = json.dumps(problem.details.model_dump())
    return Response(text, status_code=problem.status_code, media_type=MEDIA_TYPE, headers=problem.headers)


def install(app: FastAPI) -> None:
    """Register exception handlers, so that an application answers every error with problem details."""

    @app.exception_handler(Problem)
    async def of_request(request: Request, fault: Problem) -> Response:
        return answer(fault)

    @app.exception_handler(CompiledPlanError)
    async def of_product(request: Request, fault: CompiledPlanError) -> Response:
        return answer(refused(fault, status_of(fault)))

    @app.exception_handler(IntegrityError)
    async def of_others(request: Request, fault: IntegrityError) -> Response:
        return answer(Problem(409, "another request has made the same change", remedy="read the pipeline again"))

    @app.exception_handler(DataError)
    async def of_values(request: Request, fault: DataError) -> Response:
        return answer(
            Problem(422, "the request has a value that the database does not accept", remedy="correct the value")
        )

    @app.exception_handler(OperationalError)
    async def of_database(request: Request, fault: OperationalError) -> Response:
        _LOG.error("%s %s: the database: %s", request.method, request.url.path, shown(str(fault.orig)))
        return answer(Problem(503, "the database does not answer", remedy="try again; see the service's log"))

    @app.exception_handler(RequestValidationError)
    async def of_shape(request: Request, fault: RequestValidationError) -> Response:
        first = fault.errors()[0]
        kind, *path = first["loc"]
        where = pointer_of(path) if kind == "body" else f"{kind} {'.'.join(map(str, path))}".strip()
        value = first.get("input")
        last = str(path[-1]) if path else ""
        if isinstance(value, str):
            value = shown(value)
        elif not isinstance(value, int | float | bool):
            value = None
        return answer(
            Problem(
                422,
                f"the request does not match its schema: {shown(first['msg'])}",
                where=shown(where or "the body"),
                value=masked_json(value, last),
                remedy="see /api/v1/openapi.json",
            )
        )

    @app.exception_handler(HTTPException)
    async def of_framework(request: Request, fault: HTTPException) -> Response:
        remedy = "see /api/v1/openapi.json" if fault.status_code in (404, 405) else ""
        return answer(Problem(fault.status_code, str(fault.detail), remedy=remedy, headers=dict(fault.headers or {})))

    @app.exception_handler(Exception)
    async def of_nobody(request: Request, fault: Exception) -> Response:
        _LOG.error("%s %s: internal error", request.method, request.url.path, exc_info=fault)
        return answer(Problem(500, f"internal error: {type(fault).__name__}", remedy="see the service's log"))
