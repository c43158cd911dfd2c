"""What a misspelt name may have meant."""

from __future__ import annotations

from collections.abc import Iterable


def did_you_mean(name: str, known: Iterable[str], otherwise: str = "") -> str:
    """A remedy that names the nearest of the known names, else lists them (at most ten), else `otherwise`."""
    from difflib import get_close_matches

    choices = sorted(set(known))
    folded = {choice.lower(): choice for choice in choices}
    close = get_close_matches(name.lower(), folded, n=1)
    if close:
        return f"did you mean {folded[close[0]]!r}? (names are case-sensitive)"
    if choices and not otherwise:
        rest = ", ..." if len(choices) > 10 else ""
        return f"there are: {', '.join(choices[:10])}{rest}"
    return otherwise
