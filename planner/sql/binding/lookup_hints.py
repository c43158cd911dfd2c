"""The hint LOOKUP: retries of lookup joins. Options of asynchronous lookups are checked and have no effect.

Source: Flink's "Hints" page, "LOOKUP Hint"; the checks of Flink 2.3. Flink ignores unknown keys and, of several hints
for one table, all but the first.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence

from compiled_plan.planner.algebra.nodes import Hint
from compiled_plan.planner.sql import nodes as ast
from compiled_plan.planner.sql.binding.source import SourceText
from compiled_plan.plans.errors import CompiledPlanError, ProgramWarning
from compiled_plan.plans.text.durations import parse_duration

LOOKUP = "LOOKUP"
#: The key whose value is the alias of the looked-up table.
TABLE = "table"
_RETRY = ("retry-predicate", "retry-strategy", "fixed-delay", "max-attempts")
_ALL_RETRY = "'retry-predicate'='lookup_miss', 'retry-strategy'='fixed_delay', 'fixed-delay'='10 s', 'max-attempts'='3'"


def _one_of(*words: str) -> Callable[[str], str]:
    def check(text: str) -> str:
        return "" if text.lower() in words else f"it is {' or '.join(words)}"

    return check


def _whole(text: str) -> str:
    try:
        number = int(text)
    except ValueError:
        return "it is a whole number above 0"
    return "" if number > 0 else "it is a whole number above 0"


def _duration(text: str) -> str:
    try:
        parse_duration(text)
    except CompiledPlanError as fault:
        return fault.message
    return ""


#: The keys, with the check of a value: an empty text, or what is wrong.
_OPTIONS: dict[str, Callable[[str], str]] = {
    TABLE: lambda text: "",
    "async": _one_of("true", "false"),
    "output-mode": _one_of("ordered", "allow_unordered"),
    "capacity": _whole,
    "timeout": _duration,
    "retry-predicate": _one_of("lookup_miss"),
    "retry-strategy": _one_of("fixed_delay"),
    "fixed-delay": _duration,
    "max-attempts": _whole,
    "shuffle": _one_of("true", "false"),
}


def check_lookup(node: ast.TableHint, source: SourceText) -> None:
    """Check the options of a LOOKUP hint, and warn of unknown ones.

    Raises:
        ProgramError: no table, a wrong value, or a part of the options of retries.
    """
    if node.arguments or TABLE not in node.options:
        raise source.error(node, "LOOKUP needs the key 'table'", "write LOOKUP('table' = 'alias', ...)")
    for pair in node.pairs:
        if pair.key not in _OPTIONS:
            _warn_of_unknown(pair, source)
            continue
        wrong = _OPTIONS[pair.key](pair.value)
        if wrong:
            raise source.error(pair, f"invalid value {pair.value!r} of {pair.key!r} in LOOKUP", wrong)
    options = [key for key in _RETRY if key in node.options]
    if options and len(options) < len(_RETRY):
        missing = ", ".join(repr(key) for key in _RETRY if key not in options)
        raise source.error(
            node, f"LOOKUP retries only with all of its options, it lacks {missing}", f"add {_ALL_RETRY}"
        )


def _warn_of_unknown(pair: ast.HintOption, source: SourceText) -> None:
    place = source.where(pair).partition("\n")[0]
    message = f"the key {pair.key!r} of LOOKUP has no effect ({place}): known are {', '.join(_OPTIONS)}"
    warnings.warn(message, ProgramWarning, stacklevel=2)


def lookup_hint(hints: Sequence[Hint], names: Sequence[str]) -> Hint | None:
    """The first LOOKUP hint for a table with one of these names."""
    return next((hint for hint in hints if hint.name == LOOKUP and dict(hint.options)[TABLE] in names), None)
