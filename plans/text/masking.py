"""Masking of secrets wherever the content of a plan is displayed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from compiled_plan.plans.text.secret_keys import is_sensitive as is_sensitive
from compiled_plan.plans.trees import fold_tree

HIDDEN = "******"


def masked(options: Mapping[str, str]) -> dict[str, str]:
    """Options with sensitive values hidden."""
    return {key: HIDDEN if is_sensitive(key) else masked_url(value) for key, value in options.items()}


def shown_value(key: str, value: str) -> str:
    """The value of an option in quotes, or the mask of a sensitive one."""
    return HIDDEN if is_sensitive(key) else f"'{masked_url(value)}'"


def masked_url(text: str) -> str:
    """A value, possibly a URL, with its secrets hidden."""
    # Imported on first use, as compiling the patterns takes time and compile-plan masks nothing.
    from compiled_plan.plans.text.secret_spans import secret_spans

    return _hidden(text, secret_spans(text, whole=True))


def masked_text(text: str) -> str:
    """A text with the values of sensitive options (`OPTIONS options:{password=x}`) and passwords in URLs hidden."""
    from compiled_plan.plans.text.secret_spans import secret_spans

    return _hidden(text, secret_spans(text))


def _hidden(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """Replace spans, which do not overlap, with the mask."""
    parts, done = [], 0
    for start, end in spans:
        parts += [text[done:start], HIDDEN]
        done = end
    return "".join((*parts, text[done:]))


def masked_json(value: Any, key: str = "") -> Any:
    """JSON values of a plan with sensitive ones hidden at any depth."""
    root: tuple[str, Any] = (key, value)
    return fold_tree(root, below, _masked)


def below(place: tuple[str, Any]) -> Sequence[tuple[str, Any]]:
    """The children of a JSON value with their keys, for `fold_tree`; children of a list have the key of the list."""
    key, value = place
    if isinstance(value, dict):
        return list(value.items())
    return [(key, item) for item in value] if isinstance(value, list) else ()


def _masked(place: tuple[str, Any], parts: tuple[Any, ...]) -> Any:
    key, value = place
    if isinstance(value, dict):
        return dict(zip(value, parts, strict=True))
    if isinstance(value, list):
        return list(parts)
    if value is not None and is_sensitive(key):
        return HIDDEN
    return masked_url(value) if isinstance(value, str) else value


def masked_program(text: str) -> str:
    """An SQL or Python program with the values of sensitive options and passwords in URLs hidden."""
    from compiled_plan.plans.text.secret_literals import literal_spans
    from compiled_plan.plans.text.secret_spans import merged

    return _hidden(text, merged(literal_spans(text)))
