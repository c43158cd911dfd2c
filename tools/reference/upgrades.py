"""The table of kinds of change, from the kinds that the tests run."""

from __future__ import annotations

from compiled_plan.plans.inspection.judging.verdicts import Verdict
from tests.upgrades.kinds import FAMILIES, KINDS
from tests.upgrades.kinds.model import Elsewhere, Kind
from tools.reference.markdown import code, table

#: The kinds in the README's table, by name.
SHORT = (
    "statements-swapped",
    "wider-argument",
    "aggregate-added",
    "filter-in-front-of-an-aggregate",
    "inner-to-left",
    "another-grouping",
)
_TITLES = ("change of the program", "here", "in Flink", "in plain Spark")


def changes() -> str:
    """All kinds by family, with the names of their tests."""
    return "\n\n".join(f"### {title}\n\n{_family(kinds)}" for title, kinds in FAMILIES.items())


def some() -> str:
    """The kinds of `SHORT`."""
    kinds = {kind.name: kind for kind in KINDS}
    return table(_TITLES, (_cells(kinds[name]) for name in SHORT))


def _family(kinds: tuple[Kind, ...]) -> str:
    return table((*_TITLES, "test"), ((*_cells(kind), _test(kind)) for kind in kinds))


def _test(kind: Kind) -> str:
    return code(kind.name) + ("" if kind.wrong is None else " \\*")


def _cells(kind: Kind) -> tuple[str, ...]:
    return kind.change, _here(kind), _strong(kind.flink), _strong(kind.spark)


def _here(kind: Kind) -> str:
    refused = kind.verdict in (Verdict.INCOMPATIBLE, Verdict.UNKNOWN)
    words = "refused" if refused else kind.verdict.value
    return f"{words}: {kind.note}" if kind.note else words


def _strong(outcome: Elsewhere) -> str:
    return f"**{outcome.value}**" if outcome is Elsewhere.WRONG else outcome.value
