"""LIKE of CREATE TABLE: inherited features of the base table, and their overwriting.

Source: Flink's "CREATE TABLE ... LIKE" section. The default is INCLUDING ALL, OVERWRITING OPTIONS.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from compiled_plan.planner.sql.binding.source import SourceText
from compiled_plan.planner.sql.nodes import statements as st
from compiled_plan.plans.errors import ProgramError

_FEATURES = ("CONSTRAINTS", "DISTRIBUTION", "GENERATED", "METADATA", "OPTIONS", "PARTITIONS", "WATERMARKS")
_OVERWRITABLE = ("GENERATED", "METADATA", "OPTIONS", "WATERMARKS")


@dataclass(frozen=True)
class LikeRules:
    """The strategy (INCLUDING, EXCLUDING, OVERWRITING) of every feature."""

    strategies: Mapping[str, str]

    @classmethod
    def of(cls, like: st.LikeClause | None, source: SourceText) -> LikeRules:
        """The rules of a LIKE clause.

        Raises:
            ProgramError: a feature given twice, or OVERWRITING of a feature that cannot be overwritten.
        """
        rules = dict.fromkeys(_FEATURES, "INCLUDING") | {"OPTIONS": "OVERWRITING"}
        if like is None:
            return cls(rules)
        features: set[str] = set()
        for option in like.options:
            if option.feature in features:
                raise source.error_at(like.span, f"LIKE option {option.feature} is given twice", "give it once")
            features.add(option.feature)
            if option.strategy == "OVERWRITING" and option.feature not in _OVERWRITABLE:
                raise source.error_at(
                    like.span,
                    f"OVERWRITING {option.feature} is not possible",
                    f"OVERWRITING works for {', '.join(_OVERWRITABLE)}",
                )
        for option in sorted(like.options, key=lambda item: item.feature != "ALL"):
            # ALL covers every feature; a feature by name overrides it.
            for feature in _FEATURES if option.feature == "ALL" else (option.feature,):
                rules[feature] = option.strategy
        return cls(rules)

    def includes(self, feature: str) -> bool:
        """Return True if the base table's feature is inherited."""
        return self.strategies[feature] != "EXCLUDING"

    def overwrites(self, feature: str) -> bool:
        """Return True if the new table may redefine the feature."""
        return self.strategies[feature] == "OVERWRITING"


def merge_options(
    base: tuple[tuple[str, str], ...], new: Mapping[str, str], rules: LikeRules, source: SourceText
) -> tuple[tuple[str, str], ...]:
    """The merged connector options of both tables.

    Raises:
        ProgramError: an option of both, without OVERWRITING.
    """
    merged = dict(base)
    for key, value in new.items():
        if key in merged and not rules.overwrites("OPTIONS"):
            raise ProgramError(
                f"the base table already has the option {key!r} (it is {merged[key]!r})",
                remedy="write EXCLUDING OPTIONS or OVERWRITING OPTIONS in LIKE",
            )
        merged[key] = value
    return tuple(merged.items())
