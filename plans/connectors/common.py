"""Options that several specs share."""

from __future__ import annotations

from compiled_plan.plans.connectors.table_options import Effect, TableOption, Use
from compiled_plan.plans.text.options import Kind


def flag(doc: str, default: str = "false", uses: Use = Use.ANY) -> TableOption:
    """An option that is 'true' or 'false'."""
    return TableOption(Kind.BOOLEAN, default, doc=doc, uses=uses)


def tuning(kind: Kind, doc: str, uses: Use = Use.SINK, default: str = "") -> TableOption:
    """An option that tunes Flink and has no effect here."""
    return TableOption(kind, default, doc=doc, effect=Effect.TUNING, uses=uses)


def passive(
    kind: Kind,
    doc: str,
    uses: Use = Use.ANY,
    default: str = "",
    choices: tuple[str, ...] = (),
    *,
    fallbacks: tuple[str, ...] = (),
    required: bool = False,
) -> TableOption:
    """An option that does not affect the rows."""
    return TableOption(kind, default, choices, doc=doc, uses=uses, passive=True, fallbacks=fallbacks, required=required)


def refused(doc: str, why: str, uses: Use = Use.ANY) -> TableOption:
    """An option that would change behaviour and is not supported; messages append `why` after a colon."""
    return TableOption(Kind.TEXT, doc=doc, effect=Effect.REFUSED, why=why, uses=uses)


EMIT_STRATEGY, IDLE_TIMEOUT = "scan.watermark.emit.strategy", "scan.watermark.idle-timeout"
_KEEPING_PACE = "Watermark alignment of several tables: "
_ONE_PACE = "a micro-batch reads all available rows of each table, whatever its watermark"
LATE_TABLE = "late.table"
#: Options of tables whose rows may be late, for every connector that streams.
LATE_ROWS = {
    LATE_TABLE: passive(
        Kind.TEXT,
        "Table of the program for rows that the first operator with state drops as late. Not an option of Flink.",
        Use.SOURCE,
    ),
}
#: Options of tables with watermarks, for every connector.
WATERMARKS = {
    EMIT_STRATEGY: passive(
        Kind.CHOICE,
        "Advance the watermark with every row (`on-event`), or only by more than 200 ms (`on-periodic`).",
        Use.SOURCE,
        "on-periodic",
        ("on-periodic", "on-event"),
    ),
    IDLE_TIMEOUT: passive(
        Kind.DURATION,
        "Time without rows after which a partition is idle and no longer delays the watermark; `0 s` for never. "
        "The default is `table.exec.source.idle-timeout`.",
        Use.SOURCE,
    ),
    **LATE_ROWS,
    "scan.watermark.alignment.group": refused(_KEEPING_PACE + "name of the group.", _ONE_PACE),
    "scan.watermark.alignment.max-drift": refused(_KEEPING_PACE + "maximum drift.", _ONE_PACE),
    "scan.watermark.alignment.update-interval": refused(_KEEPING_PACE + "interval of updates.", _ONE_PACE),
}

#: Flink accepts any value.
VERSION = {"property-version": tuning(Kind.TEXT, "Version of the options.", Use.ANY)}
SINK_PARALLELISM = tuning(Kind.INTEGER, "Number of writing tasks.")

#: Options of all JSON formats.
JSON_OPTIONS = {
    "ignore-parse-errors": flag("Skip unreadable records; an unreadable field becomes NULL.", uses=Use.SOURCE),
    "timestamp-format.standard": TableOption(
        Kind.WORD, "SQL", ("SQL", "ISO-8601"), doc="Format of timestamps: `2020-12-30 12:13:14.123`, or with a `T`."
    ),
    "map-null-key.mode": TableOption(
        Kind.CHOICE,
        "FAIL",
        ("FAIL", "DROP", "LITERAL"),
        doc="Handling of a NULL key of a map: fail, drop the entry, or write a text as the key.",
        uses=Use.SINK,
    ),
    "map-null-key.literal": TableOption(
        Kind.TEXT, "null", doc="The text for a NULL key in mode LITERAL.", uses=Use.SINK
    ),
    "encode.decimal-as-plain-number": flag("Write a DECIMAL as 0.000000027 and not as 2.7E-8.", uses=Use.SINK),
    "encode.ignore-null-fields": flag("Omit fields that are NULL.", uses=Use.SINK),
}
