"""Completion of SQL: keywords from the grammar, names from the session, options from their declarations."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from compiled_plan.planner.catalog.lakes.access import lakes_read_by
from compiled_plan.planner.catalog.tables import CatalogTable
from compiled_plan.planner.options.session import OPTIONS
from compiled_plan.planner.sql.binding.queries import new_binder
from compiled_plan.planner.sql.binding.source import SourceText
from compiled_plan.planner.sql.binding.views import view_columns
from compiled_plan.planner.sql.binding.writes import writes_of
from compiled_plan.planner.sql.declaring import declare
from compiled_plan.planner.sql.grammar.expecting import expected_after
from compiled_plan.planner.sql.grammar.reserved_words import RESERVED
from compiled_plan.planner.sql.grammar.splitting import split_script
from compiled_plan.planner.sql.grammar.tokens import QUOTED, STRINGS, WORD, Token, read_tokens
from compiled_plan.planner.sql.parse import parse_script
from compiled_plan.plans.connectors.registry import connector_spec, connector_specs, format_spec, format_specs
from compiled_plan.plans.errors import CompiledPlanError
from compiled_plan.plans.text.options import Kind, Option
from compiled_plan.session.functions import function_names_of

if TYPE_CHECKING:
    from compiled_plan.environment import TableEnvironment
    from compiled_plan.planner.catalog.memory import Catalog

_PLAIN_NAME = re.compile(r"[^\W\d]\w*")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A completion.

    Attributes:
        text: the text that replaces the typed one.
        typed: the length of the typed text before the cursor.
        shown: the text for display.
    """

    text: str
    typed: int
    shown: str


def declared(environment: TableEnvironment, script: str) -> None:
    """Execute the complete declarations of a script, without those that are wrong."""
    source = SourceText(script)
    binder = new_binder(source, environment.catalog)
    for piece in split_script(script):
        with suppress(CompiledPlanError):
            for statement in parse_script(piece.text) if piece.complete else ():
                if not writes_of(statement):
                    declare(environment.context, binder, statement)


class Candidates:
    """Completions of the last statement of a text.

    Args:
        environment: the session, with its catalogs, options and jobs.
        commands: further statements of one word.
    """

    def __init__(self, environment: TableEnvironment, commands: Collection[str] = ()) -> None:
        self._environment, self._commands = environment, commands

    @property
    def _catalog(self) -> Catalog:
        return self._environment.catalog

    def at(self, before: str, after: str) -> Iterator[Candidate]:
        """The completions at the cursor between two texts. They read no lake: each would ask its server."""
        with lakes_read_by(None):
            return iter(list(self._at(before, after)))

    def _at(self, before: str, after: str) -> Iterator[Candidate]:
        pieces = split_script(before)
        statement = pieces[-1].text.lstrip() if pieces and not pieces[-1].complete else ""
        statement += before[len(before.rstrip()) :] if statement else ""
        typed = _last_token(statement)
        head = statement[: len(statement) - len(typed)]
        if typed.startswith("'"):
            yield from _starting(typed[1:], self._texts(head), closing="'")
            return
        whole = pieces[-1].text + after if statement else ""
        if head.rstrip().endswith("."):
            yield from _starting(typed, map(_quoted, self._inside(head, whole)))
            return
        words, names = expected_after(head)
        if not head.strip():
            words |= frozenset(self._commands)
        yield from _starting(typed, self._names(names, whole))
        lower = typed != "" and typed == typed.lower()
        yield from _starting(typed, (word.lower() if lower else word for word in sorted(words)))

    # ---- names

    def _names(self, expected: Collection[str], statement: str) -> Iterator[str]:
        """The names that fit the grammar's words for them."""
        for words, names in _NAMES.items():
            if words in expected:
                yield from map(_quoted, sorted(names(self._catalog)))
        if not _COLUMNS.isdisjoint(expected):
            yield from map(_quoted, dict.fromkeys(self._columns(statement)))
        if "an expression" in expected:
            yield from function_names_of(self._catalog)

    def _columns(self, statement: str) -> Iterator[str]:
        """The columns of all tables that a statement names."""
        for token in read_tokens(statement)[0]:
            if token.kind in (WORD, QUOTED):
                yield from self._columns_of((token.text,))
        for database in self._catalog.database_names():
            for name in self._catalog.names((database,)):
                if database != self._catalog.current_database and name in statement:
                    yield from self._columns_of((database, name))

    def _columns_of(self, name: tuple[str, ...]) -> list[str]:
        try:
            item = self._catalog.find(name)
            if isinstance(item, CatalogTable):
                return [column.name for column in item.columns]
            return [] if item is None else list(view_columns(item)[0])
        except CompiledPlanError:
            return []

    def _inside(self, head: str, statement: str) -> Iterator[str]:
        """The names after `table.`, `alias.`, `database.` and `catalog.`."""
        tokens = read_tokens(head)[0]
        path: list[str] = []
        while len(tokens) > 1 and tokens[-1].kind == "." and tokens[-2].kind in (WORD, QUOTED):
            path.insert(0, tokens[-2].text)
            tokens = tokens[:-2]
        if not path:
            return
        yield from self._columns_of(tuple(path))
        if len(path) == 1:
            for table in _aliased(path[0], read_tokens(statement)[0]):
                yield from self._columns_of(table)
        catalog = self._catalog
        if len(path) == 1 and path[0] in catalog.catalog_names():
            yield from catalog.database_names(path[0])
        try:
            yield from catalog.names(tuple(path)) if len(path) < 3 else ()
        except CompiledPlanError:
            return

    # ---- texts

    def _texts(self, head: str) -> Iterator[str]:
        """The contents of a string that begins at the end of a text."""
        tokens = read_tokens(head)[0]
        words = [token.text.upper() for token in tokens if token.kind == WORD]
        if words[:1] in (["SET"], ["RESET"]):
            keys = [token for token in tokens if token.kind in STRINGS]
            if not keys:
                yield from OPTIONS
            elif tokens[-1].kind == "=" and (option := OPTIONS.get(keys[-1].text)) is not None:
                yield from _values(option)
        elif words[-1:] == ["JOB"]:
            yield from (job.id for job in self._environment.context.jobs if job.running or words[0] != "STOP")
        elif tokens and tokens[-1].kind in ("(", ",", "="):
            yield from _of_table(tokens)


