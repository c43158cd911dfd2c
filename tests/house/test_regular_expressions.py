"""Every regular expression takes time in proportion to its text, so that no input can block a process.

All patterns of the product are extracted from its code, and timed on hostile texts: repetitions of the pattern's own
pieces, and texts that are hostile for many patterns.
"""

from __future__ import annotations

import ast
import re
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from re import _constants as op  # type: ignore[attr-defined]
from re import _parser  # type: ignore[attr-defined]
from types import FrameType
from typing import Any

import pytest

pytestmark = pytest.mark.attack

ROOT = Path(__file__).parents[2]
CODE = ("cli", "compiled_plan", "planner", "plans", "schemas", "service")
#: Search methods; `finditer` searches at every position of a text, as `sub` and `split` do.
CALLS = {"match": "match", "fullmatch": "fullmatch", "search": "search"}
EVERYWHERE = ("findall", "finditer", "split", "sub", "subn")
#: Slower patterns, with the bound of the text that they see.
BOUNDED = {
    "planner/sql/grammar/tokens.py: \n      (?P<gap>": "the first comment that is not closed ends the search",
    "plans/text/durations.py: \\s*([0-9]+": "a duration of 100 characters",
    "plans/text/secret_spans.py: (?:[^word": "matched at the one place where a quote is opened",
    "plans/text/secret_spans.py: [^<": "matched at the one place where an element is opened",
    "plans/text/durations.py: (?:\\s*([0-9]+": "a duration of 100 characters",
}
#: Modules that build patterns from input, and the reason why these are not slow.
MADE = {
    "compiled_plan/session/showing.py": "each piece of a LIKE is where it first fits; see its tests",
    "planner/functions/plan_literals.py": "digits between fixed signs, which match a text as a whole",
    "plans/connectors/jdbc_urls.py": "the forms of URLs, which are matched as a whole",
    "plans/text/secret_literals.py": "possessive; tests of masking time them",
    "plans/text/secret_spans.py": "possessive; tests of masking time them",
    "planner/table/building/source.py": "patterns of its own, each of one word or two",
}
#: Seconds per character, and for any text: the machine may be busy.
PER_CHARACTER, ALWAYS = 1e-6, 0.05
#: Lengths of the texts from a pattern's own pieces, and of those for many patterns: on the longer ones a quadratic
#: search takes 300 million steps, at least twice the bound. Deep tests reach further.
LENGTHS, LONGEST = (1_000, 24_000), 32_000
DEEP_LENGTHS, DEEP_LONGEST = (1_000, 8_000, 64_000), 1_000_000
NASTY = (*"a0 \n'`(-[é", "''", "a.", "a=", "://a", "a:", "/*", "/* ", "?a=", "{a", "aA")


@dataclass(frozen=True, slots=True)
class Pattern:
    """A pattern, its location, and its search method."""

    place: str
    text: str
    flags: int
    method: str

    def __str__(self) -> str:
        return f"{self.place}: {self.text}"


def patterns(path: Path) -> Iterator[Pattern]:
    """The patterns of a module: arguments of `re`, and of pydantic's fields."""
    module = path.read_text(encoding="utf-8")
    if "re." not in module and "pattern" not in module:
        return
    tree = ast.parse(module)
    constants = {
        target.id: node.value
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    place = str(path.relative_to(ROOT))
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        for keyword in node.keywords:
            if keyword.arg == "pattern" and (text := literal(keyword.value, constants)) is not None:
                yield Pattern(place, text, 0, "search")
        if not (isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name)):
            continue
        if node.func.value.id != "re" or not node.args or node.func.attr in ("escape",):
            continue
        text = literal(node.args[0], constants)
        if text is None:
            yield Pattern(place, "", 0, "made")
            continue
        flags = sum(getattr(re, flag) for flag in set(re.findall(r"re\.([A-Z]+)\b", ast.unparse(node))))
        methods = {node.func.attr} if node.func.attr != "compile" else methods_of(tree, node)
        for method in {CALLS.get(method, "finditer") for method in methods}:
            yield Pattern(place, text, flags, method)


def literal(node: ast.expr, constants: dict[str, ast.expr]) -> str | None:
    """The text of a pattern; interpolated values become a word. None if it is built elsewhere."""
    if isinstance(node, ast.Name) and node.id in constants:
        return literal(constants[node.id], {})
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        parts = [value.value if isinstance(value, ast.Constant) else of(value, constants) for value in node.values]
        return "".join(map(str, parts))
    return None


def of(node: ast.expr, constants: dict[str, ast.expr]) -> str:
    assert isinstance(node, ast.FormattedValue)
    return literal(node.value, constants) or "word"


