"""Errors of JSON text that a person has edited: cause, position with the line, JSON pointer, remedy."""

from __future__ import annotations

import json
import re

from compiled_plan.plans.deep import deeply
from compiled_plan.plans.errors import NestingError, PlanError
from compiled_plan.plans.text import spans
from compiled_plan.plans.text.position import Span, excerpt, place_in, span_at
from compiled_plan.plans.text.secret_spans import secret_spans

_RESTORE = "restore the file, or compile the plan again: `compile-plan PROGRAM -o PLAN.json`"
_CONFLICT = re.compile(r"^(?:<{7}|={7}|>{7}|\|{7})(?: .*)?$", re.MULTILINE)
_COMMENT = re.compile(r"//.*|/\*(?s:.*?)\*/|#.*")
_SINGLE = re.compile(
    r"[\u2018\u2019'][^'\u2018\u2019\n]*['\u2018\u2019]?|[\u201c\u201d][^\u201c\u201d\n]*[\u201c\u201d]?"
)
#: Texts, and the numbers outside of them that Python does not read.
_NUMBER = re.compile(r'"(?:[^"\\]|\\.)*+"?|(?P<digits>[0-9]{4301,}+)')
_WORD = re.compile(r'[^\s,:{}\[\]"=]+')
#: Names of other languages for the constants of JSON.
_CONSTANTS = {"true": "true", "false": "false", "null": "null", "none": "null", "nil": "null", "undefined": "null"}


class JsonError(PlanError):
    """Text that is not JSON, or JSON that is ambiguous.

    Args:
        message, remedy: as for every error.
        source: a quoted path, or the name of another text.
        text: the text.
        span: the position in it.
        pointer: JSON pointer of the value there.
        also: a second position, shown before the other.
    """

    def __init__(
        self, message: str, source: str, text: str, span: Span, pointer: str, remedy: str, also: Span | None = None
    ) -> None:
        self.span, self.pointer = span, pointer
        self.excerpt = "\n".join(shown_line(position, text) for position in (also, span) if position is not None)
        where = ", ".join(filter(None, (place_in(source, span), pointer)))
        super().__init__(message, where=f"{where}\n{self.excerpt}", remedy=remedy)


def shown_line(span: Span, text: str) -> str:
    """The line of a position with carets; secrets are hidden, as this goes to logs and pages."""
    begin = text.rfind("\n", 0, span.start) + 1
    line, *_ = text[begin:].split("\n", 1)
    for start, end in secret_spans(line):
        line = line[:start] + "*" * (end - start) + line[end:]
    return excerpt(span_at(line, span.start - begin, span.end - begin), line)


def syntax_error(text: str, source: str, fault: json.JSONDecodeError) -> JsonError:
    """The error for text that the decoder refuses."""
    message, remedy, start, end = _explained(text, fault)
    return JsonError(f"not JSON: {message}", source, text, span_at(text, start, end), _pointer(text, fault.pos), remedy)


def repetition(text: str, source: str) -> JsonError:
    """The error for JSON with an object that has a key twice, of which a reader would drop one silently."""
    places = deeply(spans.repeated_key)(text)
    assert places is not None, "the decoder has seen a repeated key"
    path, *starts = places
    key = json.dumps(path[-1], ensure_ascii=False)
    first, second = (span_at(text, start, start + len(key)) for start in starts)
    return JsonError(
        f"the key {key} is there twice in one object: in line {first.line} and in line {second.line}",
        source,
        text,
        second,
        spans.pointer_of(path),
        "remove one of them",
        also=first,
    )


def half_character(text: str, source: str, escape: re.Match[str]) -> JsonError:
    """The error for half a surrogate pair."""
    message = f"not text: {escape.group()} is half of a surrogate pair, which no file can hold"
    return JsonError(message, source, text, span_at(text, *escape.span()), "", "write the whole character")


def long_number(text: str, source: str) -> JsonError:
    """The error for a number with more digits than Python reads."""
    number = next(part for part in _NUMBER.finditer(text) if part["digits"])
    start, end = number.span("digits")
    message = f"a number of {end - start} digits"
    return JsonError(message, source, text, span_at(text, start, start + 1), _pointer(text, start), _RESTORE)


def _pointer(text: str, position: int) -> str:
    try:
        return spans.pointer_of(deeply(spans.innermost)(text, position)[0])
    except (NestingError, IndexError):
        return ""


