"""Tables, views, partitions, statistics and functions of a catalog, as objects."""

import sys
from pathlib import Path

from compiled_plan.pyflink import DataTypes, EnvironmentSettings, TableEnvironment, TableSchema
from compiled_plan.pyflink.catalog import (
    CatalogBaseTable,
    CatalogColumnStatistics,
    CatalogDatabase,
    CatalogFunction,
    CatalogPartition,
    CatalogPartitionSpec,
    CatalogTableStatistics,
    Column,
    ObjectIdentifier,
    ObjectPath,
    ResolvedSchema,
    WatermarkSpec,
)


def tried(action, *arguments):
    try:
        return action(*arguments)
    except Exception:
        return "error"


def path(name, database="default_database"):
    return ObjectPath(database, name)


def main(folder):
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    catalog = t_env.get_catalog("default_catalog")
    tables(t_env, catalog)
    views(t_env, catalog)
    partitions(t_env, catalog)
    statistics(catalog)
    functions(t_env, catalog, folder)
    schemas(t_env)
    names()


def tables(t_env, catalog):
    schema = TableSchema(["id", "n"], [DataTypes.BIGINT(), DataTypes.STRING()])
    table = CatalogBaseTable.create_table(schema, ["n"], {"connector": "datagen"}, "some rows")
    print(table.get_options(), table.get_comment(), table.get_description(), table.get_detailed_description())
    print(table.get_unresolved_schema())
    catalog.create_table(path("t"), table, False)
    catalog.create_table(path("t"), table, True)
    print(
        tried(catalog.create_table, path("t"), table, False), tried(catalog.create_table, path("t", "no"), table, False)
    )
    print(catalog.list_tables("default_database"), catalog.table_exists(path("t")), catalog.table_exists(path("u")))
    catalog.rename_table(path("t"), "u", False)
    catalog.rename_table(path("t"), "v", True)
    print(tried(catalog.rename_table, path("t"), "v", False), catalog.list_tables("default_database"))
    print(t_env.from_path("u").get_schema().get_field_names())
    altered = CatalogBaseTable.create_table(
        TableSchema(["a", "b"], [DataTypes.INT(), DataTypes.DOUBLE()]), [], {"connector": "print"}
    )
    catalog.alter_table(path("u"), altered, False)
    catalog.alter_table(path("t"), altered, True)
    print(tried(catalog.alter_table, path("t"), altered, False))
    print(catalog.get_table(path("u")).get_options(), catalog.get_table(path("u")).copy().get_comment())
    print(catalog.get_table(path("u")).get_unresolved_schema())
    print(tried(catalog.get_table, path("t")))
    catalog.drop_table(path("u"), False)
    catalog.drop_table(path("u"), True)
    print(tried(catalog.drop_table, path("u"), False), catalog.list_tables("default_database"))
    print(catalog.list_materialized_tables("default_database"), tried(catalog.list_tables, "no"))
    database = CatalogDatabase.create_instance({"a": "b"}, "a database")
    catalog.create_database("d", database, False)
    catalog.create_database("d", database, True)
    print(tried(catalog.create_database, "d", database, False), catalog.database_exists("d"))
    print(catalog.get_database("d").get_properties(), catalog.get_database("d").get_description())
    catalog.alter_database("no", database, True)
    print(tried(catalog.alter_database, "no", database, False), tried(catalog.get_database, "no"))
    catalog.create_table(path("t", "d"), table, False)
    print(tried(catalog.drop_database, "d", False), catalog.list_tables("d"))
    catalog.drop_table(path("t", "d"), False)
    catalog.drop_database("d", False)
    catalog.drop_database("d", True)
    print(tried(catalog.drop_database, "d", False), catalog.list_databases())


def views(t_env, catalog):
    t_env.execute_sql("CREATE TABLE numbers (id BIGINT, n STRING) WITH ('connector' = 'datagen')")
    full = "`default_catalog`.`default_database`.`numbers`"
    view = CatalogBaseTable.create_view(
        "SELECT id FROM numbers", f"SELECT `id` FROM {full}", TableSchema(["id"], [DataTypes.BIGINT()]), {}, "ids"
    )
    print(view.get_comment(), view.get_options(), view.copy().get_comment())
    catalog.create_table(path("ids"), view, False)
    catalog.create_table(path("ids"), view, True)
    print(tried(catalog.create_table, path("ids"), view, False))
    print(catalog.list_views("default_database"), t_env.list_views(), catalog.get_table(path("ids")).get_comment())
    print(t_env.from_path("ids").get_resolved_schema())
    altered = CatalogBaseTable.create_view(
        "SELECT n FROM numbers", f"SELECT `n` FROM {full}", TableSchema(["n"], [DataTypes.STRING()]), {}, "names"
    )
    catalog.alter_table(path("ids"), altered, False)
    print(t_env.from_path("ids").get_resolved_schema())
    print(tried(catalog.alter_table, path("numbers"), view, False))
    catalog.rename_table(path("ids"), "names", False)
    print(catalog.list_views("default_database"), catalog.list_tables("default_database"))
    catalog.drop_table(path("names"), False)
    print(catalog.list_views("default_database"))


