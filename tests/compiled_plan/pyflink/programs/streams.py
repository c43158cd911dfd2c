"""A program around a StreamExecutionEnvironment: a collection with event time, and SQL windows over it."""

from compiled_plan.pyflink import DataTypes, Schema, StreamTableEnvironment
from compiled_plan.pyflink.common import Types
from compiled_plan.pyflink.common.time import Instant
from compiled_plan.pyflink.datastream import StreamExecutionEnvironment


def main(folder):
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(1)
    env.enable_checkpointing(1000)
    t_env = StreamTableEnvironment.create(stream_execution_environment=env)
    t_env.get_config().set_local_timezone("UTC")
    stream = env.from_collection(
        [(Instant.of_epoch_milli(1000), "a", 1.5), (Instant.of_epoch_milli(7000), "a", 2.5)],
        type_info=Types.ROW([Types.INSTANT(), Types.STRING(), Types.DOUBLE()]),
    )
    schema = (
        Schema.new_builder()
        .column_by_expression("ts", "CAST(f0 AS TIMESTAMP(3))")
        .column("f1", DataTypes.STRING())
        .column("f2", DataTypes.DOUBLE())
        .watermark("ts", "ts - INTERVAL '1' SECOND")
        .build()
    )
    table = t_env.from_data_stream(stream, schema).alias("ts", "who", "cost")
    t_env.create_temporary_view("clicks", table)
    query = """
        SELECT who, window_start, window_end, SUM(cost) AS cost
        FROM TABLE(TUMBLE(TABLE clicks, DESCRIPTOR(ts), INTERVAL '5' SECOND))
        GROUP BY who, window_start, window_end
    """
    with t_env.sql_query(query).execute().collect() as rows:
        for line in sorted(map(str, rows)):
            print(line)
    plain = t_env.from_data_stream(env.from_collection([(1, "x"), (2, "y")], Types.ROW([Types.INT(), Types.STRING()])))
    print(plain.get_schema().get_field_names())
    with plain.execute().collect() as rows:
        print(sorted(map(str, rows)))
