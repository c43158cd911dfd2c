"""The connector `filesystem`.

Sources: Flink's page "FileSystem"; options that Flink 2.3 accepts: `scan.parallelism` is not one.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiled_plan.plans.connectors import dead_letters, partition_commits
from compiled_plan.plans.connectors.common import (
    EMIT_STRATEGY,
    SINK_PARALLELISM,
    VERSION,
    WATERMARKS,
    passive,
    refused,
    tuning,
)
from compiled_plan.plans.connectors.spec import (
    ONE_FORMAT,
    Boundedness,
    ConnectorSpec,
    Metadata,
    SinkSpec,
    SourceSpec,
    TableUse,
)
from compiled_plan.plans.connectors.table_options import TableOption, Use
from compiled_plan.plans.nodes.declared import TableFault
from compiled_plan.plans.text.options import Kind
from compiled_plan.plans.types import BIGINT, STRING, TimestampLtzType


def _faults(use: TableUse) -> Iterator[TableFault]:
    yield from dead_letters.faults(use)
    if not use.reading:
        yield from partition_commits.faults(use.options, use.table)


SPEC = ConnectorSpec(
    "filesystem",
    "Files of a format in a folder, or one file.",
    {
        **VERSION,
        **dead_letters.OPTIONS,
        "path": TableOption(Kind.PATH, doc="The file or folder; any Hadoop URI.", required=True),
        "partition.default-name": TableOption(
            Kind.TEXT, "__DEFAULT_PARTITION__", doc="The folder's name for a partition column that is NULL or empty."
        ),
        "source.monitor-interval": passive(
            Kind.DURATION, "Look for new files for ever; without it the table ends.", Use.SOURCE
        ),
        **WATERMARKS,
        EMIT_STRATEGY: tuning(Kind.TEXT, "When watermarks are sent.", Use.SOURCE),
        "source.report-statistics": tuning(Kind.TEXT, "Statistics for the planner.", Use.SOURCE),
        **partition_commits.OPTIONS,
        "sink.parallelism": SINK_PARALLELISM,
        "sink.shuffle-by-partition.enable": tuning(Kind.BOOLEAN, "Write each partition by one task."),
        "sink.rolling-policy.file-size": tuning(Kind.MEMORY, "Size from which on a new file is begun."),
        "sink.rolling-policy.rollover-interval": tuning(Kind.DURATION, "Age from which on a new file is begun."),
        "sink.rolling-policy.check-interval": tuning(Kind.DURATION, "How often the age of files is looked at."),
        "sink.rolling-policy.inactivity-interval": tuning(Kind.DURATION, "After how long without a row a file ends."),
        "auto-compaction": tuning(Kind.BOOLEAN, "Put small files together."),
        "compaction.file-size": tuning(Kind.MEMORY, "Size of files that were put together."),
        "compaction.parallelism": tuning(Kind.INTEGER, "Number of tasks that put files together."),
        "source.path.regex-pattern": refused(
            "Files that are read, by a pattern of their paths.",
            "Spark lists files without regular expressions; name a folder that holds no others",
            Use.SOURCE,
        ),
    },
    source=SourceSpec(bounded=Boundedness.BY_OPTION, again=True),
    sink=SinkSpec(),
    formats=ONE_FORMAT,
    metadata={
        "file.path": Metadata(STRING.not_null(), "Path of the file that the row is of."),
        "file.name": Metadata(STRING.not_null(), "Name of that file."),
        "file.size": Metadata(BIGINT.not_null(), "Its size in bytes."),
        "file.modification-time": Metadata(TimestampLtzType(precision=3, nullable=False), "When it was written last."),
    },
    place=("path",),
    faults=_faults,
    at_start="files and folders",
)