def methods_of(tree: ast.Module, compiled: ast.Call) -> set[str]:
    """The methods that a module calls on a compiled pattern; `finditer` if none is seen."""
    names = {
        target.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and node.value is compiled
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    used = {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in names
    }
    return (used & {*CALLS, *EVERYWHERE}) or {"finditer"}


def sample(pattern: str, flags: int) -> str:
    """A text that the pattern matches, or nearly: each part once or twice."""
    return "".join(pieces(_parser.parse(pattern, flags)))


def pieces(parsed: Any) -> Iterator[str]:
    for kind, value in parsed:
        if kind in (op.LITERAL, op.NOT_LITERAL):
            yield chr(value) if kind is op.LITERAL else "a"
        elif kind is op.ANY:
            yield "a"
        elif kind is op.IN:
            yield of_set(value)
        elif kind in (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT):
            yield "".join(pieces(value[2])) * max(1, min(value[0], 3))
        elif kind is op.SUBPATTERN:
            yield from pieces(value[3])
        elif kind is op.ATOMIC_GROUP:
            yield from pieces(value)
        elif kind is op.BRANCH:
            yield max(("".join(pieces(part)) for part in value[1]), key=len)


def of_set(members: Any) -> str:
    words = {op.CATEGORY_SPACE: " ", op.CATEGORY_DIGIT: "0", op.CATEGORY_NOT_SPACE: "a", op.CATEGORY_WORD: "a"}
    negated = members[0][0] is op.NEGATE
    for kind, value in members:
        if negated:
            return "a"
        if kind is op.LITERAL:
            return chr(value)
        if kind is op.RANGE:
            return chr(value[0])
        if kind is op.CATEGORY:
            return words.get(value, "a")
    return "a"


def nasty(pattern: Pattern) -> Iterator[tuple[str, str]]:
    """Prefixes, and repeated pieces that follow them."""
    whole = sample(pattern.text, pattern.flags)[:24]
    own = {whole[at : at + length] for at in range(len(whole)) for length in (1, 2, 3, len(whole))} | {whole}
    for again in sorted(own | set(NASTY)):
        yield "", again
    for at in range(1, len(whole)):
        yield whole[:at], whole[at - 1]
        yield whole[:at], whole[at]


@contextmanager
def ended_after(seconds: float) -> Iterator[None]:
    """Raise TimeoutError if the block takes more CPU time: `re` checks for signals while it searches."""

    def end(number: int, frame: FrameType | None) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGPROF, end)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def slow(pattern: Pattern, lengths: tuple[int, ...] = LENGTHS, longest: int = LONGEST) -> str:
    """The text on which a pattern is too slow; empty if there is none."""
    compiled = re.compile(pattern.text, pattern.flags)
    texts = [(head, again, length) for length in lengths for head, again in nasty(pattern)]
    for head, again, length in texts + [("", again, longest) for again in NASTY]:
        text = f"{head}{again * (length // len(again))}\0"
        allowed = ALWAYS + len(text) * PER_CHARACTER
        begun = time.process_time()
        with suppress(TimeoutError), ended_after(2 * allowed):
            run(compiled, pattern.method, text)
        if time.process_time() - begun > allowed:
            return f"{head!r} + {again!r} * {length // len(again)}"
    return ""


def run(compiled: re.Pattern[str], method: str, text: str) -> None:
    if method == "finditer":
        for _ in compiled.finditer(text):
            pass
    else:
        getattr(compiled, method)(text)


@cache
def seen() -> frozenset[Pattern]:
    return frozenset(pattern for folder in CODE for path in (ROOT / folder).rglob("*.py") for pattern in patterns(path))


@cache
def with_text() -> list[Pattern]:
    return sorted((pattern for pattern in seen() if pattern.text), key=str)


def test_patterns_are_extracted() -> None:
    texts = {pattern.text for pattern in with_text()}
    assert len(with_text()) > 80
    assert r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}" in texts and r"^[0-9]{0,9}$" in texts
    assert {pattern.place for pattern in seen() if pattern.method == "made"} == set(MADE)
    assert [start for start in BOUNDED if not any(str(pattern).startswith(start) for pattern in with_text())] == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("lengths", "longest"),
    [
        pytest.param(LENGTHS, LONGEST, marks=pytest.mark.wide, id="short"),
        pytest.param(DEEP_LENGTHS, DEEP_LONGEST, marks=pytest.mark.deep, id="long"),
    ],
)
def test_patterns_take_linear_time(lengths: tuple[int, ...], longest: int) -> None:
    """On a failure, mend the pattern, or state in BOUNDED what bounds its text."""
    texts = {str(pattern): slow(pattern, lengths, longest) for pattern in with_text()}
    bounded = {name for name in texts if name.startswith(tuple(BOUNDED))}
    assert {name: text for name, text in texts.items() if text and name not in bounded} == {}
    assert {name for name in bounded if not texts[name]} == set()


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("text", "method"),
    [(r"(a|aa)+$", "match"), (r"\s+$", "search"), (r"[\w.]+=", "finditer"), (r"x.*y.*z", "search")],
)
def test_a_slow_pattern_is_detected(text: str, method: str) -> None:
    assert slow(Pattern("here", text, 0, method))
