"""`Idempotency-Key`: a request that comes again, as after a lost answer, is carried out once."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from fastapi import Response
from fastapi.encoders import jsonable_encoder
from fastapi.responses import JSONResponse

from compiled_plan.service.access.roles import Principal
from compiled_plan.service.parts import Parts
from compiled_plan.service.store import idempotent


def once(
    parts: Parts, who: Principal, what: str, key: str | None, body: Any, action: Callable[[], Any], status: int = 200
) -> Response:
    """Carry a request out once.

    Args:
        parts: of the service.
        who: asks.
        what: is asked for: method and path.
        key: the client's key; None carries it out whenever it comes.
        body: of the request, as JSON or a model.
        action: does it, and gives what is answered. What it raises is answered, and may be tried again.
        status: of the answer.

    Raises:
        ConflictError: the same request is being carried out.
        PlanError: the key was another request's.
    """
    if key is None:
        return JSONResponse(jsonable_encoder(action()), status)
    full = json.dumps([who.name, who.token, what, key])
    with parts.database.write() as session:
        before = idempotent.begin(session, full, json.dumps(jsonable_encoder(body), sort_keys=True).encode())
    if before is not None:
        return Response(
            before.text, before.status, media_type="application/json", headers={"Idempotent-Replay": "true"}
        )
    try:
        answer = JSONResponse(jsonable_encoder(action()), status)
    except BaseException:
        with parts.database.write() as session:
            idempotent.end(session, full, None)
        raise
    with parts.database.write() as session:
        idempotent.end(session, full, idempotent.Answer(status, bytes(answer.body).decode()))
    return answer
