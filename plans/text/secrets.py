"""Masking of a document's secrets in the output of other programs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote, unquote

from compiled_plan.plans.text.masking import HIDDEN, below
from compiled_plan.plans.text.secret_keys import is_sensitive
from compiled_plan.plans.text.secret_literals import literal_spans
from compiled_plan.plans.text.secret_spans import secret_spans
from compiled_plan.plans.trees import fold_tree

#: Shorter secrets are hidden only as whole words, since they are parts of many words.
_SHORT = 4
_NONE = ("true", "false", "none", "null", HIDDEN)


def secrets_in(document: Any) -> frozenset[str]:
    """Secrets of a JSON document: values of sensitive keys, and passwords in URLs, in all their encodings."""
    root: tuple[str, Any] = ("", document)
    secrets: frozenset[str] = fold_tree(root, below, lambda place, parts: frozenset(_of(place)).union(*parts))
    return frozenset(form for secret in secrets for form in _forms(secret))


def secrets_in_program(text: str) -> frozenset[str]:
    """Secrets of an SQL or Python program, in all their encodings: an error may quote a part without their keys."""
    return frozenset(form for span in literal_spans(text) for form in _forms(text[slice(*span)]))


def _of(place: tuple[str, Any]) -> Iterator[str]:
    key, value = place
    if not isinstance(value, str | int) or isinstance(value, bool):
        return
    text = str(value)
    yield from (text[slice(*span)] for span in secret_spans(text, whole=True))
    if is_sensitive(key):
        yield text
        if "info" in key.lower() and ":" in text:
            yield text.partition(":")[2]


def _forms(secret: str) -> Iterator[str]:
    if len(secret) < 2 or secret.lower() in _NONE:
        return
    yield from {secret, unquote(secret), quote(secret, safe=""), json.dumps(secret)[1:-1]}


def hidden(text: str, secrets: frozenset[str]) -> str:
    """A text with the secrets of `secrets_in` hidden."""
    for secret in sorted(secrets, key=len, reverse=True):
        if len(secret) >= _SHORT:
            text = text.replace(secret, HIDDEN)
        elif secret in text:
            text = re.sub(rf"(?<!\w){re.escape(secret)}(?!\w)", HIDDEN, text)
    return text
