"""Hides passwords wherever the content of a plan is shown.

Source: `GlobalConfiguration.isSensitive` of Flink 2.3: a key is sensitive that contains one of these, in any case.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

HIDDEN = "******"
# A key and its value in an option list: up to the next comma or the end of the list.
_OPTION = re.compile(r"([\w.\-]+)=([^,}\]]*)")

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


def masked_text(text: str) -> str:
    """A node's description with the values of sensitive options hidden (`hints=[[[OPTIONS options:{password=x}]]]`)."""
    return _OPTION.sub(lambda found: f"{found[1]}={HIDDEN}" if is_sensitive(found[1]) else found[0], text)


def masked_json(value: Any, key: str = "") -> Any:
    """JSON values of a plan with the sensitive ones hidden, wherever they stand."""
    if isinstance(value, dict):
        return {name: masked_json(item, name) for name, item in value.items()}
    if isinstance(value, list):
        return [masked_json(item, key) for item in value]
    return HIDDEN if value is not None and is_sensitive(key) else value
