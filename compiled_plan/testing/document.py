"""Files of tests: YAML whose numbers and times keep their texts, with the place of each value.

A row of a changelog has its kind before it, as a key (`+I: {id: 1}`) or as a word (`+I {id: 1}`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

import yaml
from yaml.reader import ReaderError

from compiled_plan.plans.errors import ProgramError
from compiled_plan.plans.files.faults import reading
from compiled_plan.plans.files.paths import quoted

#: The kinds of changes, as they are written.
KINDS = ("+I", "-U", "+U", "-D")
KeyPath = tuple[str | int, ...]


#: The path of a text that is in no file.
UNSAVED = Path()


def _place(path: str | Path, *places: str) -> str:
    """A place in a file, for errors."""
    return ", ".join(filter(None, ("" if path == UNSAVED else quoted(path), *places)))


@dataclass(frozen=True, slots=True)
class Spot:
    """The place of a value in its file: line and column from 1, and positions in the text."""

    line: int
    column: int
    start: int
    end: int
    flow: bool = False


@dataclass(slots=True)
class Document:
    """A parsed file.

    Args:
        path: the file; `UNSAVED` for a text without one.
        text: its text.
        value: its content: dicts, lists, texts, bools, ints, `Decimal`s, None.
        spots: the places of all values, by path.
    """

    path: Path
    text: str
    value: Any
    spots: dict[KeyPath, Spot] = field(default_factory=dict)

    def where(self, path: KeyPath) -> str:
        """The file and line of a value, or of the nearest one around it."""
        while path and path not in self.spots:
            path = path[:-1]
        return _place(self.path, f"line {self.spots[path].line}" if path in self.spots else "")

    def error(self, path: KeyPath, message: str, remedy: str = "") -> ProgramError:
        """An error about a value."""
        return ProgramError(message, where=self.where(path), remedy=remedy)


class _Loader(yaml.SafeLoader):  # type: ignore[misc]
    """Takes a kind before a mapping or list for a tag, and no text for a time."""

    def fetch_more_tokens(self) -> object:
        self.scan_to_next_token()
        if self.prefix(2) in KINDS and self._row_follows():
            self.unwind_indent(self.column)
            self.save_possible_simple_key()
            self.allow_simple_key = False
            start, kind = self.get_mark(), self.prefix(2)
            self.forward(2)
            self.tokens.append(yaml.TagToken((None, kind), start, self.get_mark()))
            return None
        return super().fetch_more_tokens()

    def _row_follows(self) -> bool:
        at = 2
        while self.peek(at) == " ":
            at += 1
        return at > 2 and self.peek(at) in "{["


def _resolvers() -> dict[str, list[tuple[str, re.Pattern[str]]]]:
    """Scalars as in YAML 1.2, in which `no` and `12:30` are texts; `0x0aff` is one, too."""
    digits, fraction = r"[0-9]{1,40}", r"\.[0-9]{1,40}"
    number = re.compile(rf"^[-+]?(?:{fraction}|{digits}(?:{fraction}|\.)?)(?:[eE][-+]?[0-9]{{1,3}})?$")
    numbers = (*"-+.0123456789",)
    patterns = (
        ("null", re.compile(r"^(?:~|null|Null|NULL|)$"), ("", *"~nN")),
        ("bool", re.compile(r"^(?:true|True|TRUE|false|False|FALSE)$"), (*"tTfF",)),
        ("int", re.compile(rf"^[-+]?{digits}$"), numbers),
        ("float", number, numbers),
        ("float", re.compile(r"^(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$"), (*"-+.",)),
    )
    resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}
    for name, pattern, firsts in patterns:
        for first in firsts:
            resolvers.setdefault(first, []).append((f"tag:yaml.org,2002:{name}", pattern))
    return resolvers


_Loader.yaml_implicit_resolvers = _resolvers()


def read_document(path: str | Path, text: str | None = None) -> Document:
    """Read a file of tests.

    Raises:
        ProgramError: it cannot be read, or is not YAML; with the line.
    """
    if text is None:
        with reading(path, "file of tests", ProgramError):
            text = Path(path).read_text(encoding="utf-8")
    document = Document(Path(path), text, None)
    try:
        loader = _Loader(text)
        try:
            node = loader.get_single_node()
            document.value = None if node is None else _value(loader, node, document, ())
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as fault:
        mark = fault.problem_mark or fault.context_mark
        places = () if mark is None else (f"line {mark.line + 1}", f"column {mark.column + 1}")
        raise ProgramError(
            f"not YAML: {fault.problem or fault.context}",
            where=_place(path, *places),
            remedy="write rows as `{column: value}`, changes as `+I: {column: value}`; quote texts with `: ` or `#`",
        ) from None
    except ReaderError as fault:
        line_number = text.count("\n", 0, fault.position) + 1
        raise ProgramError(
            f"not YAML: the character U+{fault.character:04X}",
            where=_place(path, f"line {line_number}"),
            remedy=r'write it as an escape in double quotes, such as "\u0001"',
        ) from None
    except RecursionError:
        raise ProgramError(
            "the file is nested too deeply", where=_place(path), remedy="check for an alias inside of its own anchor"
        ) from None
    return document


def _value(loader: _Loader, node: yaml.Node, document: Document, path: KeyPath) -> object:
    start, end = node.start_mark, node.end_mark
    flow = bool(getattr(node, "flow_style", False))
    document.spots[path] = Spot(start.line + 1, start.column + 1, start.index, end.index, flow)
    if node.tag in KINDS:
        kind, path = node.tag, (*path, node.tag)
        document.spots[path] = document.spots[path[:-1]]
        return {kind: _content(loader, node, document, path)}
    if node.tag != _implicit_tag(loader, node):
        raise document.error(path, f"the tag {node.tag!r} is not supported", "leave it out; quote texts")
    return _content(loader, node, document, path)


def _implicit_tag(loader: _Loader, node: yaml.Node) -> str:
    """The tag of a node whose text has none."""
    plain = isinstance(node, yaml.ScalarNode) and node.style is None
    return str(loader.resolve(type(node), node.value, (plain, not plain)))


def _content(loader: _Loader, node: yaml.Node, document: Document, path: KeyPath) -> object:
    match node:
        case yaml.MappingNode():
            values: dict[str, object] = {}
            for key_node, item in node.value:
                if not isinstance(key_node, yaml.ScalarNode):
                    raise document.error(path, "a key is a list or mapping", "write a MAP as a list of [key, value]")
                key = key_node.value
                if key in values:
                    raise ProgramError(
                        f"the key {key!r} is given twice",
                        where=_place(document.path, f"line {key_node.start_mark.line + 1}"),
                    )
                values[key] = _value(loader, item, document, (*path, key))
            return values
        case yaml.SequenceNode():
            return [_value(loader, item, document, (*path, at)) for at, item in enumerate(node.value)]
    text = node.value
    match node.tag.rpartition(":")[2]:
        case "null":
            return None
        case "bool":
            return text.lower() == "true"
        case "int":
            return int(text)
        case "float" if text.lower().lstrip("+-") in (".inf", ".nan"):
            return float(text.replace(".", ""))
        case "float":
            return Decimal(text)
    return text


_RESOLVER = _Loader("")


def is_plain_text(text: str) -> bool:
    """Return True if a text without quotes in a file reads as itself."""
    if not text or text != text.strip() or "\n" in text or ": " in text or text.endswith(":") or " #" in text:
        return False
    if (
        text[0] in "#?:"
        or (text[0] == "-" and (len(text) == 1 or text[1] == " "))
        or text[:2] in KINDS
        or not text.isprintable()
    ):
        return False
    return bool(_RESOLVER.resolve(yaml.ScalarNode, text, (True, False)) == "tag:yaml.org,2002:str")
