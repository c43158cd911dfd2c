"""`Idempotency-Key`: execute a repeated request, for example after a lost response, only once."""

from __future__ import annotations

import json
from collections.abc import Callable

from fastapi import Response
from fastapi.encoders import jsonable_encoder
from fastapi.responses import JSONResponse
from sqlalchemy.orm import Session

from compiled_plan.service.access.roles import Principal
from compiled_plan.service.registry.parts import Parts
from compiled_plan.service.store import idempotent

#: Stores the answer in the transaction of the change, so that both commit together.
Keep = Callable[[Session, object], None]


def once(
    parts: Parts,
    who: Principal,
    what: str,
    key: str | None,
    body: object,
    action: Callable[[Keep], object],
    status: int = 200,
) -> Response:
    """Execute a request once.

    Args:
        parts: the parts of the service.
        who: the client.
        what: the operation, with the name of its pipeline.
        key: the client's key; None to execute the request at each repetition.
        body: the body of the request, as JSON or a model.
        action: executes the request and returns the answer. It calls its argument in the transaction of the change
            with the answer so far, which is valid if the service ends before it responds. After an error the request
            can be repeated.
        status: the HTTP status of the answer.

    Raises:
        ConflictError: the same request is in progress.
        PlanError: another request has used the key.
    """
    if key is None:
        return _json(action(lambda session, answer: None), status)
    full = json.dumps([who.name, who.token, what, key])
    with parts.database.write() as session:
        before = idempotent.begin(session, full, json.dumps(jsonable_encoder(body), sort_keys=True).encode())
    if before is not None:
        return Response(
            before.text, before.status, media_type="application/json", headers={"Idempotent-Replay": "true"}
        )

    def keep(session: Session, answer: object) -> None:
        idempotent.end(session, full, idempotent.Answer(status, bytes(_json(answer, status).body).decode()))

    try:
        new_answer = action(keep)
    except BaseException:
        with parts.database.write() as session:
            idempotent.forget(session, full)
        raise
    with parts.database.write() as session:
        keep(session, new_answer)
    return _json(new_answer, status)


def _json(answer: object, status: int) -> JSONResponse:
    return JSONResponse(jsonable_encoder(answer), status)
