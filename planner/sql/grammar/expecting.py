"""The words and names that the grammar accepts next: a parser that records what it looks for at the end of a text."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress
from typing import NoReturn

from compiled_plan.planner.sql.grammar.primaries import QUERY_STARTS
from compiled_plan.planner.sql.grammar.script import STARTERS, Script
from compiled_plan.planner.sql.grammar.tokens import END
from compiled_plan.planner.sql.nodes import Identifier
from compiled_plan.planner.sql.nodes.statements import Statement
from compiled_plan.plans.deep import deeply
from compiled_plan.plans.errors import CompiledPlanError


class Expecting(Script):
    """Parser of the beginning of a statement.

    Args:
        text: the statement up to a position.

    Raises:
        ProgramError: a string, quoted name or comment is not closed.
    """

    def __init__(self, text: str) -> None:
        super().__init__(text)
        #: Keywords in capitals.
        self.words: set[str] = set()
        #: The grammar's words for names and values, such as "a table name".
        self.name_words: set[str] = set()

    def at(self, *words: str) -> bool:
        for ahead, word in enumerate(words):
            if self.peek_word(ahead) != word:
                if self.peek(ahead).kind == END:
                    self.words.add(word)
                return False
        return True

    def at_any(self, words: Collection[str]) -> bool:
        if self.at_end():
            self.words.update(words)
        return super().at_any(words)

    def take_any(self, words: Collection[str]) -> str:
        if self.at_end():
            self.words.update(words)
        return super().take_any(words)

    def name(self, expected: str = "a name", reserved: Collection[str] = ()) -> Identifier:
        if self.at_end():
            self.name_words.add(expected)
        return super().name(expected, reserved)

    def string(self, expected: str = "a string in single quotes", *, on_new_lines: bool = False) -> str:
        if self.at_end():
            self.name_words.add(expected)
        return super().string(expected, on_new_lines=on_new_lines)

    def fail_expected(self, expected: str, *, remedy: str = "") -> NoReturn:
        if self.at_end():
            self.name_words.add(expected)
        super().fail_expected(expected, remedy=remedy)

    def at_query(self) -> bool:
        if self.at_end():
            self.words.update(QUERY_STARTS)
        return super().at_query()

    def parse_statement(self) -> Statement:
        if self.at_end():
            self.words |= STARTERS
        return super().parse_statement()


@deeply
def expected_after(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """The keywords, and the grammar's words for names and values, that may follow the beginning of a statement."""
    try:
        parser = Expecting(text)
    except CompiledPlanError:
        return frozenset(), frozenset()
    with suppress(CompiledPlanError):
        parser.parse_statement()
    return frozenset(word for word in parser.words if word.isidentifier()), frozenset(parser.name_words)
