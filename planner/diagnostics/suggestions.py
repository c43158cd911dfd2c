"""Suggestions for misspelt names."""

from __future__ import annotations

from collections.abc import Iterable


def did_you_mean(name: str, known: Iterable[str], otherwise: str = "") -> str:
    """A remedy with the nearest known name, else a list of them (at most ten), else `otherwise`."""
    from difflib import get_close_matches

    choices = sorted(set(known))
    folded = {choice.lower(): choice for choice in choices}
    # In a short name one letter matters much; in a long one half of the letters match by chance.
    close = get_close_matches(name.lower(), folded, n=1, cutoff=0.6 if len(name) < 5 else 0.7)
    if close:
        suggestion = folded[close[0]]
        note = " (names are case-sensitive)" if suggestion.lower() == name.lower() else ""
        return f"did you mean {suggestion!r}?{note}"
    if choices and not otherwise:
        rest = ", ..." if len(choices) > 10 else ""
        return f"there are: {', '.join(choices[:10])}{rest}"
    return otherwise
