"""Hides passwords wherever the content of a plan is shown.

Source: `GlobalConfiguration.isSensitive` of Flink 2.3: a key is sensitive that contains one of its words, in any case.
Added are `user.info`, by which the client of a schema registry calls name and password, and names of credentials that
data sources of Spark have (`fs.s3a.access.key`, `pem_private_key`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from compiled_plan.plans.errors import PlanError
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


# `'password' = 'x'` of SQL, `.option("password", "x")` and `"password": "x"` of Python; in SQL two quotes are one.
_QUOTED = re.compile(
    r"""(?P<head>(?P<q1>['"])(?P<key>[\w.\-]+)(?P=q1)\s*[=,:]\s*)"""
    r"""(?P<q2>['"])(?P<value>(?:(?!(?P=q2)).|(?P=q2){2})*)(?P=q2)""",
    re.DOTALL,
)


# One that is not closed: an error may show it.
_UNCLOSED = re.compile(r"""(?P<head>(?P<q1>['"])(?P<key>[\w.\-]+)(?P=q1)\s*[=,:]\s*['"])[^'"\n]+$""", re.MULTILINE)


def masked_program(text: str) -> str:
    """The text of a program, in SQL or Python, with the values of sensitive options and passwords in URLs hidden."""
    shown = _QUOTED.sub(lambda found: _with_value(found, HIDDEN) if _is_secret(found) else found[0], text)
    shown = _UNCLOSED.sub(lambda found: f"{found['head']}{HIDDEN}" if is_sensitive(found["key"]) else found[0], shown)
    return masked_url(shown)


def unmasked_program(text: str, known: str) -> str:
    """A program in which `masked_program` has hidden values, with those of a program where they are not hidden.

    Args:
        text: the program; `******` stands for the values.
        known: where they are taken from: the value of the option, the n-th one where it has several.

    Raises:
        PlanError: a value is not known.
    """
    values: dict[str, list[str]] = {}
    for found in _QUOTED.finditer(known):
        if _is_secret(found):
            values.setdefault(found["key"], []).append(found["value"])
    counted: dict[str, int] = {}

    def filled(found: re.Match[str]) -> str:
        if not _is_secret(found):
            return found[0]
        key, at = found["key"], counted.get(found["key"], 0)
        counted[key] = at + 1
        if found["value"] != HIDDEN:
            return found[0]
        had = values.get(key, [])
        if len(set(had)) == 1:
            return _with_value(found, had[0])
        if at >= len(had):
            raise PlanError(
                f"the value of {key!r} is hidden here, and the version in force has none for it",
                where=f"line {text.count(chr(10), 0, found.start()) + 1}",
                remedy="write the value",
            )
        return _with_value(found, had[at])

    return _QUOTED.sub(filled, text)


def _is_secret(found: re.Match[str]) -> bool:
    return is_sensitive(found["key"]) and bool(found["value"])


def _with_value(found: re.Match[str], value: str) -> str:
    return f"{found['head']}{found['q2']}{value}{found['q2']}"
