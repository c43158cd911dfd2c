"""Settings of alerts: rules, and the webhooks that receive their messages."""

from __future__ import annotations

from collections.abc import Collection
from enum import StrEnum
from fnmatch import fnmatchcase
from typing import Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, SecretStr, field_validator, model_validator


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Condition(StrEnum):
    """The conditions of rules."""

    LAG = "lag"
    DELAY = "delay"
    FAILURE = "failure"
    STATE_GROWTH = "state-growth"
    NO_DATA = "no-data"


class Rule(_Part):
    """A rule: an alert fires while its condition holds."""

    name: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$", description="name of the rule, in messages")
    condition: Condition = Field(
        description="`lag`: unread records; `delay`: estimated seconds from a row's arrival until it is written; "
        "`failure`: the run has failed; `state-growth`: bytes per hour; `no-data`: seconds without rows while it runs"
    )
    above: float = Field(default=0, ge=0, description="threshold, in the unit of the condition; none for `failure`")
    hold_seconds: float = Field(default=0, ge=0, description="time for which the condition must hold first")
    pipelines: str = Field(default="*", max_length=200, description="pipelines by name; `*` and `?` match any text")
    tag: str = Field(default="", max_length=50, description="only pipelines with this tag; empty for all")

    @model_validator(mode="after")
    def _has_threshold(self) -> Rule:
        if (self.condition is Condition.FAILURE) == (self.above > 0):
            wanted = "has no threshold" if self.above else "needs a threshold"
            raise ValueError(f"the rule {self.name!r} {wanted}: `above`")
        return self

    def covers(self, pipeline: str, tags: Collection[str]) -> bool:
        """Return True if the rule applies to a pipeline with these tags."""
        return fnmatchcase(pipeline, self.pipelines) and (not self.tag or self.tag in tags)


class Webhook(_Part):
    """A receiver of messages. Its URL is a secret: it may contain a token."""

    name: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$", description="name of the webhook, in logs")
    url: SecretStr = Field(description="`http://` or `https://` URL; never shown")
    form: Literal["json", "slack"] = Field(default="json", description="form of the messages")

    @field_validator("url")
    @classmethod
    def _is_http(cls, value: SecretStr) -> SecretStr:
        parts = urlsplit(value.get_secret_value())
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("the URL of a webhook begins with http:// or https:// and names a host")
        return value


class Alerts(_Part):
    """Rules and webhooks; the API adds rules, but no webhooks."""

    rules: tuple[Rule, ...] = Field(default=(), description="rules; a table `[[alerts.rules]]` each")
    webhooks: tuple[Webhook, ...] = Field(default=(), description="webhooks; a table `[[alerts.webhooks]]` each")

    @field_validator("rules", "webhooks", mode="before")
    @classmethod
    def _listed(cls, value: object) -> object:
        return tuple(value) if isinstance(value, list) else value

    @model_validator(mode="after")
    def _names_are_unique(self) -> Alerts:
        for parts in (self.rules, self.webhooks):
            names = [part.name for part in parts]
            if len(set(names)) < len(names):
                raise ValueError("two rules, or two webhooks, have the same name")
        return self
