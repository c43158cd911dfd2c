"""Patterns of MATCH_RECOGNIZE: variables, the AFTER MATCH clause, and the values that expressions read from a match.

Patterns are linear: a variable with a quantifier, then the next. Source: Flink 2.3's `CepOperator` and its limits.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from compiled_plan.plans.findings import Fault, refusal
from compiled_plan.plans.nodes.rules import Path
from compiled_plan.plans.rex import Call, Literal, PatternInputRef, RexNode, walk
from compiled_plan.plans.rex.signatures import AGGREGATES

#: The pattern variable for all rows of a match.
ALL = "*"
#: Calls that read a value of one row of the match, which their first operand names.
NAVIGATION = frozenset(("$PREV$1", "$NEXT$1", "$LAST$1", "$FIRST$1"))
#: Calls with a single value, whatever their operands.
_VALUES = NAVIGATION | {"$MATCH_ROWTIME$1", "$MATCH_PROCTIME$1"}
_SKIPS = {
    "SKIP_TO_NEXT_ROW": "NEXT_ROW",
    "SKIP_PAST_LAST_ROW": "PAST_LAST_ROW",
    "$SKIP TO FIRST$1": "FIRST",
    "$SKIP TO LAST$1": "LAST",
}


@dataclass(frozen=True, slots=True)
class Element:
    """A variable of a pattern with its quantifier: at least `least` rows, at most `most` (-1: any number)."""

    variable: str
    least: int = 1
    most: int = 1
    greedy: bool = True

    @property
    def takes_more(self) -> bool:
        """True if the variable is greedy for more rows than it needs."""
        return self.greedy and self.most not in (1, self.least)


def elements(pattern: RexNode) -> tuple[Element, ...]:
    """The variables of a pattern from left to right."""
    return tuple(item for item in _read(pattern) if isinstance(item, Element))


def pattern_faults(pattern: RexNode, path: Path) -> Iterator[Fault]:
    """Faults: patterns that are not linear, quantifiers that Flink refuses."""
    parts = list(_read(pattern))
    wrong = [refusal(path, *part) for part in parts if isinstance(part, tuple)]
    yield from wrong
    variables = [part for part in parts if isinstance(part, Element)]
    if wrong or not variables:
        return
    names = [element.variable for element in variables]
    if len(set(names)) < len(names):
        yield refusal(path, "a pattern variable that is there twice", "give each place a variable of its own")
    for before, element in zip((None, *variables), variables, strict=False):
        if (element.least, element.most, element.greedy) == (0, 1, False):
            yield refusal(path, "a reluctant optional variable", "make it greedy")
        if element.least == 0 and before is not None and before.takes_more:
            message = "an optional variable after a greedy one"
            yield refusal(path, message, "make the one before it reluctant")
    if variables[-1].takes_more:
        message = "a greedy quantifier at the end of the pattern"
        yield refusal(path, message, "make it reluctant, or end with a variable")


def _read(pattern: RexNode) -> Iterator[Element | tuple[str, str]]:
    """The elements of a pattern; message and remedy for parts that are not linear."""
    todo = [pattern]
    while todo:
        part = todo.pop()
        if isinstance(part, Call) and _kind(part) == "PATTERN_CONCAT":
            todo += reversed(part.operands)
        else:
            yield _element(part)


def _kind(call: Call) -> str:
    return str(dict(call.extra).get("sqlKind", call.name))


def _element(part: RexNode) -> Element | tuple[str, str]:
    if isinstance(part, Literal):
        return Element(str(part.value))
    if not isinstance(part, Call) or part.name != "$PATTERN_QUANTIFIER$1":
        return f"the pattern {_kind(part) if isinstance(part, Call) else type(part).__name__}", "use a linear pattern"
    variable, *numbers = [getattr(operand, "value", None) for operand in part.operands]
    if not isinstance(part.operands[0], Literal):
        return "a group of variables with a quantifier", "repeat single variables"
    match numbers:
        case [int(least), int(most), reluctant]:
            return Element(str(variable), least, most, greedy=not reluctant)
    return "a quantifier without its numbers", "compile the program again"


def skip(after: RexNode) -> tuple[str, str | None] | None:
    """The kind and the variable of an AFTER MATCH clause; None for an unknown one."""
    if isinstance(after, Literal) and after.value in _SKIPS:
        return _SKIPS[str(after.value)], None
    if isinstance(after, Call) and after.name in _SKIPS and isinstance(after.operands[0], Literal):
        return _SKIPS[after.name], str(after.operands[0].value)
    return None


def parts(rex: RexNode) -> tuple[RexNode, ...]:
    """The parts of an expression that have values of their own."""
    if isinstance(rex, Call) and (rex.name in _VALUES or rex.name in AGGREGATES):
        return ()
    return rex.operands[:1] if isinstance(rex, Call) and rex.name in ("$FINAL$1", "$RUNNING$1") else rex.children()


def offset(call: Call) -> int | None:
    """The offset of a navigation in rows; None if it is not constant."""
    if len(call.operands) < 2:
        return 0
    value = getattr(call.operands[1], "value", None)
    return value if isinstance(value, int) else None


def value_faults(rex: RexNode, variables: Sequence[str], path: Path) -> Iterator[Fault]:
    """Faults: unsupported navigations in a condition or measure."""
    todo = [rex]
    while todo:
        part = todo.pop()
        todo += parts(part)
        if not isinstance(part, Call):
            yield from _column_faults(part, variables, path) if isinstance(part, PatternInputRef) else ()
        elif part.name in NAVIGATION:
            rows = offset(part)
            if rows is None:
                yield refusal(path, f"an offset of {part.name} that is no constant", "write a number")
            elif rows and part.name in ("$PREV$1", "$NEXT$1"):
                yield refusal(path, "PREV or NEXT with an offset", "use LAST or FIRST")
            else:
                yield from _column_faults(part.operands[0], variables, path)
        elif part.name in AGGREGATES:
            for operand in part.operands:
                yield from _column_faults(operand, variables, path)


def _column_faults(rex: RexNode, variables: Sequence[str], path: Path) -> Iterator[Fault]:
    """Faults of an expression that is not over the rows of one variable of the pattern."""
    names = alphas(rex)
    inside = {part.name for part in walk(rex) if isinstance(part, Call)} & (NAVIGATION | AGGREGATES)
    if len(names) > 1:
        message = f"an expression over rows of several variables ({', '.join(sorted(names))})"
        yield refusal(path, message, "navigate to the rows of one variable at a time")
    elif not names <= {ALL, *variables}:
        message = f"the variable {next(iter(names))}, which the pattern does not have"
        yield refusal(path, message, f"variables: {', '.join(variables)}")
    elif inside:
        yield refusal(path, f"{min(inside)} within another navigation", "navigate once")


def alphas(rex: RexNode) -> frozenset[str]:
    """The pattern variables whose rows an expression reads."""
    return frozenset(part.alpha for part in walk(rex) if isinstance(part, PatternInputRef))
