"""The known word that a misspelt one resembles, for remedies of errors."""

from __future__ import annotations

from collections.abc import Iterable


def nearest_word(word: str, known: Iterable[str], cutoff: float = 0.6) -> str:
    """The most similar known word; empty if none reaches `cutoff`, a similarity from 0 to 1."""
    from difflib import get_close_matches  # loads slowly, and only errors need it

    return next(iter(get_close_matches(word, list(known), n=1, cutoff=cutoff)), "")
