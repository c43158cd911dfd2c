"""Known secrets in texts: the values that this process has resolved are hidden in all its messages."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from urllib.parse import quote, unquote

from compiled_plan.plans.errors import CONCEALERS

HIDDEN = "******"
#: Shorter secrets are hidden only as whole words, since they are parts of many words.
_SHORT = 4
_NONE = ("true", "false", "none", "null", HIDDEN)
#: Values that this process has resolved, in all encodings.
_RESOLVED: set[str] = set()


def conceal(value: str) -> None:
    """Hide a resolved secret in all later messages of this process."""
    _RESOLVED.update(forms(value))
    if concealed not in CONCEALERS:
        CONCEALERS.append(concealed)


def concealed(text: str) -> str:
    """A text with the resolved secrets hidden."""
    return hidden(text, _RESOLVED) if _RESOLVED else text


def forms(secret: str) -> Iterator[str]:
    """The encodings of a secret; none if it is too short or a common word."""
    if len(secret) < 2 or secret.lower() in _NONE:
        return
    yield from {secret, unquote(secret), quote(secret, safe=""), json.dumps(secret)[1:-1]}


def hidden(text: str, secrets: Collection[str]) -> str:
    """A text with secrets hidden, given in all their encodings."""
    for secret in sorted(secrets, key=len, reverse=True):
        if len(secret) >= _SHORT:
            text = text.replace(secret, HIDDEN)
        elif secret in text:
            text = re.sub(rf"(?<!\w){re.escape(secret)}(?!\w)", HIDDEN, text)
    return text
