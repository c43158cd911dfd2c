"""Types, rows, schemas, descriptors, settings and options, and the texts that show them."""

import datetime
import pickle
from pathlib import Path

from compiled_plan.pyflink import (
    DataTypes,
    EnvironmentSettings,
    ExplainDetail,
    FormatDescriptor,
    PlanReference,
    ResultKind,
    Row,
    RowKind,
    Schema,
    SqlDialect,
    TableDescriptor,
    TableEnvironment,
    TableSchema,
)
from compiled_plan.pyflink.changelog_mode import ChangelogMode
from compiled_plan.pyflink.common import Configuration
from compiled_plan.pyflink.descriptors import Rowtime
from compiled_plan.pyflink.descriptors import Schema as SchemaDescriptor
from compiled_plan.pyflink.expressions import UNBOUNDED_RANGE, col, lit
from compiled_plan.pyflink.model_descriptor import ModelDescriptor
from compiled_plan.pyflink.window import Over, Tumble


def tried(action, *arguments):
    try:
        return action(*arguments)
    except Exception:
        return "error"


def main(folder):
    types()
    rows()
    schemas()
    descriptors()
    settings()
    plans(folder)
    labels()


def types():
    simple = [
        DataTypes.NULL(),
        DataTypes.CHAR(3),
        DataTypes.VARCHAR(10),
        DataTypes.STRING(),
        DataTypes.BOOLEAN(),
        DataTypes.BINARY(3),
        DataTypes.VARBINARY(4),
        DataTypes.BYTES(),
        DataTypes.DECIMAL(10, 3),
        DataTypes.TINYINT(),
        DataTypes.SMALLINT(),
        DataTypes.INT(False),
        DataTypes.BIGINT(),
        DataTypes.FLOAT(),
        DataTypes.DOUBLE(),
        DataTypes.DATE(),
        DataTypes.TIME(0),
        DataTypes.TIMESTAMP(3),
        DataTypes.TIMESTAMP_WITH_LOCAL_TIME_ZONE(3),
        DataTypes.TIMESTAMP_LTZ(6),
        DataTypes.INTERVAL(DataTypes.DAY(3), DataTypes.SECOND(6)),
        DataTypes.INTERVAL(DataTypes.YEAR(), DataTypes.MONTH()),
        DataTypes.ARRAY(DataTypes.INT()),
        DataTypes.LIST_VIEW(DataTypes.INT()),
        DataTypes.MAP(DataTypes.STRING(), DataTypes.INT(False)),
        DataTypes.MAP_VIEW(DataTypes.STRING(), DataTypes.INT()),
        DataTypes.MULTISET(DataTypes.STRING()),
    ]
    for type_ in simple:
        print(repr(type_), type_.not_null() == type_, type_.nullable() == type_)
    row = DataTypes.ROW([DataTypes.FIELD("a", DataTypes.INT()), DataTypes.FIELD("b", DataTypes.STRING(), "text")])
    print(repr(row), row.names, [field.name for field in row.fields], len(row), row["a"].name, row[1].name)
    print([field.data_type == DataTypes.INT() for field in row], row.field_names(), len(row.field_types()))
    print(row == DataTypes.ROW([DataTypes.FIELD("a", DataTypes.INT()), DataTypes.FIELD("b", DataTypes.STRING())]))
    decimal, array, map_ = DataTypes.DECIMAL(10, 3), DataTypes.ARRAY(DataTypes.INT()), simple[-3]
    print(decimal.precision, decimal.scale, [array.element_type, map_.key_type, map_.value_type])
    print(DataTypes.TIMESTAMP(3).precision, DataTypes.CHAR(3).length, DataTypes.VARCHAR(10).length)
    print(DataTypes.INT() == DataTypes.INT(), DataTypes.INT() == DataTypes.BIGINT(), hash(DataTypes.INT(False)) == 0)
    print({DataTypes.INT(): 1}[DataTypes.INT()])


def rows():
    row = Row(1, "a", None)
    print(row, repr(row), len(row), list(row), row[1], row == Row(1, "a", None), row.get_row_kind())
    row.set_row_kind(RowKind.DELETE)
    print(row, row.get_row_kind(), row.get_row_kind() == RowKind.DELETE, str(RowKind.UPDATE_BEFORE))
    named = Row(name="Ann", age=3)
    print(named, named.name, named["age"], named.as_dict(), "age" in named, "x" in named)
    row.set_field_names(["x", "y", "z"])
    print(row, row.x, row["y"], row.as_dict(), row.get_fields_by_names(["z", "x"]))
    row[0] = 7
    row["y"] = "b"
    print(row.x, row[1], tried(lambda: row.q), tried(lambda: row[5]))
    Point = Row("x", "y")
    print(Point, Point(1, 2), Point(1, 2).x, tried(lambda: Point(1, 2, 3)))
    nested = Row(a=Row(b=1), c=[Row(d=2)])
    print(nested.as_dict(), nested.as_dict(True), nested)
    print([kind.name for kind in RowKind], [str(kind) for kind in RowKind])
    print(Row.of_kind(RowKind.INSERT, 1, 2), pickle.loads(pickle.dumps(named)) == named, Row(1) == Row(2))
    print([tried(lambda: Row(1, 2) < Row(1, 3)), hash(Row(1)) == hash(Row(1))])


