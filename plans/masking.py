"""Hides passwords wherever the content of a plan is shown.

Source: `GlobalConfiguration.isSensitive` of Flink 2.3: a key is sensitive that contains one of these, in any case.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

HIDDEN = "******"

_SENSITIVE = (
    "password",
    "secret",
    "fs.azure.account.key",
    "apikey",
    "api-key",
    "auth-params",
    "service-key",
    "token",
    "basic-auth",
    "jaas.config",
    "http-headers",
)


def is_sensitive(key: str) -> bool:
    """Whether the value of an option is not to be shown."""
    lowered = key.lower()
    return any(word in lowered for word in _SENSITIVE)


def masked(options: Mapping[str, str]) -> dict[str, str]:
    """Options with the sensitive values hidden."""
    return {key: HIDDEN if is_sensitive(key) else value for key, value in options.items()}


def masked_json(value: Any, key: str = "") -> Any:
    """JSON values of a plan with the sensitive ones hidden, wherever they stand."""
    if isinstance(value, dict):
        return {name: masked_json(item, name) for name, item in value.items()}
    if isinstance(value, list):
        return [masked_json(item, key) for item in value]
    return HIDDEN if value is not None and is_sensitive(key) else value
