"""Query hints: STATE_TTL on joins and aggregates, LOOKUP on lookup joins, OPTIONS on tables, LATE_ROWS on sources.

Source: Flink's "Hints" page, and Flink 2.3: a STATE_TTL key must name an input of the join or aggregate that the
hint applies to; a block with neither ignores the hint and its keys. Of several STATE_TTL hints the first that names an
input holds; within one hint the last.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace

from compiled_plan.planner.algebra.nodes import Hint
from compiled_plan.planner.catalog.tables import CatalogTable
from compiled_plan.planner.diagnostics.suggestions import did_you_mean
from compiled_plan.planner.sql import nodes as ast
from compiled_plan.planner.sql.binding.lookup_hints import LOOKUP, TABLE, check_lookup
from compiled_plan.planner.sql.binding.source import SourceText
from compiled_plan.plans.errors import ProgramError, ProgramWarning
from compiled_plan.plans.text.durations import parse_duration, warn_of_bare_number

#: Join strategy hints; they do not affect a streaming plan, but must name inputs all the same.
JOIN_HINTS = frozenset(("BROADCAST", "SHUFFLE_HASH", "SHUFFLE_MERGE", "NEST_LOOP", "MULTI_JOIN"))
STATE_TTL = "STATE_TTL"
LATE_ROWS = "LATE_ROWS"
_KNOWN = frozenset((STATE_TTL, "OPTIONS", LOOKUP, LATE_ROWS, *JOIN_HINTS))


def bind_block_hints(hints: Sequence[ast.TableHint], source: SourceText) -> tuple[Hint, ...]:
    """The hints of `SELECT /*+ ... */`; only one STATE_TTL names an input.

    Raises:
        ProgramError: unknown hint, a STATE_TTL that is no list of durations, or a LOOKUP with wrong options.
    """
    bound: list[Hint] = []
    inputs: set[str] = set()
    for node in hints:
        hint = _block_hint(node, source)
        if hint.name == STATE_TTL:
            options = tuple((key, value) for key, value in hint.options if key not in inputs)
            inputs.update(key for key, _ in options)
            hint = replace(hint, options=options)
        bound.append(hint)
    return tuple(bound)


def _block_hint(node: ast.TableHint, source: SourceText) -> Hint:
    if node.name == STATE_TTL:
        if node.arguments or not node.options:
            raise source.error(node, "STATE_TTL takes keys and values", "write STATE_TTL('table' = '1 d')")
        for pair in node.pairs:
            with source.at(pair):
                parse_duration(pair.value)
            warn_of_bare_number(pair.value, f"the hint STATE_TTL of {pair.key!r}")
        # Flink ignores all but the last part of a name.
        options = {key.rpartition(".")[2]: value for key, value in node.options.items()}
        return Hint(node.name, tuple(options.items()), (), source.where(node))
    if node.name == "OPTIONS":
        _check_options(node, source)
        _warn_without_effect(node, source, "it goes behind a table's name")
    elif node.name == LOOKUP:
        check_lookup(node, source)
    elif node.name == LATE_ROWS:
        _check_late_rows(node, source)
    elif node.name not in JOIN_HINTS:
        raise _unknown(node, source)
    return Hint(node.name, tuple(node.options.items()), tuple(node.arguments), source.where(node))


def _check_late_rows(node: ast.TableHint, source: SourceText) -> None:
    if node.arguments or not node.options:
        raise source.error(node, f"{LATE_ROWS} takes keys and values", f"write {LATE_ROWS}('table' = 'late_rows')")


def check_names(hints: Sequence[Hint], names: Sequence[str]) -> None:
    """Raise for hints whose keys name no input of the block.

    Raises:
        ProgramError: names the key and the inputs.
    """
    for hint in hints:
        keys = [key for key, _ in hint.options] if hint.name == STATE_TTL else list(hint.arguments)
        if hint.name == LOOKUP:
            keys = [dict(hint.options)[TABLE]]
        for key in keys:
            if key not in names:
                raise ProgramError(
                    f"hint {hint.name} names {key!r}, which is no table, view or alias of this query's inputs",
                    where=hint.where,
                    remedy=did_you_mean(
                        key, [name for name in names if name], "name a table by its alias, if it has one"
                    ),
                )


def bind_table_hints(hints: Sequence[ast.TableHint], source: SourceText) -> tuple[Hint, ...]:
    """The first OPTIONS hint after a table's name, as in Flink; warns of the others.

    Raises:
        ProgramError: no such hint, or OPTIONS without keys and values.
    """
    bound: list[Hint] = []
    for node in hints:
        if node.name != "OPTIONS":
            if node.name not in _KNOWN:
                raise _unknown(node, source)
            _warn_without_effect(node, source, "it goes behind SELECT")
            continue
        _check_options(node, source)
        if bound:
            _warn_without_effect(node, source, "the first OPTIONS alone holds, as in Flink; put all keys into it")
        else:
            places = tuple((pair.key, source.where(pair)) for pair in node.pairs)
            bound.append(Hint(node.name, tuple(node.options.items()), (), source.where(node), places))
    return tuple(bound)


def ignore_hints(hints: Sequence[ast.TableHint], source: SourceText) -> None:
    """Warn of hints after the name of a WITH query, which Flink ignores."""
    for node in hints:
        _warn_without_effect(node, source, "options are those of tables: put it into the WITH query")


def _check_options(node: ast.TableHint, source: SourceText) -> None:
    if node.arguments or not node.options:
        raise source.error(node, "OPTIONS takes keys and values", "write OPTIONS('key' = 'value')")


def _unknown(node: ast.TableHint, source: SourceText) -> ProgramError:
    return source.error(node, f"no hint is named {node.name!r}", did_you_mean(node.name, sorted(_KNOWN)))


def _warn_without_effect(node: ast.TableHint, source: SourceText, remedy: str) -> None:
    place = source.where(node).partition("\n")[0]
    warnings.warn(f"the hint {node.name} has no effect ({place}): {remedy}", ProgramWarning, stacklevel=2)


def with_options(table: CatalogTable, hints: Sequence[Hint]) -> CatalogTable:
    """The table with the options of OPTIONS hints overriding its own."""
    options, places = dict(table.options), dict(table.places)
    for hint in hints:
        options.update(hint.options)
        places.update(hint.places)
    return replace(table, options=tuple(options.items()), places=places) if hints else table
