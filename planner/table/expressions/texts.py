"""Functions of texts, hashes and JSON.

Source: Flink docs, "System (Built-in) Functions", string, hash and JSON functions.
"""

from __future__ import annotations

from typing import Self

from compiled_plan.planner.sql import nodes as ast
from compiled_plan.planner.table.building.python_literals import node_of
from compiled_plan.planner.table.expressions.core import FunctionProperty, Operand, call_node


class Texts(Operand):
    """`.upper_case`, `.substring(2, 3)`, `.md5`, `.json_value("$.a")` and the like."""

    __slots__ = ()

    upper_case = FunctionProperty("UPPER", "UPPER: in capitals.")
    lower_case = FunctionProperty("LOWER", "LOWER: in small letters.")
    init_cap = FunctionProperty("INITCAP", "INITCAP: every word with a capital.")
    char_length = FunctionProperty("CHAR_LENGTH", "CHAR_LENGTH: the number of characters.")
    reverse = FunctionProperty("REVERSE", "REVERSE: back to front.")
    ascii = FunctionProperty("ASCII", "ASCII: the code of the first character.")
    chr = FunctionProperty("CHR", "CHR: the character of a code.")
    from_base64 = FunctionProperty("FROM_BASE64", "FROM_BASE64: the text that base64 stands for.")
    to_base64 = FunctionProperty("TO_BASE64", "TO_BASE64: the text in base64.")
    url_encode = FunctionProperty("URL_ENCODE", "URL_ENCODE: as part of a URL.")
    url_decode = FunctionProperty("URL_DECODE", "URL_DECODE: from a part of a URL.")
    md5 = FunctionProperty("MD5", "MD5 in hexadecimal digits.")
    sha1 = FunctionProperty("SHA1", "SHA1 in hexadecimal digits.")
    sha224 = FunctionProperty("SHA224", "SHA224 in hexadecimal digits.")
    sha256 = FunctionProperty("SHA256", "SHA256 in hexadecimal digits.")
    sha384 = FunctionProperty("SHA384", "SHA384 in hexadecimal digits.")
    sha512 = FunctionProperty("SHA512", "SHA512 in hexadecimal digits.")
    json_quote = FunctionProperty("JSON_QUOTE", "JSON_QUOTE: as a JSON text.")
    json_unquote = FunctionProperty("JSON_UNQUOTE", "JSON_UNQUOTE: what a JSON text holds.")
    inet_aton = FunctionProperty("INET_ATON", "INET_ATON: an IPv4 address as a number.")
    inet_ntoa = FunctionProperty("INET_NTOA", "INET_NTOA: the IPv4 address of a number.")
    json_string = FunctionProperty("JSON_STRING", "JSON_STRING: any value as JSON.")

    def sha2(self, bits: object) -> Self:
        """SHA2 of 224, 256, 384 or 512 bits."""
        return self._call("sha2", "SHA2", bits)

    def substring(self, begin: object, length: object | None = None) -> Self:
        """SUBSTRING from a place (from 1), to the end or of a length."""
        return self._call("substring", "SUBSTRING", begin, *_given(length))

    def substr(self, begin: object, length: object | None = None) -> Self:
        """SUBSTR; the same as `substring`."""
        return self._call("substr", "SUBSTR", begin, *_given(length))

    def trim(self, character: object = " ") -> Self:
        """TRIM at both ends."""
        return self._trimmed("trim", "BOTH", character)

    def trim_leading(self, character: object = " ") -> Self:
        """TRIM(LEADING ...)."""
        return self._trimmed("trim_leading", "LEADING", character)

    def trim_trailing(self, character: object = " ") -> Self:
        """TRIM(TRAILING ...)."""
        return self._trimmed("trim_trailing", "TRAILING", character)

    def _trimmed(self, name: str, flag: str, character: object) -> Self:
        call = call_node("TRIM")
        call.set("expressions", [ast.Keyword(this=flag), node_of(character), self._node])
        return self._method(call, name, *(() if character == " " else (character,)))

    def ltrim(self, characters: object | None = None) -> Self:
        """LTRIM: without blanks, or these characters, at the start."""
        return self._call("ltrim", "LTRIM", *_given(characters))

    def rtrim(self, characters: object | None = None) -> Self:
        """RTRIM: without blanks, or these characters, at the end."""
        return self._call("rtrim", "RTRIM", *_given(characters))

    def btrim(self, characters: object | None = None) -> Self:
        """BTRIM: without blanks, or these characters, at both ends."""
        return self._call("btrim", "BTRIM", *_given(characters))

    def lpad(self, length: object, pad: object) -> Self:
        """LPAD to a length."""
        return self._call("lpad", "LPAD", length, pad)

    def rpad(self, length: object, pad: object) -> Self:
        """RPAD to a length."""
        return self._call("rpad", "RPAD", length, pad)

    def left(self, length: object) -> Self:
        """LEFT: the first characters."""
        return self._call("left", "LEFT", length)

    def right(self, length: object) -> Self:
        """RIGHT: the last characters."""
        return self._call("right", "RIGHT", length)

    def repeat(self, times: object) -> Self:
        """REPEAT this a number of times."""
        return self._call("repeat", "REPEAT", times)

    def replace(self, search: object, replacement: object) -> Self:
        """REPLACE all that is `search`."""
        return self._call("replace", "REPLACE", search, replacement)

    def translate(self, characters: object, others: object) -> Self:
        """TRANSLATE characters into the others of the same place."""
        return self._call("translate", "TRANSLATE", characters, others)

    def overlay(self, text: object, start: object, length: object | None = None) -> Self:
        """OVERLAY: `text` in place of what stands at `start`."""
        return self._call("overlay", "OVERLAY", text, start, *_given(length))

    def position(self, text: object) -> Self:
        """POSITION(this IN text), from 1; 0 where it is not there."""
        return self._call("position", "POSITION", text)

    def instr(self, text: object) -> Self:
        """INSTR: the place of `text` in this, from 1."""
        return self._call("instr", "INSTR", text)

    def locate(self, text: object, start: object | None = None) -> Self:
        """LOCATE: the place of this in `text`, from 1."""
        return self._call("locate", "LOCATE", text, *_given(start))

    def starts_with(self, text: object) -> Self:
        """STARTSWITH."""
        return self._call("starts_with", "STARTSWITH", text)

    def ends_with(self, text: object) -> Self:
        """ENDSWITH."""
        return self._call("ends_with", "ENDSWITH", text)

    def split(self, delimiter: object) -> Self:
        """SPLIT into an array."""
        return self._call("split", "SPLIT", delimiter)

    def split_index(self, delimiter: object, index: object) -> Self:
        """SPLIT_INDEX: the part of that place, from 0."""
        return self._call("split_index", "SPLIT_INDEX", delimiter, index)

    def str_to_map(self, pairs: object = ",", values: object = "=") -> Self:
        """STR_TO_MAP, with what separates pairs, and keys from values."""
        return self._call("str_to_map", "STR_TO_MAP", pairs, values)

    def regexp(self, pattern: object) -> Self:
        """REGEXP: whether a part matches."""
        return self._call("regexp", "REGEXP", pattern)

    def regexp_replace(self, pattern: object, replacement: object) -> Self:
        """REGEXP_REPLACE all that matches."""
        return self._call("regexp_replace", "REGEXP_REPLACE", pattern, replacement)

    def regexp_extract(self, pattern: object, group: object | None = None) -> Self:
        """REGEXP_EXTRACT: what matches, or a group of it."""
        return self._call("regexp_extract", "REGEXP_EXTRACT", pattern, *_given(group))

    def regexp_extract_all(self, pattern: object, group: object | None = None) -> Self:
        """REGEXP_EXTRACT_ALL: all that matches, as an array."""
        return self._call("regexp_extract_all", "REGEXP_EXTRACT_ALL", pattern, *_given(group))

    def regexp_count(self, pattern: object) -> Self:
        """REGEXP_COUNT: how often it matches."""
        return self._call("regexp_count", "REGEXP_COUNT", pattern)

    def regexp_instr(self, pattern: object) -> Self:
        """REGEXP_INSTR: where it matches first, from 1."""
        return self._call("regexp_instr", "REGEXP_INSTR", pattern)

    def regexp_substr(self, pattern: object) -> Self:
        """REGEXP_SUBSTR: what matches first."""
        return self._call("regexp_substr", "REGEXP_SUBSTR", pattern)

    def printf(self, *values: object) -> Self:
        """PRINTF: the values in this format."""
        return self._call("printf", "PRINTF", *values)

    def encode(self, charset: object) -> Self:
        """ENCODE into bytes."""
        return self._call("encode", "ENCODE", charset)

    def decode(self, charset: object) -> Self:
        """DECODE from bytes."""
        return self._call("decode", "DECODE", charset)

    def parse_url(self, part: object, key: object | None = None) -> Self:
        """PARSE_URL: HOST, PATH, QUERY, REF, PROTOCOL, AUTHORITY, FILE or USERINFO; of QUERY, the value of a key."""
        return self._call("parse_url", "PARSE_URL", part, *_given(key))

    # --- JSON

    def json_exists(self, path: str) -> Self:
        """JSON_EXISTS: whether the path is there."""
        return self._method(ast.JsonExists(this=self._node, path=node_of(path)), "json_exists", path)

    def json_value(self, path: str, returning: object | None = None) -> Self:
        """JSON_VALUE: the scalar at the path, NULL where there is none; `returning` is its type (STRING)."""
        from compiled_plan.planner.table.expressions.types import type_node

        spec = None if returning is None else type_node(returning)
        node = ast.JsonValue(this=self._node, path=node_of(path), returning=spec)
        return self._method(node, "json_value", path, *_given(returning))

    def json_query(self, path: str) -> Self:
        """JSON_QUERY: the object or array at the path, as text."""
        return self._method(ast.JsonQuery(this=self._node, path=node_of(path)), "json_query", path)


def _given(value: object | None) -> tuple[object, ...]:
    return () if value is None else (value,)