def partitions(t_env, catalog):
    t_env.execute_sql(
        "CREATE TABLE parts (id BIGINT, d STRING, h STRING) PARTITIONED BY (d, h) "
        "WITH ('connector' = 'filesystem', 'path' = '/nowhere', 'format' = 'csv')"
    )
    parts, first = path("parts"), CatalogPartitionSpec({"d": "2024", "h": "1"})
    print(first, first.get_partition_spec(), first == CatalogPartitionSpec({"h": "1", "d": "2024"}))
    part = CatalogPartition.create_instance({"a": "b"}, "a part")
    print(part.get_properties(), part.get_comment(), part.get_description(), part.get_detailed_description())
    print(part.copy().get_properties(), CatalogPartition.create_instance({}).get_comment())
    print(catalog.list_partitions(parts))
    catalog.create_partition(parts, first, part, False)
    catalog.create_partition(parts, first, part, True)
    second, third = CatalogPartitionSpec({"h": "2", "d": "2024"}), CatalogPartitionSpec({"d": "2025", "h": "3"})
    catalog.create_partition(parts, second, part, False)
    t_env.execute_sql("ALTER TABLE parts ADD PARTITION (d = '2025', h = '3') WITH ('x' = 'y')")
    short = CatalogPartitionSpec({"d": "2024"})
    print(tried(catalog.create_partition, parts, first, part, False))
    print(tried(catalog.create_partition, parts, short, part, False))
    print(tried(catalog.create_partition, path("numbers"), first, part, False))
    print(tried(catalog.create_partition, path("no"), first, part, False))
    print([sorted(one.get_partition_spec().items()) for one in catalog.list_partitions(parts)])
    print([sorted(one.get_partition_spec().items()) for one in catalog.list_partitions(parts, short)])
    print(catalog.list_partitions(parts, CatalogPartitionSpec({"q": "2"})))
    print(tried(catalog.list_partitions, path("numbers")))
    print(catalog.get_partition(parts, third).get_properties(), catalog.get_partition(parts, second).get_comment())
    print(tried(catalog.get_partition, parts, short), catalog.partition_exists(parts, short))
    print(catalog.partition_exists(parts, first), catalog.partition_exists(path("no"), first))
    catalog.alter_partition(parts, first, CatalogPartition.create_instance({"c": "d"}, "new"), False)
    print(catalog.get_partition(parts, first).get_properties(), catalog.get_partition(parts, first).get_comment())
    catalog.alter_partition(parts, short, part, True)
    print(tried(catalog.alter_partition, parts, short, part, False))
    catalog.drop_partition(parts, second, False)
    catalog.drop_partition(parts, second, True)
    print(tried(catalog.drop_partition, parts, second, False))
    with t_env.execute_sql("SHOW PARTITIONS parts").collect() as rows:
        print([list(row) for row in rows])


def statistics(catalog):
    parts, first = path("parts"), CatalogPartitionSpec({"d": "2024", "h": "1"})
    sizes = CatalogTableStatistics(10, 2, 300, 400, {"p": "q"})
    shown(sizes)
    shown(sizes.copy())
    print(CatalogTableStatistics(1, 2, 3, 4).get_properties())
    shown(catalog.get_table_statistics(path("numbers")))
    catalog.alter_table_statistics(path("numbers"), sizes, False)
    shown(catalog.get_table_statistics(path("numbers")))
    catalog.alter_table_statistics(parts, sizes, False)
    shown(catalog.get_table_statistics(parts))
    catalog.alter_table_statistics(path("no"), sizes, True)
    print(
        tried(catalog.alter_table_statistics, path("no"), sizes, False), tried(catalog.get_table_statistics, path("no"))
    )
    columns = CatalogColumnStatistics({}, {"a": "b"})
    print(columns.get_column_statistics_data(), columns.get_properties(), columns.copy().get_properties())
    catalog.alter_table_column_statistics(path("numbers"), columns, False)
    print(catalog.get_table_column_statistics(path("numbers")).get_properties())
    shown(catalog.get_partition_statistics(parts, first))
    catalog.alter_partition_statistics(parts, first, sizes, False)
    shown(catalog.get_partition_statistics(parts, first))
    catalog.alter_partition_column_statistics(parts, first, columns, False)
    print(catalog.get_partition_column_statistics(parts, first).get_properties())
    print(tried(catalog.get_partition_statistics, parts, CatalogPartitionSpec({"d": "1"})))
    print(catalog.bulk_get_partition_statistics(parts, []), catalog.bulk_get_partition_column_statistics(parts, []))


def shown(sizes):
    print(sizes.get_row_count(), sizes.get_field_count(), sizes.get_total_size(), sizes.get_raw_data_size())


FUNCTIONS = """
from compiled_plan.pyflink import DataTypes
from compiled_plan.pyflink.udf import udf
twice = udf(lambda number: 2 * number, input_types=[DataTypes.BIGINT()], result_type=DataTypes.BIGINT())
text = udf(lambda number: str(number), input_types=[DataTypes.BIGINT()], result_type=DataTypes.STRING())
"""


