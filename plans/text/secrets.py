"""Masking of a document's secrets in the output of other programs."""

from __future__ import annotations

from collections.abc import Iterator

from compiled_plan.plans.text.concealing import forms
from compiled_plan.plans.text.concealing import hidden as hidden
from compiled_plan.plans.text.masking import below
from compiled_plan.plans.text.references import has_reference
from compiled_plan.plans.text.secret_keys import is_sensitive
from compiled_plan.plans.text.secret_literals import literal_spans
from compiled_plan.plans.text.secret_spans import secret_spans
from compiled_plan.plans.trees import fold_tree


def secrets_in(document: object) -> frozenset[str]:
    """Secrets of a JSON document: values of sensitive keys, and passwords in URLs, in all their encodings."""
    root: tuple[str, object] = ("", document)
    secrets: frozenset[str] = fold_tree(root, below, lambda place, parts: frozenset(_of(place)).union(*parts))
    return frozenset(form for secret in secrets for form in forms(secret))


def secrets_in_program(text: str) -> frozenset[str]:
    """Secrets of an SQL or Python program, in all their encodings: an error may quote a part without their keys."""
    return frozenset(form for span in literal_spans(text) for form in forms(text[slice(*span)]))


def _of(place: tuple[str, object]) -> Iterator[str]:
    key, value = place
    if not isinstance(value, str | int) or isinstance(value, bool):
        return
    text = str(value)
    spans = (text[slice(*span)] for span in secret_spans(text, whole=True))
    yield from (span for span in spans if not has_reference(span))
    if is_sensitive(key) and not has_reference(text):
        yield text
        if "info" in key.lower() and ":" in text:
            yield text.partition(":")[2]
