"""Partition commit: the options that decide when and how a partition of files is published.

Sources: Flink's page "FileSystem", "Partition Commit"; values that Flink 2.3 accepts and refuses.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from compiled_plan.plans.connectors.common import passive, refused, tuning
from compiled_plan.plans.connectors.table_options import TableOption, Use
from compiled_plan.plans.nodes.declared import TableFault
from compiled_plan.plans.text.options import Kind

KIND, FILE = "sink.partition-commit.policy.kind", "sink.partition-commit.success-file.name"
TRIGGER, DELAY = "sink.partition-commit.trigger", "sink.partition-commit.delay"
ZONE = "sink.partition-commit.watermark-time-zone"
PATTERN, FORMATTER = (f"partition.time-extractor.timestamp-{name}" for name in ("pattern", "formatter"))
BY_TIME_OF_PARTITION = "partition-time"
_EXTRACTOR, _SUCCESS_FILE = "partition.time-extractor.kind", "success-file"
_BY_CLASS = "a plan does not choose classes to load"

_FILE_NAME = re.compile(r"(?!\.\.?$)[^/\\{}\x00-\x1f]+")
_COMMIT = "Partition commit: "
_TIME = "Extraction of a partition's time from its values: "

OPTIONS: Mapping[str, TableOption] = {
    KIND: passive(
        Kind.TEXT,
        f"{_COMMIT}its policy; `success-file` adds an empty file to the folder. Without a policy there is no commit.",
        Use.SINK,
    ),
    FILE: passive(Kind.TEXT, f"{_COMMIT}the name of the success file.", Use.SINK, "_SUCCESS"),
    TRIGGER: passive(
        Kind.CHOICE,
        f"{_COMMIT}its trigger: the time since its first file was written, or the watermark passing its time.",
        Use.SINK,
        "process-time",
        ("process-time", BY_TIME_OF_PARTITION),
    ),
    DELAY: passive(Kind.DURATION, f"{_COMMIT}the delay of the trigger.", Use.SINK, "0 s"),
    ZONE: passive(Kind.TEXT, f"{_COMMIT}the time zone of partition times.", Use.SINK, "UTC"),
    _EXTRACTOR: passive(Kind.TEXT, f"{_TIME}`default` uses a pattern.", Use.SINK, "default"),
    "partition.time-extractor.class": tuning(Kind.TEXT, f"{_TIME}the class of the kind `custom`."),
    PATTERN: passive(
        Kind.TEXT,
        f"{_TIME}the pattern, `$dt $hour:00:00`; without it the first partition column is the time.",
        Use.SINK,
    ),
    FORMATTER: passive(
        Kind.TEXT,
        f"{_TIME}the format, a pattern of Java's `DateTimeFormatter`; by default `yyyy-MM-dd HH:mm:ss` or "
        "`yyyy-MM-dd`.",
        Use.SINK,
    ),
    "sink.partition-commit.policy.class": refused(f"{_COMMIT}the class of the policy `custom`.", _BY_CLASS, Use.SINK),
    "sink.partition-commit.policy.class.parameters": refused(
        f"{_COMMIT}the parameters of that class.", _BY_CLASS, Use.SINK
    ),
}


def faults(options: Mapping[str, str], table: str) -> Iterator[TableFault]:
    """Names of other files, and commit policies and partition time extractors that are not supported."""
    kinds = [item.strip().lower() for item in options.get(KIND, "").split(",") if item.strip()]
    why = {"metastore": "there is no metastore", "custom": _BY_CLASS}
    for kind in kinds:
        if kind != _SUCCESS_FILE:
            reason = why.get(kind, "Flink has 'success-file', 'metastore' and 'custom'")
            message = f"option {KIND!r} of table {table} is not supported with {kind!r}: {reason}"
            yield TableFault(message, f"set '{KIND}' to '{_SUCCESS_FILE}'", KIND, supported=False, foreign=True)
    if _FILE_NAME.fullmatch(options.get(FILE, "_SUCCESS")) is None:
        message = f"option {FILE!r} of table {table} is no name of a file: {options[FILE]!r}"
        yield TableFault(message, "write a name without slashes, such as '_SUCCESS'", FILE)
    if kinds and options.get(TRIGGER, "").strip().lower() == BY_TIME_OF_PARTITION:
        extractor = options.get(_EXTRACTOR, "default")
        if extractor != "default":
            message = f"option {_EXTRACTOR!r} of table {table} is not supported with {extractor!r}: {_BY_CLASS}"
            yield TableFault(message, f"leave it out, and set '{PATTERN}'", _EXTRACTOR, supported=False, foreign=True)