def functions(t_env, catalog, folder):
    Path(folder, "functions_of_catalog.py").write_text(FUNCTIONS)
    sys.path.append(folder)
    function = CatalogFunction.create_instance("functions_of_catalog.twice")
    print(function.get_class_name(), str(function.get_function_language()), function.get_options())
    print(function.get_description(), function.get_detailed_description(), function.copy().get_class_name())
    print(str(CatalogFunction.create_instance("a.B", "java").get_function_language()))
    print(tried(CatalogFunction.create_instance, "a.B", "Go"))
    catalog.create_function(path("f"), function, False)
    catalog.create_function(path("f"), function, True)
    print(tried(catalog.create_function, path("f"), function, False))
    print(tried(catalog.create_function, path("f", "no"), function, False))
    print(
        catalog.list_functions("default_database"),
        catalog.function_exists(path("F")),
        t_env.list_user_defined_functions(),
    )
    print(t_env.sql_query("SELECT f(1)").get_resolved_schema().get_column_data_types())
    catalog.alter_function(path("f"), CatalogFunction.create_instance("functions_of_catalog.text"), False)
    print(
        catalog.get_function(path("f")).get_class_name(), str(catalog.get_function(path("f")).get_function_language())
    )
    print(t_env.sql_query("SELECT f(1)").get_resolved_schema().get_column_data_types())
    catalog.alter_function(path("g"), function, True)
    print(tried(catalog.alter_function, path("g"), function, False), tried(catalog.get_function, path("g")))
    t_env.execute_sql("CREATE FUNCTION g AS 'functions_of_catalog.twice' LANGUAGE PYTHON")
    print(catalog.get_function(path("g")).get_class_name(), catalog.list_functions("default_database"))
    catalog.drop_function(path("f"), False)
    catalog.drop_function(path("f"), True)
    print(tried(catalog.drop_function, path("f"), False), catalog.function_exists(path("f")))


def schemas(t_env):
    t_env.execute_sql("""
        CREATE TABLE events (
          id BIGINT NOT NULL, item STRING COMMENT 'the item', ts TIMESTAMP(3), next_id AS id + 1,
          k STRING METADATA FROM 'key' VIRTUAL,
          WATERMARK FOR ts AS ts - INTERVAL '5' SECOND, PRIMARY KEY (id) NOT ENFORCED
        ) WITH ('connector' = 'kafka')
    """)
    schema = t_env.get_catalog("default_catalog").get_table(path("events")).get_unresolved_schema()
    print(schema)
    t_env.execute_sql("""
        CREATE TABLE clicks (
          id BIGINT NOT NULL, item STRING COMMENT 'the item', ts TIMESTAMP(3), next_id AS id + 1,
          WATERMARK FOR ts AS ts - INTERVAL '5' SECOND, PRIMARY KEY (id) NOT ENFORCED
        ) WITH ('connector' = 'datagen')
    """)
    schema = t_env.from_path("clicks").get_resolved_schema()
    print(schema)
    print(repr(schema.to_source_row_data_type()), repr(schema.to_physical_row_data_type()))
    print(repr(schema.to_sink_row_data_type()), schema.get_column_data_types())
    print(schema.get_column("none"), schema.get_column(7))
    (spec,) = schema.get_watermark_specs()
    expression = spec.get_watermark_expression()
    print(spec, spec.as_summary_string(), spec.get_rowtime_attribute())
    print(expression, expression.as_summary_string(), expression.as_serializable_string())
    print(repr(expression.get_output_data_type()), expression.get_resolved_children())
    print(WatermarkSpec.of("ts", expression), str(schema.get_column("next_id").get_expression()))
    for column in schema.get_columns():
        print(type(column).__name__, column, column.get_comment(), column.explain_extras())
        print(column.is_physical(), column.is_persisted(), column.as_summary_string())
    print(Column.physical("a", DataTypes.INT()), Column.metadata("m", DataTypes.STRING(), "key", True))
    metadata = Column.metadata("m", DataTypes.STRING(), None, False)
    print(metadata, metadata.get_metadata_key(), metadata.is_virtual(), metadata.is_persisted())
    physical = ResolvedSchema.physical(["a", "b"], [DataTypes.INT(), DataTypes.STRING()])
    print(physical, physical.get_column_count(), physical.get_primary_key())
    print(ResolvedSchema.of([Column.physical("a", DataTypes.INT())]))
    key = schema.get_primary_key()
    print(key.get_name(), key.get_columns(), key.get_type().name, key.get_type_string(), key.is_enforced())
    print(key.as_summary_string())


def names():
    name = ObjectIdentifier.of("c", "d", "o")
    print(name.get_catalog_name(), name.get_database_name(), name.get_object_name(), name.to_list())
    print(name.as_serializable_string(), name.as_summary_string(), name.to_object_path(), name)
    first, second = ObjectPath("a", "b"), ObjectPath.from_string("a.c")
    print(first, second.get_full_name(), first.compare_to(second), first == ObjectPath("a", "b"), first < second)
    print(tried(ObjectPath.from_string, "abc"), len({first, ObjectPath("a", "b")}), sorted([second, first])[0])
