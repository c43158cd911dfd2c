"""The format `raw`. Source: Flink's page "Raw"."""

from __future__ import annotations

import codecs
from collections.abc import Mapping

from compiled_plan.plans import types as t
from compiled_plan.plans.connectors.columns import column
from compiled_plan.plans.connectors.format_spec import FormatSpec, Unfit
from compiled_plan.plans.connectors.table_options import TableOption
from compiled_plan.plans.text.options import Kind

_TYPES = (t.CharacterType, t.BytesType, t.BooleanType, t.IntegerType, t.FloatType, t.DoubleType)


def _unfit(row: t.RowType, options: Mapping[str, str]) -> Unfit | None:
    if len(row.fields) > 1:
        return Unfit(
            f"format 'raw' holds one column, and there are {len(row.fields)}: {', '.join(row.names)}",
            "leave one column, or use another format",
        )
    for field in row.fields:
        if not isinstance(field.type, _TYPES):
            return column("raw", field, "make it a STRING, BYTES, BOOLEAN, or a number that is no DECIMAL")
    charset = options.get("charset", "UTF-8")
    if not _known_charset(charset):
        return Unfit(
            f"option 'raw.charset' names an unknown charset, {charset!r}",
            "name one that Java has, such as UTF-8, ISO-8859-1 or UTF-16LE",
        )
    return None


def _known_charset(name: str) -> bool:
    """Return True if Java may know a charset; Java has members of some families that Python lacks."""
    try:
        codecs.lookup(name)
    except (LookupError, ValueError):
        return name.lower().startswith(("x-", "ibm", "cesu", "windows-", "tis-", "gb", "jis"))
    return True


SPEC = FormatSpec(
    "raw",
    "The single column per line or message, as text or as the bytes of a number.",
    {
        "charset": TableOption(Kind.TEXT, "UTF-8", doc="The charset of texts, by Java's name."),
        "endianness": TableOption(
            Kind.CHOICE, "big-endian", ("big-endian", "little-endian"), doc="The order of the bytes of a number."
        ),
    },
    extension="txt",
    messages=True,
    positional=True,
    unfit=_unfit,
    at_start="the charset",
)
