"""`Idempotency-Key`: a request that comes again, as after a lost answer, is carried out once."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from fastapi import Response
from fastapi.encoders import jsonable_encoder
from fastapi.responses import JSONResponse
from sqlalchemy.orm import Session

from compiled_plan.service.access.roles import Principal
from compiled_plan.service.registry.parts import Parts
from compiled_plan.service.store import idempotent

#: Notes the answer in the transaction of the change, so that the two are on disk together.
Keep = Callable[[Session, Any], None]


def once(
    parts: Parts,
    who: Principal,
    what: str,
    key: str | None,
    body: Any,
    action: Callable[[Keep], Any],
    status: int = 200,
) -> Response:
    """Carry a request out once.

    Args:
        what: is asked for: method and path.
        key: the client's key; None carries it out whenever it comes.
        body: of the request, as JSON or a model.
        action: does it, and gives what is answered; calls what it is given in the transaction of its change, with the
            answer as far as it is known there: the one that counts if the service ends before it answers. What it
            raises is answered, and may be tried again.

    Raises:
        ConflictError: the same request is being carried out.
        PlanError: the key was another request's.
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

    def keep(session: Session, answer: Any) -> None:
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


def _json(answer: Any, status: int) -> JSONResponse:
    return JSONResponse(jsonable_encoder(answer), status)
