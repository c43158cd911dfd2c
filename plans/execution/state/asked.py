"""What a person asks of state in texts: `--what-if left=3d`, `--key id=5`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from compiled_plan.plans.errors import CheckpointError, PlanError
from compiled_plan.plans.execution.state.figures import Tried
from compiled_plan.plans.execution.state.reader import StoredOperator
from compiled_plan.plans.text.durations import parse_duration


def tried_of(texts: Sequence[str], operator: StoredOperator | None) -> Tried:
    """The TTLs that texts give: `3d` for all entries, `leftState=3d`, `left=3d` or `0=3d` for one.

    Args:
        texts: what was asked.
        operator: the operator that is asked for; None: all of them, whose entries have no name then.

    Raises:
        CheckpointError: no entry of that name, or no duration.
    """
    everywhere: int | None = None
    own: dict[int, int] = {}
    for text in texts:
        name, equals, duration = text.rpartition("=")
        ttl = _duration(duration, text)
        if not equals:
            everywhere = ttl
        elif operator is None:
            raise CheckpointError(
                f"--what-if {text} names an entry, and no operator is named",
                remedy=f"name one, or give --what-if {duration} for all",
            )
        else:
            own[_index(operator, name.strip(), text)] = ttl

    def tried(each: StoredOperator, at: int) -> int | None:
        if not each.spec["ttl"]:
            return None
        return own.get(at if len(each.spec["ttl"]) > 1 else 0, everywhere)

    return tried


def _duration(text: str, whole: str) -> int:
    try:
        return parse_duration(text)
    except PlanError as fault:
        raise CheckpointError(f"--what-if {whole}: {fault.message}", remedy=fault.remedy) from None


def _index(operator: StoredOperator, name: str, text: str) -> int:
    """The number of the input that a name or a number stands for; `left` is `leftState`."""
    names = {line.entry: line.index for line in operator.lines}
    short = {entry.removesuffix("State"): at for entry, at in names.items()}
    numbers = {str(at): at for at in names.values()}
    found = {**numbers, **short, **names}.get(name)
    if found is None:
        known = ", ".join(names) or "none"
        raise CheckpointError(
            f"--what-if {text}: operator {operator.uid} has no state entry {name} with a TTL",
            remedy=f"its entries: {known}",
        )
    return found


def key_of(texts: Sequence[str]) -> Mapping[str, str]:
    """The values of key columns that texts give: `id=5`.

    Raises:
        CheckpointError: not of that form, or a column twice.
    """
    found: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise CheckpointError(
                f"--key {text} is no column with a value", remedy="write --key id=5, or --key id=NULL"
            )
        if name.strip() in found:
            raise CheckpointError(f"--key {name.strip()} is there twice", remedy="give each column once")
        found[name.strip()] = value
    return found
