"""Properties files as of `spark-submit --properties-file`, for settings that must not appear in process lists.

Source: `java.util.Properties.load` of JDK 17, without continuation lines.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from compiled_plan.plans.errors import ProgramError

_LINE = re.compile(r"((?:[^\\=: \t\f]|\\.)++)[ \t\f]*+(?:[=:][ \t\f]*+)?+((?:[^\\]|\\.)*+)", re.DOTALL)
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_CHARACTERS = {"n": "\n", "r": "\r", "t": "\t", "f": "\f"}
_ESCAPES = {character: f"\\{letter}" for letter, character in _CHARACTERS.items()} | {"\\": "\\\\"}


def read_properties(text: str, where: str) -> dict[str, str]:
    """Parse the settings of a file: lines `key=value`, or `key value`; `#` and `!` begin comments.

    Raises ProgramError with the file (`where`) and the line for an invalid or continued line.
    """
    settings = {}
    for number, line in enumerate(text.split("\n"), 1):
        content = line.strip(" \t\r\f")
        if not content or content[0] in "#!":
            continue
        pair = _LINE.fullmatch(content)
        if pair is None:
            remedy = "write `key=value`, a backslash as two, and each setting in one line"
            raise ProgramError("this is no setting", where=f"{where}, line {number}", remedy=remedy)
        settings[_unescaped(pair[1])] = _unescaped(pair[2])
    return settings


def _unescaped(text: str) -> str:
    def character(escape: re.Match[str]) -> str:
        letter = escape[1]
        return chr(int(letter[1:], 16)) if len(letter) > 1 else _CHARACTERS.get(letter, letter)

    return _ESCAPE.sub(character, text)


def properties_text(settings: Mapping[str, str]) -> str:
    """The text of a settings file, the inverse of `read_properties`."""
    return "".join(f"{_key(key)}={_escaped(value)}\n" for key, value in settings.items())


def _key(key: str) -> str:
    return re.sub(r"[=:#! ]", lambda sign: f"\\{sign[0]}", _escaped(key))


def _escaped(value: str) -> str:
    text = "".join(_ESCAPES.get(character, character) for character in value)
    # Leading and trailing spaces would be stripped.
    return re.sub(r"^ | $", r"\\u0020", text)
