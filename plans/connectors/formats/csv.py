"""The format `csv`. Source: Flink's page "CSV"."""

from __future__ import annotations

from collections.abc import Mapping

from compiled_plan.plans import types as t
from compiled_plan.plans.connectors.columns import without
from compiled_plan.plans.connectors.common import flag
from compiled_plan.plans.connectors.format_spec import FormatSpec
from compiled_plan.plans.connectors.table_options import TableOption, Use
from compiled_plan.plans.text.options import Kind


def _quoted_and_not(options: Mapping[str, str]) -> tuple[str, str, str] | None:
    quote, off = "quote-character", "disable-quote-character"
    if quote in options and options.get(off, "").strip().lower() == "true":
        return off, f"csv.{quote} and csv.{off} cannot both be set", "leave one of them out"
    return None


SPEC = FormatSpec(
    "csv",
    "A record per line or message, with its cells in the order of the columns.",
    {
        "field-delimiter": TableOption(Kind.DELIMITER, ",", doc="Delimiter of cells; `\\t` is a tab."),
        "disable-quote-character": flag("Cells are never quoted."),
        "quote-character": TableOption(Kind.CHARACTER, '"', doc="Quote character of cells."),
        "allow-comments": flag("Skip lines that begin with #.", uses=Use.SOURCE),
        "ignore-parse-errors": flag("Skip unreadable records; an unreadable cell becomes NULL.", uses=Use.SOURCE),
        "array-element-delimiter": TableOption(Kind.TEXT, ";", doc="Delimiter of the elements of an array or a row."),
        "escape-character": TableOption(Kind.CHARACTER, doc="Escape character."),
        "null-literal": TableOption(Kind.TEXT, doc="The text of NULL."),
        "write-bigdecimal-in-scientific-notation": flag("Write a DECIMAL as 1E+5 and not as 100000.", "true", Use.SINK),
        "trim-spaces": flag("Trim spaces around cells.", uses=Use.SOURCE),
        "ignore-trailing-unmappable": flag("Ignore cells after the last column.", uses=Use.SOURCE),
        "allow-trailing-comma": flag("Ignore a delimiter at the end of a line.", "true", Use.SOURCE),
        "fail-on-missing-columns": flag("Fail if a line has too few cells; otherwise they are NULL.", uses=Use.SOURCE),
        "empty-string-as-null": flag("Read an empty cell as NULL.", uses=Use.SOURCE),
        "header": TableOption(
            Kind.BOOLEAN,
            "false",
            doc="The first record of a file has the names of its columns, which may be in any order, and more than the "
            "table's. Flink has no such option.",
            uses=Use.SOURCE,
            of_files=True,
        ),
    },
    extension="csv",
    messages=True,
    positional=True,
    named_by="header",
    only_read=("header",),
    unfit=without("csv", (t.MapType, t.MultisetType, t.RawType), "use the format json, or arrays in place of maps"),
    contradiction=_quoted_and_not,
)
