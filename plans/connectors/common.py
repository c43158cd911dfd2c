"""Options that several specs have."""

from __future__ import annotations

from compiled_plan.plans.connectors.spec import Effect, TableOption, Use
from compiled_plan.plans.options import Kind


def flag(doc: str, default: str = "false", uses: Use = Use.ANY) -> TableOption:
    """An option that is true or false."""
    return TableOption(Kind.BOOLEAN, default, doc=doc, uses=uses)


def tuning(kind: Kind, doc: str, uses: Use = Use.SINK, default: str = "") -> TableOption:
    """An option that tunes how Flink does its work."""
    return TableOption(kind, default, doc=doc, effect=Effect.TUNING, uses=uses)


def refused(doc: str, uses: Use = Use.ANY) -> TableOption:
    """An option that changes what happens, and is not supported."""
    return TableOption(Kind.TEXT, doc=doc, effect=Effect.REFUSED, uses=uses)


#: Flink takes any value of it.
VERSION = {"property-version": tuning(Kind.TEXT, "Version of the options.", Use.ANY)}
SINK_PARALLELISM = tuning(Kind.INTEGER, "Number of tasks that write.")

#: Options of all formats that hold JSON.
JSON_OPTIONS = {
    "ignore-parse-errors": flag("Pass over what cannot be read; a field of it becomes NULL.", uses=Use.SOURCE),
    "timestamp-format.standard": TableOption(
        Kind.WORD, "SQL", ("SQL", "ISO-8601"), doc="Texts of points in time: `2020-12-30 12:13:14.123`, or with a `T`."
    ),
    "map-null-key.mode": TableOption(
        Kind.CHOICE,
        "FAIL",
        ("FAIL", "DROP", "LITERAL"),
        doc="What becomes of a NULL key of a map: the run fails, the entry goes, or the key becomes a text.",
        uses=Use.SINK,
    ),
    "map-null-key.literal": TableOption(
        Kind.TEXT, "null", doc="The text for a NULL key, with mode LITERAL.", uses=Use.SINK
    ),
    "encode.decimal-as-plain-number": flag("Write a DECIMAL as 0.000000027 and not as 2.7E-8.", uses=Use.SINK),
    "encode.ignore-null-fields": flag("Leave fields out that are NULL.", uses=Use.SINK),
}
