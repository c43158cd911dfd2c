"""The format `json`: an object a line, or an array of objects, each a row.

Source: Flink's page "JSON", and what Flink 2.3 reads and writes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from plans import types as t
from plans.errors import UnsupportedError
from plans.execution.connectors.options import Check, OptionSet, any_text, boolean, one_of
from plans.execution.formats.base import FormatSpec, first_unfit, register
from plans.execution.formats.lines import LineFormat

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame
    from pyspark.sql.streaming.readwriter import DataStreamReader

#: Options that `json` and `debezium-json` share.
JSON_OPTIONS: Mapping[str, Check] = {
    "ignore-parse-errors": boolean,
    "timestamp-format.standard": one_of("SQL", "ISO-8601"),
    "map-null-key.mode": one_of("FAIL", "DROP", "LITERAL"),
    "map-null-key.literal": any_text,
    "encode.decimal-as-plain-number": boolean,
    "encode.ignore-null-fields": boolean,
}


class JsonFormat(LineFormat):
    """`json`: an object a line, inserts only."""

    name = "json"
    extension = "json"
    options = OptionSet({**JSON_OPTIONS, "fail-on-missing-field": boolean, "decode.json-parser.enabled": boolean})
    inserts_only = True
    metadata: ClassVar[Mapping[str, t.LogicalType]] = {}

    def check(self, spec: FormatSpec) -> None:
        """Refuse what JSON cannot hold; see `Format.check`."""
        check_json(self.name, spec)
        if spec.flag("ignore-parse-errors") and spec.flag("fail-on-missing-field"):
            raise UnsupportedError(
                "json.fail-on-missing-field and json.ignore-parse-errors cannot both be true",
                where=f"table {spec.table}",
                remedy="set one of them to 'false'",
            )

    def scan(self, files: DataStreamReader, path: str, spec: FormatSpec, extra: Sequence[Column]) -> DataFrame:
        """Rows of files; see `Format.scan`."""
        return self.decoded(files.option("lineSep", "\n").text(path), spec, extra)


def check_json(name: str, spec: FormatSpec) -> None:
    """Refuse columns that JSON cannot hold.

    Raises:
        UnsupportedError: names the table and the column.
    """
    found = first_unfit(spec.row, _unfit)
    if found is not None:
        raise UnsupportedError(
            f"format {name!r} cannot hold column {found.name!r} of type {found.type}",
            where=f"table {spec.table}",
            remedy="JSON has maps and multisets with keys that are texts only: make the key a STRING",
        )


def _unfit(type_: t.LogicalType) -> bool:
    match type_:
        case t.MapType():
            return not isinstance(type_.key, t.CharacterType)
        case t.MultisetType():
            return not isinstance(type_.element, t.CharacterType)
    return isinstance(type_, t.RawType | t.VariantType | t.TimestampTzType)


register(JsonFormat())
