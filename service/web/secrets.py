"""Secrets to which programs refer: names and scopes; values are written, and never returned."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Path
from pydantic import BaseModel, Field, StringConstraints

from compiled_plan.plans.text.references import NAME
from compiled_plan.service.common.texts import Text
from compiled_plan.service.store import secrets
from compiled_plan.service.web.depends import Operator, PartsOf, Reading
from compiled_plan.service.web.documents import RequestBody, Short, values_of

router = APIRouter(prefix="/secrets", tags=["secrets"])
SecretName = Annotated[str, Path(pattern=f"^{NAME.pattern}$", description="name of the secret")]


class SecretDocument(BaseModel):
    """A secret, without its value."""

    name: str
    pipelines: list[str] = Field(description="pipelines that may use it; `*` for all")
    previews: bool = Field(description="whether previews may use it")
    changed_at: datetime
    changed_by: str


class SecretList(BaseModel):
    """Secrets by name."""

    items: list[SecretDocument]


class NewSecret(RequestBody):
    """A secret to set."""

    secret: Annotated[Text, StringConstraints(min_length=1, max_length=100_000)] = Field(
        description="value; no response returns it"
    )
    pipelines: list[Annotated[Short, StringConstraints(min_length=1, max_length=128)]] = Field(
        min_length=1, max_length=1000, description="pipelines that may use it; `*` for all", examples=[["orders"]]
    )
    previews: bool = Field(
        default=False,
        description="let previews use it, too: an editor who may start one can send the value to a server of choice",
    )


@router.get("", summary="Secrets, without their values")
def list_secrets(who: Operator, session: Reading) -> SecretList:
    """By name."""
    return SecretList(items=[SecretDocument(**values_of(item, SecretDocument)) for item in secrets.listed(session)])


@router.put("/{name}", summary="Set a secret, or replace it")
def set_secret(who: Operator, parts: PartsOf, name: SecretName, body: NewSecret) -> SecretDocument:
    """Programs of its pipelines refer to it as `${secret:NAME}`. A run takes the value at its next start."""
    with parts.database.write() as session:
        scope = list(dict.fromkeys(body.pipelines))
        secret = secrets.put(session, parts.vault, name, body.secret, scope, previews=body.previews, by=who.name)
        session.flush()
        return SecretDocument(**values_of(secret, SecretDocument))


@router.delete("/{name}", status_code=204, summary="Remove a secret")
def remove_secret(who: Operator, parts: PartsOf, name: SecretName) -> None:
    """The next start of a pipeline that refers to it is refused."""
    with parts.database.write() as session:
        secrets.remove(session, name)
