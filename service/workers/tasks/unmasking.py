"""Masked secrets in programs, and their values from the version in force.

An editor of a program must neither learn its secrets, nor have a run send them elsewhere, nor read other data with
them. A masked value is therefore restored only in its old place, the WITH clause of the same table, if all options that
may decide its destination and the data there are unchanged: server, driver, database, table, topic.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from compiled_plan.planner.sql.grammar.tokens import tokenize
from compiled_plan.planner.sql.nodes.statements import CreateTable
from compiled_plan.planner.sql.parse import parse_script
from compiled_plan.plans.connectors.registry import connector_spec
from compiled_plan.plans.errors import CompiledPlanError, PlanError, ProgramError
from compiled_plan.plans.text.masking import HIDDEN, masked_program
from compiled_plan.plans.text.options import Kind
from compiled_plan.plans.text.position import render, span_at
from compiled_plan.plans.text.secrets import hidden, secrets_in
from compiled_plan.plans.types.base import quote_string
from compiled_plan.service.common.outside import objects_of

Options = Mapping[str, str]
_REMEDY = "write the value"
#: Kinds of options that name no host, file or class.
_HARMLESS = frozenset(
    {Kind.BOOLEAN, Kind.INTEGER, Kind.COUNT, Kind.POSITIVE, Kind.NUMBER, Kind.RATE, Kind.DURATION, Kind.MEMORY}
)


@dataclass(frozen=True, slots=True)
class Filled:
    """A program with restored secrets.

    Args:
        text: the text of the program.
        secrets: the restored options with their values.
        origins: the options of the tables in the version in force.
    """

    text: str
    secrets: frozenset[tuple[str, str]] = frozenset()
    origins: Sequence[Options] = field(default_factory=tuple)

    @contextmanager
    def unseen(self) -> Iterator[None]:
        """Mask restored secrets in errors raised in the block."""
        try:
            yield
        except CompiledPlanError as fault:
            if not self.secrets:
                raise
            raise ProgramError(self.hide(fault.message), where=self.hide(fault.where), remedy=fault.remedy) from None

    def hide(self, text: str) -> str:
        """Mask restored secrets in a text."""
        return hidden(text, secrets_in(dict(self.secrets)) | {quote_string(value)[1:-1] for _, value in self.secrets})

    def check(self, plan: object) -> None:
        """Raise if a plan sends a secret elsewhere by LIKE, ALTER or a hint.

        Raises:
            PlanError: with the option.
        """
        for options in _tables(plan):
            for key, value in self.secrets:
                if options.get(key) == value and not any(
                    origin.get(key) == value and _target(origin) == _target(options) for origin in self.origins
                ):
                    raise _moved(key, "a table of the program")


@dataclass(frozen=True, slots=True)
class _Known:
    """The program in force and its tables, original and masked."""

    text: str
    tables: Sequence[CreateTable]
    shown: str
    shown_tables: Sequence[CreateTable]


def fill(text: str, known: str, plan: object) -> Filled:
    """Restore the masked values of a program.

    Args:
        text: the program, with secrets, or secret parts of values, masked as `******`.
        known: the program in force; empty if there is none.
        plan: the JSON of its plan, or None.

    Raises:
        ProgramError: the program is not valid Flink SQL.
        PlanError: a value is unknown, or would be sent elsewhere.
    """
    if HIDDEN not in text:
        return Filled(text)
    before, tables = _known_tables(known), _create_tables(text)
    edits: list[tuple[int, int, str]] = []
    secrets: set[tuple[str, str]] = set()
    for table in tables:
        keys = [key for key, value in table.options.items() if HIDDEN in value]
        if not keys:
            continue
        where = render(table.option_spans[keys[0]], text)
        options = _filled(table, keys, before, where)
        for key in keys:
            span = table.option_spans[key]
            edits.append((span.start, span.end, f"{quote_string(key)} = {quote_string(options[key])}"))
            secrets.add((key, options[key]))
    _check_elsewhere(text, tables, before)
    for start, end, option in sorted(edits, reverse=True):
        text = text[:start] + option + text[end:]
    return Filled(text, frozenset(secrets), [*(table.options for table in before.tables), *_tables(plan)])


def check_complete(plan: object) -> None:
    """Raise if a plan contains masked secrets, like plans in the service's responses.

    Raises:
        PlanError: with the option.
    """
    for options in _tables(plan):
        for key, value in options.items():
            if HIDDEN in value:
                raise PlanError(
                    f"the value of {key!r} is masked in this plan",
                    where=f"{key}={value}",
                    remedy="submit the original plan file, with its secrets",
                )


def _known_tables(text: str) -> _Known:
    """The tables of the program in force; none for a Python program."""
    shown = masked_program(text)
    try:
        program = _Known(text, _create_tables(text), shown, _create_tables(shown))
    except CompiledPlanError:
        return _Known("", (), "", ())
    return program if len(program.tables) == len(program.shown_tables) else _Known(text, (), shown, ())


def _create_tables(text: str) -> Sequence[CreateTable]:
    return [statement for statement in parse_script(text) if isinstance(statement, CreateTable)]


def _filled(table: CreateTable, keys: Sequence[str], known: _Known, where: str) -> Options:
    is_known = False
    for old, shown in zip(known.tables, known.shown_tables, strict=True):
        if old.name != table.name or any(shown.options.get(key) != table.options[key] for key in keys):
            continue
        is_known = True
        options = {**table.options, **{key: old.options[key] for key in keys}}
        if _target(options) == _target(old.options):
            return options
    if is_known:
        raise _moved(keys[0], where)
    raise PlanError(
        f"the value of {keys[0]!r} is masked here, but the table has no such value in the version in force",
        where=where,
        remedy=_REMEDY,
    )


def _moved(key: str, where: str) -> PlanError:
    return PlanError(
        f"the value of {key!r} is masked here, but other options of its table differ from the version in force",
        where=where,
        remedy="write the secrets of a table again when its connector, address, driver, table or topic changes",
    )


def _target(options: Options) -> Options:
    """The options that may decide what a secret gives access to: all options not known to be harmless."""
    spec = connector_spec(options.get("connector"))
    declared = {} if spec is None else spec.options
    return {key: value for key, value in options.items() if key not in declared or declared[key].kind not in _HARMLESS}


def _tables(plan: object) -> Iterator[Options]:
    """The options of all tables of a plan."""
    for table in objects_of(plan, "options"):
        yield {name: value for name, value in table.value.items() if isinstance(value, str)}


def _check_elsewhere(text: str, tables: Sequence[CreateTable], known: _Known) -> None:
    """Raise if a masked value is outside of a table's options, where it would be used literally."""
    masked = _literals(known.shown, known.shown_tables).values()
    shown = set(masked) - set(_literals(known.text, known.tables).values())
    for start, literal in _literals(text, tables).items():
        if HIDDEN in literal and literal in shown:
            raise PlanError(
                "the value is masked here, but can be restored only in the options of a table",
                where=render(span_at(text, start, start + len(literal)), text),
                remedy=_REMEDY,
            )


def _literals(text: str, tables: Sequence[CreateTable]) -> dict[int, str]:
    """Tokens with a masked value outside of table options, by position."""
    spans = [span for table in tables for span in table.option_spans.values()]
    tokens = {token.start: text[token.start : token.end] for token in tokenize(text)}
    return {
        start: literal
        for start, literal in tokens.items()
        if HIDDEN in literal and not any(span.start <= start < span.end for span in spans)
    }