def _of_table(tokens: list[Token]) -> Iterator[str]:
    """The options of a table, or the values of one, behind the tokens of its WITH."""
    texts = [token.text for token in tokens if token.kind in STRINGS]
    options = {
        left.text: right.text
        for left, sign, right in zip(tokens, tokens[1:], tokens[2:], strict=False)
        if sign.kind == "=" and {left.kind, right.kind} <= STRINGS
    }
    connector = connector_spec(options.get("connector"))
    if tokens[-1].kind != "=":
        yield from ("connector",) if "connector" not in options else ()
        if connector is not None:
            yield from (name for name in connector.options if name not in options)
        for key, name in options.items():
            form = format_spec(name) if key.split(".")[-1] == "format" else None
            if form is not None:
                yield from (f"{name}.{option}" for option in form.options)
    elif texts[-1:] == ["connector"]:
        yield from connector_specs()
    elif texts and texts[-1].split(".")[-1] == "format":
        yield from format_specs()
    elif connector is not None and texts and (option := connector.options.get(texts[-1])) is not None:
        yield from _values(option)


def _values(option: Option) -> tuple[str, ...]:
    return ("true", "false") if option.kind is Kind.BOOLEAN else option.choices


def _last_token(text: str) -> str:
    """The word, quoted name or unclosed text at the end of a text; empty if there is none."""
    tokens, unclosed = read_tokens(text)
    if unclosed is not None:
        return text[tokens[-1].end if tokens else 0 :].lstrip()
    if tokens and tokens[-1].end == len(text) and tokens[-1].kind in (WORD, QUOTED):
        return text[tokens[-1].start :]
    return ""


def _aliased(alias: str, tokens: list[Token]) -> Iterator[tuple[str, ...]]:
    """The names of tables with an alias: `orders AS o`, `orders o`."""
    for at, token in enumerate(tokens):
        if token.text == alias and token.kind in (WORD, QUOTED):
            last = at - 1
            if last >= 0 and tokens[last].kind == WORD and tokens[last].text.upper() == "AS":
                last -= 1
            path: list[str] = []
            while last >= 0 and tokens[last].kind in (WORD, QUOTED):
                path.insert(0, tokens[last].text)
                if last < 2 or tokens[last - 1].kind != ".":
                    break
                last -= 2
            if path:
                yield tuple(path)


def _quoted(name: str) -> str:
    """A name as SQL has it."""
    if _PLAIN_NAME.fullmatch(name) and name.upper() not in RESERVED:
        return name
    return "`" + name.replace("`", "``") + "`"


def _starting(typed: str, texts: Iterable[str], closing: str = "") -> Iterator[Candidate]:
    """The texts that begin with what is typed, in any case and with or without backticks."""
    wanted = typed.strip("`").lower()
    for text in texts:
        if text.strip("`").lower().startswith(wanted):
            yield Candidate(text + closing, len(typed), text)


#: The names for the grammar's words for them.
_NAMES: dict[str, Callable[[Catalog], Collection[str]]] = {
    "a table name": lambda catalog: [*catalog.names(), *catalog.database_names()],
    "a view name": lambda catalog: catalog.view_names(),
    "a function name": lambda catalog: catalog.functions.names(),
    "a database name": lambda catalog: catalog.database_names(),
    "a catalog name": lambda catalog: catalog.catalog_names(),
    "a module name": lambda catalog: catalog.modules.names(),
    "a model name": lambda catalog: catalog.models.names(*catalog.database_path(())),
}
_COLUMNS = frozenset({"an expression", "a column name", "the time column"})
