"""Hides passwords wherever the content of a plan is shown.

Source: `GlobalConfiguration.isSensitive` of Flink 2.3: a key is sensitive that contains one of its words, in any case.
Added are `user.info`, by which the client of a schema registry calls name and password, and names of credentials that
data sources of Spark have (`fs.s3a.access.key`, `pem_private_key`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from compiled_plan.plans.trees import fold_tree

HIDDEN = "******"
# A key and its value in an option list: up to the next comma or the end of the list.
_OPTION = re.compile(r"([\w.\-]+)=([^,}\]]*)")
# A password in a URL: `jdbc:postgresql://user:password@host/db`.
_IN_URL = re.compile(r"(://[^\s/:@]+:)[^\s/@]+(?=@)")
# A parameter of a URL: `jdbc:postgresql://host/db?user=a&password=b`, `jdbc:derby:db;password=b`.
_PARAMETER = re.compile(r"([?&;])([\w.\-]+)=([^&;\s,}\]'\"]*)")

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
    "user.info",
    "jaas.config",
    "http-headers",
    "passphrase",
    "passwd",
    "credential",
)
# `access.key`, `accountKey`, `private_key`, ...
_KEY = re.compile(
    r"(access|account|api|encryption|master|private|service|shared|signing|storage)[._-]?key", re.IGNORECASE
)


def is_sensitive(key: str) -> bool:
    """Whether the value of an option is not to be shown."""
    lowered = key.lower()
    return any(word in lowered for word in _SENSITIVE) or _KEY.search(key) is not None


def masked(options: Mapping[str, str]) -> dict[str, str]:
    """Options with the sensitive values hidden."""
    return {key: HIDDEN if is_sensitive(key) else masked_url(value) for key, value in options.items()}


def masked_url(text: str) -> str:
    """A text with the passwords in its URLs hidden, those of their parameters too."""
    shown = _PARAMETER.sub(lambda found: f"{found[1]}{found[2]}={HIDDEN}" if is_sensitive(found[2]) else found[0], text)
    return _IN_URL.sub(rf"\1{HIDDEN}", shown)


def masked_text(text: str) -> str:
    """A text with the values of sensitive options (`OPTIONS options:{password=x}`) and passwords in URLs hidden."""
    shown = _OPTION.sub(lambda found: f"{found[1]}={HIDDEN}" if is_sensitive(found[1]) else found[0], text)
    return masked_url(shown)


def masked_json(value: Any, key: str = "") -> Any:
    """JSON values of a plan with the sensitive ones hidden, wherever they stand."""
    root: tuple[str, Any] = (key, value)
    return fold_tree(root, _below, _masked)


def _below(place: tuple[str, Any]) -> Sequence[tuple[str, Any]]:
    key, value = place
    if isinstance(value, dict):
        return list(value.items())
    return [(key, item) for item in value] if isinstance(value, list) else ()


def _masked(place: tuple[str, Any], below: tuple[Any, ...]) -> Any:
    key, value = place
    if isinstance(value, dict):
        return dict(zip(value, below, strict=True))
    if isinstance(value, list):
        return list(below)
    if value is not None and is_sensitive(key):
        return HIDDEN
    return masked_url(value) if isinstance(value, str) else value
