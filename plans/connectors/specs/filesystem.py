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
    "The files in a folder, or a single file.",
    {
        **VERSION,
        **dead_letters.OPTIONS,
        "path": TableOption(Kind.PATH, doc="The file or folder; any Hadoop URI.", required=True),
        "partition.default-name": TableOption(
            Kind.TEXT, "__DEFAULT_PARTITION__", doc="The folder name for a partition column that is NULL or empty."
        ),
        "source.monitor-interval": passive(
            Kind.DURATION,
            "Interval of the search for new files, which makes the table unbounded; without it the table ends.",
            Use.SOURCE,
        ),
        **WATERMARKS,
        EMIT_STRATEGY: tuning(Kind.TEXT, "Strategy of emitting watermarks.", Use.SOURCE),
        "source.report-statistics": tuning(Kind.TEXT, "Statistics for the planner.", Use.SOURCE),
        **partition_commits.OPTIONS,
        "sink.parallelism": SINK_PARALLELISM,
        "sink.shuffle-by-partition.enable": tuning(Kind.BOOLEAN, "Write each partition in one task."),
        "sink.rolling-policy.file-size": tuning(Kind.MEMORY, "Size at which a new file begins."),
        "sink.rolling-policy.rollover-interval": tuning(Kind.DURATION, "Age at which a new file begins."),
        "sink.rolling-policy.check-interval": tuning(Kind.DURATION, "Interval of checks of the files' age."),
        "sink.rolling-policy.inactivity-interval": tuning(Kind.DURATION, "Time without rows after which a file ends."),
        "auto-compaction": tuning(Kind.BOOLEAN, "Compact small files."),
        "compaction.file-size": tuning(Kind.MEMORY, "Target size of compacted files."),
        "compaction.parallelism": tuning(Kind.INTEGER, "Number of compacting tasks."),
        "source.path.regex-pattern": refused(
            "Regular expression of the paths to read.",
            "Spark lists files without regular expressions; name a folder that holds no others",
            Use.SOURCE,
        ),
    },
    source=SourceSpec(bounded=Boundedness.BY_OPTION, again=True),
    sink=SinkSpec(),
    formats=ONE_FORMAT,
    metadata={
        "file.path": Metadata(STRING.not_null(), "Path of the row's file."),
        "file.name": Metadata(STRING.not_null(), "Name of the file."),
        "file.size": Metadata(BIGINT.not_null(), "Size of the file in bytes."),
        "file.modification-time": Metadata(
            TimestampLtzType(precision=3, nullable=False), "Time of the file's last modification."
        ),
    },
    place=("path",),
    faults=_faults,
    at_start="files and folders",
)
