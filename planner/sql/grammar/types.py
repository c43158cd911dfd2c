"""Data types (Flink docs, "Data Types"; Calcite's spellings that Flink's parser accepts)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from compiled_plan.planner.diagnostics.foreign import TYPES
from compiled_plan.planner.sql.grammar.cursor import Cursor
from compiled_plan.planner.sql.nodes import IntervalQualifier, TypeField, TypeSpec

if TYPE_CHECKING:
    from collections.abc import Callable

#: Spelling -> root, for types without parameters.
PLAIN = {
    "BOOLEAN": "BOOLEAN",
    "TINYINT": "TINYINT",
    "SMALLINT": "SMALLINT",
    "INT": "INT",
    "INTEGER": "INT",
    "BIGINT": "BIGINT",
    "FLOAT": "FLOAT",
    "REAL": "REAL",
    "DATE": "DATE",
    "STRING": "STRING",
    "BYTES": "BYTES",
    "VARIANT": "VARIANT",
    "BITMAP": "BITMAP",
    "DESCRIPTOR": "DESCRIPTOR",
}
#: Spelling -> (root, maximum number of parameters).
SIZED = {
    "CHAR": ("CHAR", 1),
    "CHARACTER": ("CHAR", 1),
    "VARCHAR": ("VARCHAR", 1),
    "BINARY": ("BINARY", 1),
    "VARBINARY": ("VARBINARY", 1),
    "DECIMAL": ("DECIMAL", 2),
    "DEC": ("DECIMAL", 2),
    "NUMERIC": ("DECIMAL", 2),
    "TIMESTAMP_LTZ": ("TIMESTAMP_LTZ", 1),
}
_SUFFIXES = ("ARRAY", "MULTISET")
_TEXTS = ("CHAR", "VARCHAR")
#: The names of Flink's own character set.
_NATIVE_CHARACTER_SETS = frozenset({"UTF-16LE", "UTF-16", "UTF16"})
#: Character sets that a column may name; without effect, since all texts are Unicode.
_CHARACTER_SETS = _NATIVE_CHARACTER_SETS | {
    "UTF-8",
    "UTF8",
    "UTF-16BE",
    "ISO-8859-1",
    "LATIN1",
    "BIG5",
    "GB2312",
    "GBK",
}
#: Roots with VARYING after them -> the resulting root.
_VARYING = {"CHAR": "VARCHAR", "BINARY": "VARBINARY"}
UNITS = frozenset(
    {"YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "HOUR", "MINUTE", "SECOND"}
    | {"YEARS", "QUARTERS", "MONTHS", "WEEKS", "DAYS", "HOURS", "MINUTES", "SECONDS"}
)
#: The units allowed after TO, by the first unit.
_ENDS = {
    "YEAR": frozenset({"MONTH"}),
    "DAY": frozenset({"HOUR", "MINUTE", "SECOND"}),
    "HOUR": frozenset({"MINUTE", "SECOND"}),
    "MINUTE": frozenset({"SECOND"}),
}


class Types(Cursor):
    """Parser of types and interval units."""

    _in_cast = False

    def parse_type(self) -> TypeSpec:
        """A type with its NULL or NOT NULL and its ARRAY and MULTISET suffixes."""
        start = self.mark()
        spec = self._nullability(self._bare_type(), start)
        while suffix := self.take_any(_SUFFIXES):
            outer = self.node(TypeSpec(suffix, children=(spec,)), start)
            spec = self._nullability(outer, start)
        return spec

    def _nullability(self, spec: TypeSpec, start: int) -> TypeSpec:
        if self.take("NOT", "NULL"):
            spec = replace(spec, nullable=False)
        elif self.take("NULL"):
            spec = replace(spec, nullable=True)
        return self.node(spec, start)

    def _bare_type(self) -> TypeSpec:
        start = self.mark()
        word = self.word()
        reader = _READERS.get(word)
        if reader is not None:
            self.advance()
            return self.node(reader(self), start)
        if word in PLAIN:
            self.advance()
            return self.node(TypeSpec(PLAIN[word]), start)
        if word in SIZED:
            self.advance()
            root, most = SIZED[word]
            if root in _VARYING and self.take("VARYING"):
                root = _VARYING[root]
            parameters = self._parameters(most)
            if root in _TEXTS and self.take("CHARACTER", "SET"):
                self._character_set()
            return self.node(TypeSpec(root, parameters), start)
        if word == "INTERVAL":
            self.fail("SQL parse failed: an INTERVAL type stands directly in CAST, not in a column or in another type")
        form = TYPES.get(word)
        if form and (self.following.kind in ("(", "<") or not self.at_name()):
            self.fail(f"no type is named {self.current.text!r}", remedy=f"write {form}")
        if not self.at_name():
            self.fail_expected("a data type")
        return self.node(TypeSpec("USER", parts=self.dotted("a data type")), start)

    def _character_set(self) -> None:
        token = self.current
        name = self.name("a character set").name
        if name not in _CHARACTER_SETS:
            self.fail(f"SQL parse failed: unknown character set {name!r}", token=token, remedy="leave it out")
        if self._in_cast and name not in _NATIVE_CHARACTER_SETS:
            self.fail(f"a text cannot be cast to the character set {name!r}", token=token, remedy="write `UTF-16LE`")

    def _parameters(self, most: int) -> tuple[int, ...]:
        if not self.take_symbol("("):
            return ()
        values = self.listed(self.integer)
        if len(values) > most:
            self.fail(f"SQL parse failed: this type takes at most {most} parameter(s)", token=self.previous)
        self.close()
        return tuple(values)

    def _double(self) -> TypeSpec:
        self.take("PRECISION")
        return TypeSpec("DOUBLE")

    def _time(self) -> TypeSpec:
        parameters = self._parameters(1)
        self.take("WITHOUT", "TIME", "ZONE")
        return TypeSpec("TIME", parameters)

    def _timestamp(self) -> TypeSpec:
        parameters = self._parameters(1)
        root = "TIMESTAMP"
        if self.take("WITH", "LOCAL", "TIME", "ZONE"):
            root = "TIMESTAMP_LTZ"
        elif self.at("WITH", "TIME", "ZONE"):
            self.fail(
                "TIMESTAMP WITH TIME ZONE is not a type that Flink supports",
                remedy="use TIMESTAMP_LTZ or TIMESTAMP WITH LOCAL TIME ZONE",
            )
        else:
            self.take("WITHOUT", "TIME", "ZONE")
        return TypeSpec(root, parameters)

    def parse_cast_type(self) -> TypeSpec:
        """Parse the type of CAST: a target type without NULL or NOT NULL."""
        spec = self.parse_target_type()
        if self.at("NULL") or self.at("NOT", "NULL"):
            self.fail(
                "SQL parse failed: the type of a cast takes no NULL or NOT NULL",
                remedy="leave it out: a cast keeps the nullability of its operand",
            )
        return spec

    def parse_target_type(self) -> TypeSpec:
        """Parse the type of CAST or RETURNING: also an INTERVAL, with NULL or NOT NULL inside of brackets only.

        The element of an ARRAY or MULTISET suffix is NOT NULL here, as in Flink; in a column it is nullable.
        """
        start = self.mark()
        if self.take("INTERVAL"):
            return self.node(TypeSpec("INTERVAL", unit=self.parse_interval_qualifier()), start)
        self._in_cast = True
        spec = self._bare_type()
        self._in_cast = False
        while suffix := self.take_any(_SUFFIXES):
            spec = replace(spec, nullable=False)
            spec = self.node(TypeSpec(suffix, children=(spec,)), start)
        return spec

    def _plain_element(self) -> TypeSpec:
        start = self.mark()
        return self._nullability(self._bare_type(), start)

    def _element(self, root: str, count: int) -> TypeSpec:
        self.need_symbol("<")
        # Flink allows suffixes in the brackets of MAP and ROW, but not of ARRAY and MULTISET.
        children = self.listed(self.parse_type if count > 1 else self._plain_element)
        if len(children) != count:
            self.fail(f"SQL parse failed: {root} takes {count} type(s)", token=self.previous)
        self.need_symbol(">")
        return TypeSpec(root, children=tuple(children))

    def _row_type(self) -> TypeSpec:
        closing = ">"
        if self.take_symbol("("):
            closing = ")"
        elif self.take_symbol("<>"):  # ROW<> has a single token
            return TypeSpec("ROW")
        else:
            self.need_symbol("<")
        self.take_symbol(",")  # in Flink's grammar, a comma may stand in front of the first field
        fields = [] if self.at_symbol(closing) else self.listed(self._field)
        self.need_symbol(closing)
        return TypeSpec("ROW", fields=tuple(fields))

    def _field(self) -> TypeField:
        start = self.mark()
        name = self.name("a field name")
        type_ = self.parse_type()
        comment = self.string() if self.at_string() else None
        return self.node(TypeField(name, type_, comment), start)

    def _structured(self) -> TypeSpec:
        self.need_symbol("<")
        class_name = self.string("the class name of the structured type")
        # Flink accepts and writes `STRUCTURED<'x.Y', >` for a type without fields.
        more = self.take_symbol(",") and not self.at_symbol(">")
        fields = self.listed(self._field) if more else []
        self.need_symbol(">")
        return TypeSpec("STRUCTURED", class_name=class_name, fields=tuple(fields))

    def _raw(self) -> TypeSpec:
        self.open()
        class_name = self.string("a class name")
        self.need_symbol(",")
        snapshot = self.string("a serializer snapshot")
        self.close()
        return TypeSpec("RAW", class_name=class_name, snapshot=snapshot)

    # --- interval units -------------------------------------------------------------------------------------------

    def parse_interval_qualifier(self) -> IntervalQualifier:
        """DAY, DAY(2) TO SECOND(3), YEARS, ..."""
        start = self.mark()
        unit = self.take_any(UNITS)
        if not unit:
            self.fail_expected("a time unit such as DAY, HOUR, MINUTE or SECOND")
        first = unit.removesuffix("S")
        precision = scale = None
        if self.take_symbol("("):
            precision = self.integer()
            if first == "SECOND" and self.take_symbol(","):
                scale = self.integer()
            self.close()
        end = None
        if first in _ENDS and self.take("TO"):
            word = self.word()
            end = word.removesuffix("S")
            if end in _ENDS[first]:
                self.advance()
            else:
                self.fail_expected(f"a unit below {first} after TO: {', '.join(sorted(_ENDS[first]))}")
            if end == "SECOND" and self.take_symbol("("):
                scale = self.integer()
                self.close()
        return self.node(IntervalQualifier(first, end, precision, scale), start)


_READERS: dict[str, Callable[[Types], TypeSpec]] = {
    "DOUBLE": Types._double,
    "TIME": Types._time,
    "TIMESTAMP": Types._timestamp,
    "ROW": Types._row_type,
    "STRUCTURED": Types._structured,
    "RAW": Types._raw,
    "ARRAY": lambda types: types._element("ARRAY", 1),
    "MULTISET": lambda types: types._element("MULTISET", 1),
    "MAP": lambda types: types._element("MAP", 2),
}
