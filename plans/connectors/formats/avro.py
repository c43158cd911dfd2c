"""The format `avro`. Source: Flink's page "Avro"."""

from __future__ import annotations

from compiled_plan.plans.connectors.avro_schemas import avro_columns
from compiled_plan.plans.connectors.common import flag
from compiled_plan.plans.connectors.format_spec import FormatSpec
from compiled_plan.plans.connectors.table_options import TableOption, Use
from compiled_plan.plans.text.options import Kind

SPEC = FormatSpec(
    "avro",
    "Avro container files, or an Avro record per message; the schema is derived from the columns.",
    {
        "codec": TableOption(
            Kind.WORD,
            "snappy",
            ("null", "deflate", "snappy", "bzip2", "xz", "zstandard"),
            doc="Compression of blocks in files.",
            uses=Use.SINK,
            of_files=True,
        ),
        "encoding": TableOption(
            Kind.CHOICE, "binary", ("binary", "json"), doc="The encoding of messages; files are always binary."
        ),
        "timestamp_mapping.legacy": flag("Map TIMESTAMP to Avro's timestamp, which is an instant.", "true"),
    },
    extension="avro",
    blocks=True,
    messages=True,
    unfit=avro_columns("avro"),
)
