"""Options that several specs share."""

from __future__ import annotations

from compiled_plan.plans.connectors.table_options import Effect, TableOption, Use
from compiled_plan.plans.text.options import Kind


def flag(doc: str, default: str = "false", uses: Use = Use.ANY) -> TableOption:
    """A boolean option."""
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
_KEEPING_PACE = "How watermarks of several tables keep pace, "
_ONE_PACE = "a micro-batch takes from each table what is there, however far its watermark is"
#: Options of tables with watermarks, for every connector.
WATERMARKS = {
    EMIT_STRATEGY: passive(
        Kind.CHOICE,
        "Whether each row may move the watermark, or one that is more than 200 ms ahead.",
        Use.SOURCE,
        "on-periodic",
        ("on-periodic", "on-event"),
    ),
    IDLE_TIMEOUT: passive(
        Kind.DURATION,
        "After how long without rows a partition no longer holds windows back; `0 s` for never. Without it, what "
        "`table.exec.source.idle-timeout` says.",
        Use.SOURCE,
    ),
    "scan.watermark.alignment.group": refused(_KEEPING_PACE + "by the name of their group.", _ONE_PACE),
    "scan.watermark.alignment.max-drift": refused(_KEEPING_PACE + "how far one may be ahead.", _ONE_PACE),
    "scan.watermark.alignment.update-interval": refused(_KEEPING_PACE + "how often they are compared.", _ONE_PACE),
}

#: Flink accepts any value.
VERSION = {"property-version": tuning(Kind.TEXT, "Version of the options.", Use.ANY)}
SINK_PARALLELISM = tuning(Kind.INTEGER, "Number of tasks that write.")

#: Options of all JSON formats.
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
