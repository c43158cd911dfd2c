"""Files of tests: YAML whose numbers and times keep their texts, with the place of each value.

A row of a changelog has its kind before it, as a key (`+I: {id: 1}`) or as a word (`+I {id: 1}`).
"""

from __future__ import annotations

import re
from collections.abc import Hashable
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

import yaml

from compiled_plan.plans.errors import ProgramError
from compiled_plan.plans.files.faults import reading
from compiled_plan.plans.files.paths import quoted

#: The kinds of changes, as they are written.
KINDS = ("+I", "-U", "+U", "-D")
KeyPath = tuple[str | int, ...]


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
        path: the file.
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
        return f"{quoted(self.path)}, line {self.spots[path].line}" if path in self.spots else quoted(self.path)

    def error(self, path: KeyPath, message: str, remedy: str = "") -> ProgramError:
        """An error about a value."""
        return ProgramError(message, where=self.where(path), remedy=remedy)


class _Loader(yaml.SafeLoader):  # type: ignore[misc]
    """Takes a kind before a mapping or list for a tag, and no text for a time."""

    def fetch_more_tokens(self) -> Any:
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
        line = "" if mark is None else f", line {mark.line + 1}, column {mark.column + 1}"
        raise ProgramError(
            f"not YAML: {fault.problem or fault.context}",
            where=f"{quoted(path)}{line}",
            remedy="write rows as `{column: value}`, changes as `+I: {column: value}`; quote texts with `: ` or `#`",
        ) from None
    return document


def _value(loader: _Loader, node: yaml.Node, document: Document, path: KeyPath) -> Any:
    start, end = node.start_mark, node.end_mark
    flow = bool(getattr(node, "flow_style", False))
    document.spots[path] = Spot(start.line + 1, start.column + 1, start.index, end.index, flow)
    if node.tag in KINDS:
        node.tag = loader.DEFAULT_MAPPING_TAG if isinstance(node, yaml.MappingNode) else loader.DEFAULT_SEQUENCE_TAG
        kind = next(kind for kind in KINDS if document.text.startswith(kind, start.index))
        return {kind: _value(loader, node, document, (*path, kind))}
    match node:
        case yaml.MappingNode():
            values: dict[Hashable, Any] = {}
            for key_node, item in node.value:
                key = loader.construct_object(key_node, deep=True)
                key = key_node.value if not isinstance(key, str) and isinstance(key_node, yaml.ScalarNode) else key
                if not isinstance(key, Hashable):
                    raise document.error(path, "a key is a list or mapping", "write a MAP as a list of [key, value]")
                if key in values:
                    raise ProgramError(
                        f"the key {key!r} is given twice",
                        where=f"{quoted(document.path)}, line {key_node.start_mark.line + 1}",
                    )
                document.spots.setdefault((*path, str(key)), Spot(key_node.start_mark.line + 1, 0, 0, 0))
                values[key] = _value(loader, item, document, (*path, str(key)))
            return values
        case yaml.SequenceNode():
            return [_value(loader, item, document, (*path, at)) for at, item in enumerate(node.value)]
    if node.tag.endswith(":int"):
        return int(node.value)
    if node.tag.endswith(":float"):
        text = node.value.lower()
        if text.lstrip("+-") in (".inf", ".nan"):
            return float(text.replace(".", ""))
        return Decimal(text)
    return loader.construct_object(node, deep=True)


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