def schemas():
    schema = (
        Schema.new_builder()
        .column("id", DataTypes.BIGINT(False))
        .column("item", "VARCHAR(10)")
        .column_by_expression("twice", "`id` * 2")
        .column_by_metadata("ts", DataTypes.TIMESTAMP_LTZ(3), "timestamp", True)
        .watermark("ts", "`ts` - INTERVAL '5' SECOND")
        .primary_key("id")
        .build()
    )
    print(schema)
    again = Schema.new_builder().from_schema(schema).column("more", DataTypes.INT()).build()
    print(again, again == schema, schema == Schema.new_builder().from_schema(schema).build())
    print(Schema.new_builder().from_fields(["a"], [DataTypes.INT()]).primary_key_named("pk", "a").build())
    row = DataTypes.ROW([DataTypes.FIELD("a", DataTypes.INT()), DataTypes.FIELD("b", DataTypes.STRING())])
    print(Schema.new_builder().from_row_data_type(row).build())
    table = TableSchema(["a", "b"], [DataTypes.INT(), DataTypes.STRING()])
    print(table, repr(table), table.get_field_names(), table.get_field_data_types(), table.get_field_count())
    print([table.get_field_data_type(0), table.get_field_data_type("b")], table.get_field_name(1))
    print(table.get_field_name(5))
    print(table == TableSchema(["a", "b"], [DataTypes.INT(), DataTypes.STRING()]), table.copy() == table)
    print(repr(table.to_row_data_type()), TableSchema.builder().field("z", DataTypes.DATE()).build())


def descriptors():
    format_ = FormatDescriptor.for_format("json").option("ignore-parse-errors", "true").build()
    print(format_, format_.get_format(), format_.get_options())
    schema = Schema.new_builder().column("a", DataTypes.INT()).build()
    table = (
        TableDescriptor.for_connector("kafka")
        .schema(schema)
        .option("topic", "t")
        .format(format_)
        .comment("rows")
        .partitioned_by("a")
        .build()
    )
    print(sorted(table.get_options().items()), table.get_comment(), table.get_partition_keys(), table.get_schema())
    print(table == table, TableDescriptor.for_connector("x").build().get_schema())
    model = (
        ModelDescriptor.for_provider("openai")
        .input_schema(schema)
        .output_schema(Schema.new_builder().column("label", DataTypes.STRING()).build())
        .option("task", "regression")
        .comment("a model")
        .build()
    )
    print(sorted(model.get_options().items()), model.get_comment(), model.get_input_schema(), model.get_output_schema())
    print(ModelDescriptor.for_provider("x").build().get_input_schema(), model == model)
    time = Rowtime().timestamps_from_field("ts").watermarks_periodic_bounded(500)
    print(sorted(time.to_properties().items()))
    print(sorted(Rowtime().timestamps_from_source().watermarks_from_source().to_properties().items()))
    print(Rowtime().watermarks_periodic_ascending().to_properties())
    described = SchemaDescriptor(fields={"a": DataTypes.INT(), "b": "STRING"}).rowtime(time)
    described.field("p", DataTypes.TIMESTAMP(3)).proctime().field("o", "VARCHAR").from_origin_field("oo")
    print(sorted(described.to_properties().items()))
    print(
        isinstance(ChangelogMode.all(), ChangelogMode),
        ChangelogMode.insert_only() is None,
        ChangelogMode.upsert() is None,
    )


