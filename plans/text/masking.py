"""Masking of secrets wherever the content of a plan is displayed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from compiled_plan.plans.deferred import deferred
from compiled_plan.plans.text.concealing import HIDDEN as HIDDEN
from compiled_plan.plans.text.concealing import concealed
from compiled_plan.plans.text.references import has_reference, references
from compiled_plan.plans.text.secret_keys import is_sensitive as is_sensitive
from compiled_plan.plans.trees import fold_tree

if TYPE_CHECKING:
    from compiled_plan.plans.text import secret_literals, secret_spans
else:
    # Compiling the patterns takes time, and compile-plan masks nothing.
    secret_spans = deferred("compiled_plan.plans.text.secret_spans")
    secret_literals = deferred("compiled_plan.plans.text.secret_literals")


def masked(options: Mapping[str, str]) -> dict[str, str]:
    """Options with sensitive values hidden; references to secrets stay."""
    return {key: masked_value(key, value) for key, value in options.items()}


def masked_value(key: str, value: str) -> str:
    """The value of an option, hidden if it is sensitive."""
    return (_hidden(value, [(0, len(value))]) or HIDDEN) if is_sensitive(key) else masked_url(value)


def shown_value(key: str, value: str) -> str:
    """The value of an option in quotes, or the mask of a sensitive one."""
    shown = masked_value(key, value)
    return shown if shown == HIDDEN else f"'{shown}'"


def holds_secret(key: str, value: str) -> bool:
    """Return True if the value of an option is a secret in clear, or a URL with one."""
    if not value.strip() or has_reference(value) or not is_sensitive(key) or key.lower().endswith(_NO_SECRETS):
        # The patterns of URLs take long to load.
        may_hold = "://" in value or "jdbc:" in value.lower() or is_sensitive(value)
        return may_hold and masked_url(value) != value
    return True


#: Ends of sensitive names whose values describe a secret, and are none.
_NO_SECRETS = ("url", "uri", "source", "location", "path", "class", "type", "provider", "seconds", "-ms", ".ms")


def masked_url(text: str) -> str:
    """A value, possibly a URL, with its secrets hidden."""
    return _hidden(text, secret_spans.secret_spans(text, whole=True))


def masked_text(text: str) -> str:
    """A text with the values of sensitive options (`OPTIONS options:{password=x}`) and passwords in URLs hidden."""
    return concealed(_hidden(text, secret_spans.secret_spans(text)))


def _hidden(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """Replace spans, which do not overlap, with the mask; references to secrets in them stay."""
    parts, done = [], 0
    for start, end in spans:
        if end <= done:  # within a reference that ends behind the span
            continue
        start = max(start, done)
        parts.append(text[done:start])
        done = start
        for match in references(text):
            if match["name"] and done < match.end() and match.start() < end:
                parts += [HIDDEN if done < match.start() else "", match[0]]
                done = match.end()
        parts.append(HIDDEN if done < end else "")
        done = max(done, end)
    return "".join((*parts, text[done:]))


def masked_json(value: object, key: str = "") -> object:
    """JSON values of a plan with sensitive ones hidden at any depth."""
    root: tuple[str, object] = (key, value)
    return fold_tree(root, below, _masked)


def below(place: tuple[str, object]) -> Sequence[tuple[str, object]]:
    """The children of a JSON value with their keys, for `fold_tree`; children of a list have the key of the list."""
    key, value = place
    if isinstance(value, dict):
        return list(value.items())
    return [(key, item) for item in value] if isinstance(value, list) else ()


def _masked(place: tuple[str, object], parts: tuple[object, ...]) -> object:
    key, value = place
    if isinstance(value, dict):
        return dict(zip(value, parts, strict=True))
    if isinstance(value, list):
        return list(parts)
    if value is not None and is_sensitive(key):
        return masked_value(key, value) if isinstance(value, str) else HIDDEN
    return masked_url(value) if isinstance(value, str) else value


def masked_program(text: str) -> str:
    """An SQL or Python program with the values of sensitive options and passwords in URLs hidden."""
    return _hidden(text, secret_spans.merged(secret_literals.literal_spans(text)))
