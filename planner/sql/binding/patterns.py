"""PATTERN of MATCH_RECOGNIZE: from text to the expression in plans.

Linear patterns only: a sequence of variables, each with a quantifier. Parentheses around a part without a quantifier
have no meaning. Anchors at the ends of a pattern have no effect, as in Flink, and are warned of.

Source: Flink's "Pattern Recognition" page; the restrictions of Flink 2.3.
"""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass
from functools import reduce

from compiled_plan.plans.errors import ProgramError, ProgramWarning, UnsupportedError
from compiled_plan.plans.rex import Call, Literal, RexNode
from compiled_plan.plans.types import BOOLEAN, INT, CharType, NullType

_TOKEN = re.compile(
    r"""\s*(?:
      (?P<name>[A-Za-z_][A-Za-z0-9_]*|`[^`]+`)
      | (?P<quantifier>[*+?] | \{\s*(?:\d+\s*)?(?:,\s*(?:\d+\s*)?)?\})
      | (?P<other>\{-|-\}|.)
    )""",
    re.VERBOSE | re.DOTALL,
)
_WITHOUT_END = -1
_QUANTIFIERS = {"*": (0, _WITHOUT_END), "+": (1, _WITHOUT_END), "?": (0, 1)}
_REFUSED = {
    "|": "alternatives in a pattern (A | B)",
    "^": "an anchor within a pattern (^)",
    "$": "an anchor within a pattern ($)",
    "{-": "an exclusion in a pattern, {- A -}",
}
#: Flink's type of pattern parts.
_PART = NullType()


@dataclass(frozen=True)
class Element:
    """A variable with its quantifier: `least` to `most` times, -1 for unbounded; reluctant or greedy."""

    name: str
    least: int = 1
    most: int = 1
    reluctant: bool = False
    quantified: bool = False

    @property
    def is_open(self) -> bool:
        """Return True for a greedy quantifier with a variable count, except `?`."""
        return not self.reluctant and self.least != self.most and (self.least, self.most) != (0, 1)


def parse_pattern(text: str) -> tuple[Element, ...]:
    """Parse the variables of a pattern in order.

    Raises:
        ProgramError: not a pattern, a variable twice, only optional variables, an unbounded end.
        UnsupportedError: alternatives, groups with a quantifier, anchors, exclusions, PERMUTE.
    """
    elements = _elements(text)
    names = [element.name for element in elements]
    for name in names:
        if names.count(name) > 1:
            raise ProgramError(
                f"pattern variable {name!r} is used twice", remedy="give each place a variable of its own"
            )
    if all(element.least == 0 for element in elements):
        raise ProgramError(
            "a pattern that can match no row is not supported", remedy="let a variable match once at least"
        )
    if elements[-1].is_open:
        raise ProgramError(
            "a greedy quantifier cannot be the last element of a pattern: the match would never end",
            remedy=f"end the pattern with another variable, or write a reluctant one: {names[-1]}+?",
        )
    return elements


def _elements(text: str) -> tuple[Element, ...]:
    elements: list[Element] = []
    groups: list[int] = []
    before = ""
    for kind, token in _without_anchors(_tokens(text)):
        if kind == "quantifier" and before == ")":
            raise _refused(f"a group with a quantifier in a pattern, (A B){token}")
        before = token
        if token == "(":
            groups.append(len(elements))
            continue
        if token == ")" and groups and groups.pop() < len(elements):
            continue
        if kind == "name":
            if token.upper() == "PERMUTE":
                raise _refused("PERMUTE in a pattern")
            elements.append(Element(token.strip("`")))
        elif (
            kind == "quantifier"
            and elements
            and token == "?"
            and elements[-1].quantified
            and not elements[-1].reluctant
        ):
            elements[-1] = _reluctant(elements[-1])
        elif kind == "quantifier" and elements and not elements[-1].quantified:
            least, most = _times(token)
            elements[-1] = Element(elements[-1].name, least, most, quantified=True)
        elif token in _REFUSED:
            raise _refused(_REFUSED[token])
        else:
            raise ProgramError(
                f"unexpected {token!r} in a pattern", remedy="write variables with quantifiers: A B+ C{2,3}"
            )
    if not elements or groups:
        raise ProgramError("a pattern needs a variable, and pairs of parentheses", remedy="write PATTERN (A B+ C)")
    return tuple(elements)


def _tokens(text: str) -> list[tuple[str, str]]:
    return [(str(item.lastgroup), item.group(str(item.lastgroup))) for item in _TOKEN.finditer(text.strip())]


def _without_anchors(tokens: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """The tokens of a pattern without `^` at its start and `$` at its end."""
    signs = [token for _, token in tokens]
    begin, end = signs[:1] == ["^"], signs[-1:] == ["$"]
    for sign in ("^",) * begin + ("$",) * end:
        warnings.warn(f"the anchor {sign} of a pattern has no effect, as in Flink", ProgramWarning, stacklevel=2)
    return tokens[begin : len(tokens) - end]


def _reluctant(element: Element) -> Element:
    if (element.least, element.most) == (0, 1):
        raise _refused("a reluctant optional variable (A??)")
    return Element(element.name, element.least, element.most, True, True)


def _times(token: str) -> tuple[int, int]:
    if token in _QUANTIFIERS:
        return _QUANTIFIERS[token]
    low, comma, high = (part.strip() for part in token[1:-1].partition(","))
    if not comma:
        if not low or not int(low):
            raise ProgramError("a quantifier needs a number above 0", remedy="write {2}, {2,}, {,3} or {2,3}")
        return int(low), int(low)
    least, most = int(low or 0), int(high) if high else _WITHOUT_END
    if most != _WITHOUT_END and (most < least or most == 0):
        raise ProgramError(
            f"a quantifier from {least} to {most} matches nothing", remedy="write the smaller number first"
        )
    return least, most


def _refused(construct: str) -> UnsupportedError:
    return UnsupportedError(f"{construct} is not supported", remedy="write a linear pattern: A B+ C{2,3}")


def pattern_rex(elements: tuple[Element, ...]) -> RexNode:
    """A pattern in the form of plans."""
    concat = (("sqlKind", "PATTERN_CONCAT"),)
    return reduce(lambda left, right: Call("", (left, right), _PART, "BINARY", concat), map(_element_rex, elements))


def _element_rex(element: Element) -> RexNode:
    name = variable_rex(element.name)
    if not element.quantified:
        return name
    number = INT.not_null()
    flag = Literal(element.reluctant, BOOLEAN.not_null())
    times = (Literal(element.least, number), Literal(element.most, number), flag)
    return Call("$PATTERN_QUANTIFIER$1", (name, *times), _PART, "SPECIAL")


def variable_rex(name: str) -> Literal:
    """A pattern variable in the form of plans."""
    return Literal(name, CharType(length=len(name), nullable=False))


def skip_rex(side: str, variable: str) -> RexNode:
    """`SKIP TO FIRST|LAST variable` in the form of plans."""
    return Call(f"$SKIP TO {side}$1", (variable_rex(variable),), _PART, "PREFIX")