def settings():
    configuration = Configuration().set_string("a", "b").set_integer("i", 3).set_boolean("t", True).set_float("f", 0.5)
    print(configuration.get_string("a", ""), configuration.get_integer("i", 0), configuration.get_boolean("t", False))
    print(
        configuration.get_float("f", 0.0), configuration.get_string("none", "default"), configuration.contains_key("a")
    )
    print(sorted(configuration.key_set()), sorted(configuration.to_dict().items()), configuration.remove_config("a"))
    more = Configuration().set_string("z", "1")
    more.add_all(configuration, "p.")
    print(sorted(more.to_dict().items()), more == more, Configuration(more) == more)
    built = (
        EnvironmentSettings.new_instance()
        .in_streaming_mode()
        .with_built_in_catalog_name("c")
        .with_built_in_database_name("d")
        .with_configuration(Configuration().set_string("table.exec.state.ttl", "5 min"))
        .build()
    )
    print(built.get_built_in_catalog_name(), built.get_built_in_database_name(), built.is_streaming_mode())
    print(built.get_configuration().get_string("table.exec.state.ttl", ""))
    t_env = TableEnvironment.create(built)
    config = t_env.get_config()
    print(t_env.get_current_catalog(), t_env.get_current_database(), config.get("table.exec.state.ttl", ""))
    config.set("table.exec.mini-batch.enabled", "false").set("pipeline.name", "a job")
    print(config.get("pipeline.name", ""), config.get_configuration().get_string("pipeline.name", ""))
    config.set_idle_state_retention(datetime.timedelta(hours=1))
    print(
        config.get_idle_state_retention(),
        config.get_max_generated_code_length(),
        config.get_sql_dialect() == SqlDialect.DEFAULT,
    )
    config.set_max_generated_code_length(3000)
    config.set_local_timezone("Asia/Tokyo")
    config.add_configuration(Configuration().set_string("x", "y"))
    print(config.get_max_generated_code_length(), config.get_local_timezone(), config.get("x", ""))
    config.set_sql_dialect(SqlDialect.DEFAULT)
    print(ExplainDetail.CHANGELOG_MODE == ExplainDetail.PLAN_ADVICE, ResultKind.SUCCESS == ResultKind.SUCCESS)
    config.set_python_executable("python3")
    print(config.get_python_executable())


def plans(folder):
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    t_env.execute_sql("CREATE TABLE s (id BIGINT, v DOUBLE) WITH ('connector' = 'datagen')")
    t_env.execute_sql("CREATE TABLE k (id BIGINT, v DOUBLE) WITH ('connector' = 'print')")
    plan = t_env.from_path("s").where(col("v") > lit(0.5)).insert_into("k").compile_plan()
    smile = plan.as_smile_bytes()
    reference = PlanReference.from_smile_bytes(smile)
    print(type(smile).__name__, smile[:3], reference.get_content() == smile, type(reference).__name__)
    print(t_env.load_plan(reference).as_json_string() == plan.as_json_string())
    text = PlanReference.from_json_string(plan.as_json_string())
    print(type(text).__name__, text.get_content() == plan.as_json_string())
    plan.write_to_file(Path(folder, "plan.json"))
    file = PlanReference.from_file(Path(folder, "plan.json"))
    print(type(file).__name__, file.get_file().name, t_env.load_plan(file).get_flink_version())
    print(tried(plan.write_to_file, f"{folder}/plan.json"), plan.write_to_file(f"{folder}/plan.json", True))


def labels():
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    t_env.execute_sql("""
        CREATE TABLE o (id BIGINT, item STRING, price INT, rt TIMESTAMP(3), r ROW<a INT, b ROW<c INT>>,
          WATERMARK FOR rt AS rt - INTERVAL '1' SECOND) WITH ('connector' = 'datagen')
    """)
    o = t_env.from_path("o")
    hour = Tumble.over(lit(1).hours).on(col("rt")).alias("w")
    before = Over.partition_by(col("item")).order_by(col("rt")).preceding(UNBOUNDED_RANGE).alias("w")
    for table in (
        o.select(col("id"), col("id") + 1, lit(1), lit("x")),
        o.select(
            col("id").cast(DataTypes.STRING()),
            col("id").try_cast(DataTypes.STRING()),
            col("id").cast(DataTypes.DECIMAL(10, 2)),
        ),
        o.select((col("id") + 1).cast(DataTypes.STRING())),
        o.select(col("r").get("b").get("c")),
        o.select(col("id"), col("r").flatten, col("price") + 1),
        o.select(col("r").get("b").flatten),
        o.select(col("r").get("a").cast(DataTypes.STRING())),
        o.select(col("price").sum + 1, col("price").max),
        o.group_by(col("item")).select(col("price").max, col("item"), col("price").sum, col("item").upper_case),
        o.group_by(col("item")).select(col("price").max.cast(DataTypes.STRING()), col("price").max * 2, lit(1)),
        o.window(hour).group_by(col("w")).select(col("w").end, col("price").sum + 1, col("w").rowtime),
        o.over_window(before).select(col("id"), col("price").sum.over(col("w")), col("price").max.over(col("w")) + 1),
        o.select(lit(1), lit(1)),
    ):
        print(table.get_schema().get_field_names())
    print(o.select(col("r").get("a")).get_schema())
    descriptor = TableDescriptor.for_connector("x").schema(Schema.new_builder().column("a", "INT").build())
    print(descriptor.option("k", "v").comment("c").partitioned_by("a").build())
