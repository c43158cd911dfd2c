"""Windows over event time: a table of a descriptor with a watermark, group windows and OVER."""

from pathlib import Path

from compiled_plan.pyflink import (
    DataTypes,
    EnvironmentSettings,
    FormatDescriptor,
    Schema,
    TableDescriptor,
    TableEnvironment,
)
from compiled_plan.pyflink.expressions import CURRENT_ROW, UNBOUNDED_ROW, col, lit, row_interval
from compiled_plan.pyflink.window import Over, Session, Slide, Tumble

LINES = """2024-01-01 00:00:01;ann;1.5
2024-01-01 00:00:04;bob;2.0
2024-01-01 00:00:06;ann;4.0
2024-01-01 00:00:13;ann;8.0
2024-01-01 00:00:31;bob;1.0
"""


def main(folder):
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    t_env.get_config().set("parallelism.default", "1").set("table.local-time-zone", "UTC")
    clicks = Path(folder, "clicks")
    clicks.mkdir()
    clicks.joinpath("1.csv").write_text(LINES)
    t_env.create_temporary_table(
        "clicks",
        TableDescriptor.for_connector("filesystem")
        .schema(
            Schema.new_builder()
            .column("at", DataTypes.TIMESTAMP(3))
            .column("who", "STRING")
            .column("cost", DataTypes.DOUBLE())
            .column_by_expression("double_cost", "`cost` * 2")
            .watermark("at", "`at` - INTERVAL '1' SECOND")
            .build()
        )
        .option("path", f"{folder}/clicks")
        .format(FormatDescriptor.for_format("csv").option("field-delimiter", ";").build())
        .build(),
    )
    clicks = t_env.from_path("clicks")
    print(clicks.get_resolved_schema())
    tumbling = clicks.window(Tumble.over(lit(10).seconds).on(col("at")).alias("w"))
    show(
        tumbling.group_by(col("w"), col("who")).select(
            col("who"), col("w").start, col("w").end, col("w").rowtime, col("cost").sum, col("double_cost").max
        )
    )
    sliding = clicks.window(Slide.over(lit(10).seconds).every(lit(5).seconds).on(clicks.at).alias("w"))
    show(sliding.group_by(col("w")).select(col("w").start, lit(1).count.alias("n")))
    sessions = clicks.window(Session.with_gap(lit(5).seconds).on(col("at")).alias("s"))
    show(sessions.group_by(col("s"), col("who")).select(col("who"), col("s").start, col("s").end, col("cost").avg))
    over = clicks.over_window(
        Over.partition_by(col("who")).order_by(col("at")).preceding(UNBOUNDED_ROW).following(CURRENT_ROW).alias("o")
    )
    show(over.select(col("who"), col("at"), col("cost").sum.over(col("o")), col("cost").count.over(col("o"))))
    two = clicks.over_window(Over.partition_by(col("who")).order_by(col("at")).preceding(row_interval(1)).alias("o"))
    show(two.select(col("who"), col("cost").max.over(col("o"))))


def show(table):
    with table.execute().collect() as rows:
        for line in sorted(map(str, rows)):
            print(line)
