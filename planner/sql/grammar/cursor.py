"""Cursor over the tokens of a script, with shared grammar rules: names, positions, errors."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from compiled_plan.planner.diagnostics.foreign import construct_at, misspelt_keyword
from compiled_plan.planner.sql.grammar.reserved_words import RESERVED
from compiled_plan.planner.sql.grammar.tokens import END, NUMBER, QUOTED, STRING, STRINGS, UNICODE, WORD, tokenize
from compiled_plan.planner.sql.nodes import Identifier, Node
from compiled_plan.plans.errors import ProgramError, UnsupportedError
from compiled_plan.plans.text.position import render, span_at

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from typing import NoReturn

    from compiled_plan.planner.sql.grammar.tokens import Token
    from compiled_plan.planner.sql.nodes import Expression, QueryNode
    from compiled_plan.plans.text.position import Span

#: Words that no item of a list begins with.
_CLAUSES = frozenset(("FROM", "WHERE", "GROUP", "HAVING", "ORDER", "LIMIT", "UNION"))
N = TypeVar("N", bound=Node)
T = TypeVar("T")


class Cursor:
    """A position among the tokens of a script.

    Words are keywords by context, as in Flink; only reserved ones are refused as names.

    Args:
        text: the script.
        python: the Python text of all nodes.

    Raises:
        ProgramError: as `tokenize`.
    """

    def __init__(self, text: str, python: str = "") -> None:
        self.sql = text
        self.python = python
        self.tokens = tokenize(text)
        self.index = 0
        self._run = range(0)

    # --- the cursor -----------------------------------------------------------------------------------------------

    @property
    def current(self) -> Token:
        """The token at the cursor; of kind `END` at the end."""
        return self.tokens[self.index]

    @property
    def following(self) -> Token:
        """The token after the current one."""
        return self.peek(1)

    @property
    def previous(self) -> Token:
        """The token before the cursor."""
        return self.tokens[self.index - 1]

    def advance(self, count: int = 1) -> None:
        self.index = min(self.index + count, len(self.tokens) - 1)

    def at_end(self) -> bool:
        """Return True at the end of the tokens."""
        return self.current.kind == END

    def word(self) -> str:
        """The current token in capitals if it is an unquoted word, else an empty string."""
        return self.peek_word(0)

    def peek(self, ahead: int) -> Token:
        """The token `ahead` places after the current one."""
        return self.tokens[min(self.index + ahead, len(self.tokens) - 1)]

    def parentheses_ahead(self) -> int:
        """The number of opening parentheses at the cursor."""
        if self.index not in self._run:  # cached for each token of the run of parentheses
            end = self.index
            while self.tokens[end].kind == "(":
                end += 1
            self._run = range(self.index, end)
        return self._run.stop - self.index if self._run else 0

    def peek_word(self, ahead: int) -> str:
        """The word `ahead` places after the current token in capitals, or an empty string."""
        token = self.peek(ahead)
        return token.text.upper() if token.kind == WORD else ""

    def at(self, *words: str) -> bool:
        """Return True if the next tokens are these keywords."""
        return all(self.peek_word(ahead) == word for ahead, word in enumerate(words))

    def at_any(self, words: Collection[str]) -> bool:
        """Return True if the current token is one of these keywords."""
        return self.word() in words

    def take(self, *words: str) -> bool:
        """Consume these keywords if they come next; return True if so."""
        if not self.at(*words):
            return False
        self.advance(len(words))
        return True

    def take_any(self, words: Collection[str]) -> str:
        """Consume and return the current token if it is one of these keywords; else return ""."""
        word = self.word()
        if word in words and word:
            self.advance()
            return word
        return ""

    def need(self, *words: str, remedy: str = "") -> None:
        """Consume these keywords, or fail."""
        for word in words:
            if not self.take(word):
                self.fail_expected(" ".join(words), remedy=remedy)

    def at_symbol(self, symbol: str) -> bool:
        """Return True if the current token is this symbol."""
        return self.current.kind == symbol

    def take_symbol(self, symbol: str) -> bool:
        """Consume the symbol if it comes next; return True if so."""
        if self.current.kind != symbol:
            return False
        self.advance()
        return True

    def need_symbol(self, symbol: str, remedy: str = "") -> None:
        """Consume the symbol, or fail."""
        if not self.take_symbol(symbol):
            self.fail_expected(f"'{symbol}'", remedy=remedy)

    def open(self, expected: str = "") -> None:
        if not self.take_symbol("("):
            self.fail_expected(f"'(' {expected}".rstrip())

    def close(self) -> None:
        self.need_symbol(")")

    def listed(self, item: Callable[[], T]) -> list[T]:
        """Parse one or more items separated by commas."""
        items = [item()]
        while self.take_symbol(","):
            items.append(item())
        return items

    def wrapped(self, item: Callable[[], T]) -> list[T]:
        """Parse one or more items separated by commas, in parentheses."""
        self.open()
        items = self.listed(item)
        self.close()
        return items

    # --- positions and errors -------------------------------------------------------------------------------------

    def mark(self) -> int:
        """The offset of the current token, as the start of a node."""
        return self.current.start

    def node(self, node: N, start: int) -> N:
        """The node with its span: from `start` to the end of the previous token."""
        # The node is not shared yet, so the mutation is invisible.
        object.__setattr__(node, "span", self.span_from(start))
        object.__setattr__(node, "python", self.python)
        return node

    def span_from(self, start: int) -> Span:
        """The span from `start` to the end of the previous token."""
        return span_at(self.sql, start, max(start, self.previous.end) if self.index else start)

    def fail(self, message: str, *, token: Token | None = None, span: Span | None = None, remedy: str = "") -> NoReturn:
        """Raise a `ProgramError` that points at a span, a token, or the current token (or the end)."""
        if span is None:
            token = token or self.current
            if token.kind != END:
                span = span_at(self.sql, token.start, token.end)
            else:
                end = len(self.sql.rstrip())
                span = span_at(self.sql, end, end + 1)
        raise ProgramError(message, where=render(span, self.sql), remedy=remedy)

    def refuse(self, problem: str, *, token: Token | None = None, remedy: str = "") -> NoReturn:
        """Raise an `UnsupportedError` for a construct of Flink."""
        token = token or self.current
        raise UnsupportedError(
            f"{problem} is not supported",
            where=render(span_at(self.sql, token.start, token.end), self.sql),
            remedy=remedy,
        )

    def shown(self) -> str:
        """The current token, for a message."""
        if self.at_end():
            return "the end of the program"
        text = self.sql[self.current.start : self.current.end]
        return f"'{text}'" if "'" not in text else text

    def fail_expected(self, expected: str, *, remedy: str = "") -> NoReturn:
        """Fail because the current token is not the expected one."""
        self.fail_at(f"expected {expected}, found {self.shown()}", remedy=remedy)

    def fail_at(self, problem: str, *, remedy: str = "") -> NoReturn:
        """Fail at the current token; name a construct of another dialect that stands there."""
        if self._behind_comma():
            problem = "SQL parse failed: a comma with nothing after it"
            self.fail(problem, token=self.previous, remedy=f"remove the comma before {self.shown()}")
        foreign = None if remedy else construct_at(self.tokens, self.index)
        if foreign is not None:
            shown = self.sql[foreign.start : foreign.end]
            span = span_at(self.sql, foreign.start, foreign.end)
            self.fail(f"SQL parse failed: {shown} is not Flink SQL here", span=span, remedy=foreign.remedy)
        around = self.tokens[max(0, self.index - 1) : self.index + 1]
        names = (token.text for token in around if token.kind == WORD and token.text.upper() not in RESERVED)
        self.fail(f"SQL parse failed: {problem}", remedy=remedy or misspelt_keyword(names))

    def _behind_comma(self) -> bool:
        """Return True if a list ends here with a comma."""
        ends = self.at_symbol(")") or self.at_symbol(";") or self.at_end() or self.word() in _CLAUSES
        return ends and self.index > 0 and self.previous.kind == ","

    # --- names and simple tokens ----------------------------------------------------------------------------------

    def at_name(self) -> bool:
        """Return True if the current token can be an identifier: a quoted one, or a word that is not reserved."""
        return self.current.kind == QUOTED or (self.current.kind == WORD and self.word() not in RESERVED)

    def name(self, expected: str = "a name", reserved: Collection[str] = ()) -> Identifier:
        """Parse an identifier with its case; also a reserved word of `reserved`."""
        if not self.at_name() and not self.at_any(reserved):
            word = self.word()
            if word in RESERVED and not self._behind_comma():
                self.fail(
                    f"SQL parse failed: expected {expected}, found the reserved word {self.current.text}",
                    remedy=f"put it in backticks if it is meant as a name: `{self.current.text}`",
                )
            self.fail_expected(expected)
        return self.identifier()

    def identifier(self) -> Identifier:
        """The current token as an identifier, without checks."""
        token = self.current
        self.advance()
        return self.node(Identifier(token.text), token.start)

    def dotted(self, expected: str = "a name") -> tuple[Identifier, ...]:
        """Parse one or more identifiers separated by dots."""
        names = [self.name(expected)]
        while self.take_symbol("."):
            names.append(self.name(expected))
        return tuple(names)

    def names(self, expected: str = "a column name") -> tuple[Identifier, ...]:
        return tuple(self.wrapped(lambda: self.name(expected)))

    def at_string(self) -> bool:
        """Return True if the current token is a character string."""
        return self.current.kind in STRINGS

    def string(self, expected: str = "a string in single quotes", *, on_new_lines: bool = False) -> str:
        """Parse a character string and resolve its escapes; join the strings behind it.

        Args:
            expected: the words for the string, for messages.
            on_new_lines: join those on lines of their own alone, as in expressions.
        """
        if not self.at_string():
            self.fail_expected(expected)
        pieces = [self._string_token()]
        while self.current.kind == STRING:
            if on_new_lines and "\n" not in self.sql[self.previous.end : self.current.start]:
                break
            pieces.append(self._string_token())
        return "".join(pieces)

    def _string_token(self) -> str:
        token = self.current
        self.advance()
        if token.kind != UNICODE:
            return token.text
        escape = "\\"
        if self.take("UESCAPE"):
            escape = self.string("an escape character")
            if len(escape) != 1:
                self.fail("SQL parse failed: UESCAPE takes one character", token=self.previous)
        return self._unescape(token, escape)

    def _unescape(self, token: Token, escape: str) -> str:
        """The text of U&'...': escape + 4 hexadecimal digits, escape twice for itself (SQL:2003, 5.3)."""
        text, out, index = token.text, [], 0
        while index < len(text):
            if text[index] != escape:
                out.append(text[index])
                index += 1
            elif text[index + 1 : index + 2] == escape:
                out.append(escape)
                index += 2
            else:
                digits = text[index + 1 : index + 5]
                try:
                    out.append(chr(int(digits, 16)) if len(digits) == 4 else chr(-1))
                except ValueError:
                    self.fail(
                        f"SQL parse failed: {escape}{digits} is no Unicode escape in a U&'...' string",
                        token=token,
                        remedy=f"write {escape} and four hexadecimal digits, or {escape}{escape} for the character",
                    )
                index += 5
        try:
            return "".join(out).encode("utf-16", "surrogatepass").decode("utf-16")
        except UnicodeDecodeError:
            self.fail(
                "SQL parse failed: half of a surrogate pair in a U&'...' string is no character",
                token=token,
                remedy=f"write both halves, as in {escape}D83D{escape}DE00",
            )

    def integer(self, expected: str = "a whole number") -> int:
        if self.current.kind != NUMBER or not self.current.text.isdecimal():
            self.fail_expected(expected)
        value = int(self.current.text)
        self.advance()
        return value

    def properties(self, expected: str = "option", spans: dict[str, Span] | None = None) -> dict[str, str]:
        """Parse ('key' = 'value', ...); the last of equal keys wins; may be empty.

        Args:
            expected: the word for an option, for messages.
            spans: receives the position of each option.
        """
        options: dict[str, str] = {}
        self.open()
        if self.take_symbol(")"):
            return options
        for key, value, span in self.listed(lambda: self._property(expected)):
            options[key] = value
            if spans is not None:
                spans[key] = span
        self.close()
        return options

    def _property(self, expected: str) -> tuple[str, str, Span]:
        start = self.mark()
        if not self.at_string():
            self.fail_expected(f"an {expected} as 'key' = 'value'", remedy="put keys and values in single quotes")
        key = self.string()
        self.need_symbol("=")
        if not self.at_string():
            self.fail_expected(f"the value of {expected} '{key}'", remedy="put keys and values in single quotes")
        value = self.string()
        return key, value, self.span_from(start)

    # --- declarations of the rules that call each other: an argument may be a query, whose parts have arguments ------

    def parse_expression(self) -> Expression:
        raise NotImplementedError

    def _sum(self) -> Expression:
        """An expression without predicates (see `grammar.expressions`)."""
        raise NotImplementedError

    def at_query(self) -> bool:
        """Look ahead for a query, in parentheses or not (see `grammar.queries`)."""
        raise NotImplementedError

    def parse_query(self) -> QueryNode:
        raise NotImplementedError


def all_texts(parts: Sequence[Identifier]) -> tuple[str, ...]:
    return tuple(part.name for part in parts)