def _explained(text: str, fault: json.JSONDecodeError) -> tuple[str, str, int, int]:
    """Cause, remedy, and the start and the end of the place to show."""
    stop = len(text.rstrip())
    at = fault.pos + len(text[fault.pos :]) - len(text[fault.pos :].lstrip())
    if fault.msg.startswith("Illegal trailing comma"):  # since Python 3.13, at the comma
        at = fault.pos + 1 + len(text[fault.pos + 1 :]) - len(text[fault.pos + 1 :].lstrip())
    conflict = _CONFLICT.match(text, text.rfind("\n", 0, at) + 1)
    if conflict is not None:
        sides = "keep one of the two sides, and remove the lines with <<<<<<<, ======= and >>>>>>>"
        return "a merge conflict that is not resolved", sides, *conflict.span()
    if fault.msg.startswith("Invalid control character") and text[fault.pos] in "\r\n":
        start = _opening_quote(text, fault.pos)
        return "a text without a closing quote", 'end the text with `"`', start, fault.pos
    if fault.msg.startswith("Invalid control character"):
        written = json.dumps(text[fault.pos])[1:-1]
        return "a control character within a text", f"write `{written}`", fault.pos, fault.pos + 1
    if fault.msg.startswith(("Invalid \\escape", "Invalid \\u")):
        start = text.rfind("\\", 0, fault.pos + 1)
        escape = text[start : start + 2]
        return f"an unknown escape `{escape}` in a text", "write `\\\\` for a backslash", start, start + 2
    if at >= stop or fault.msg.startswith("Unterminated string"):
        return _cut(text, stop)
    before = text[:at].rstrip()
    char = text[at]
    if fault.msg.startswith("Extra data"):
        message = f"one `{char}` too many" if char in "}]" else "text after the end of the plan"
        return message, "remove it", at, at + 1
    if (comment := _COMMENT.match(text, at)) is not None:
        return "a comment, which JSON does not have", "remove it; keep notes in the program", *comment.span()
    if (single := _SINGLE.match(text, at)) is not None:
        return f"`{char}` where a double quote belongs", f"write `{json.dumps(single[0][1:-1])}`", *single.span()
    if char in "}]" and before.endswith(","):
        return f"a comma before `{char}`", "remove the comma", len(before) - 1, len(before)
    if char == "," and before.endswith((",", "{", "[")):
        return "a comma too many", "remove the comma", at, at + 1
    if char in "},]" and before.endswith(":"):
        return "a value is missing", "write one after the `:`", at, at + 1
    word = _WORD.match(text, at)
    if fault.msg.startswith("Expecting ':'"):
        return "a `:` is missing after a key", "write `:` between key and value", at, at + 1
    if fault.msg.startswith("Expecting property name"):
        if word is not None:
            return "a key without quotes", f"write `{json.dumps(word[0])}`", *word.span()
        return f"`{char}` where a key belongs", "write a key in double quotes", at, at + 1
    if char in "}]":
        return _wrong_bracket(text, at)
    if fault.msg.startswith("Expecting ','"):
        return _no_comma(text, at, before)
    if word is not None and (constant := _CONSTANTS.get(word[0].lower())) is not None:
        return f"`{word[0]}` is no value of JSON", f"write `{constant}`", *word.span()
    if not before.lstrip("\ufeff"):
        beginning = word[0] if word is not None else char
        return f"the text begins with `{beginning}`, and a plan with `{{`", _RESTORE, at, at + len(beginning)
    if word is not None:
        line = re.match(r"[^\n,}\]]*", text[at:])
        assert line is not None
        value = line[0].rstrip().rstrip('"')
        return "a text without quotes", f"write `{json.dumps(value, ensure_ascii=False)}`", at, at + len(value)
    return f"`{char}` where a value belongs", "write a value, or remove what is before", at, at + 1


def _no_comma(text: str, at: int, before: str) -> tuple[str, str, int, int]:
    """A value after which neither a comma nor the end of its parent comes."""
    char, last = text[at], before[-1]
    if last == '"' and len(before) == at and (char.isalnum() or char == "_"):
        return "a double quote within a text", 'write `\\"`', at - 1, at
    word = _WORD.match(text, at)
    if word is not None and last.isalnum() and "\n" not in text[len(before) : at]:
        start = before.rfind(":") + 1
        start = max(start, *(before.rfind(mark) + 1 for mark in ",["))
        value = text[start : word.end()].strip()
        start = word.end() - len(value)
        return f"`{value}` is no value of JSON", f"write `{json.dumps(value, ensure_ascii=False)}`", start, word.end()
    return "a comma is missing", "write `,` after the value", len(before), len(before) + 1


def _wrong_bracket(text: str, at: int) -> tuple[str, str, int, int]:
    brackets = _open_brackets(text, at)
    if not brackets:
        return f"a `{text[at]}` that closes nothing", "remove it", at, at + 1
    opening = brackets[-1]
    closing = "}" if text[opening] == "{" else "]"
    line = span_at(text, opening, opening + 1).line
    message = f"`{text[at]}` where the `{text[opening]}` of line {line} needs `{closing}`"
    return message, f"close it with `{closing}`, or remove the `{text[at]}`", at, at + 1


def _cut(text: str, stop: int) -> tuple[str, str, int, int]:
    start = text.rfind("\n", 0, stop) + 1
    message = "the text ends too early"
    brackets = _open_brackets(text, stop)
    if brackets:
        lines = [span_at(text, bracket, bracket + 1).line for bracket in brackets]
        message += f": the `{text[brackets[-1]]}` of line {lines[-1]} is not closed"
    return message, f"close it, or {_RESTORE}" if brackets else _RESTORE, max(start, stop - 1), stop


def _open_brackets(text: str, position: int) -> list[int]:
    """The starts of the brackets that are open at a position; empty if they are nested too deeply."""
    try:
        return deeply(spans.innermost)(text, position)[1]
    except (NestingError, IndexError):
        return []


def _opening_quote(text: str, end: int) -> int:
    """The start of the string that is not closed at the end of its line."""
    start = text.rfind("\n", 0, end) + 1
    quotes = [mark.start() for mark in re.finditer(r'"|\\.', text[start:end]) if mark[0] == '"']
    return start + quotes[-1] if quotes else start
