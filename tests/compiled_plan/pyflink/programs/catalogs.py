"""Catalogs, databases, configuration and schemas."""

import datetime

from compiled_plan.pyflink import DataTypes, EnvironmentSettings, Schema, TableDescriptor, TableEnvironment
from compiled_plan.pyflink.catalog import CatalogDatabase, ObjectPath
from compiled_plan.pyflink.common import Configuration


def main(folder):
    configuration = Configuration().set_string("table.exec.state.ttl", "1 h").set_integer("parallelism.default", 1)
    t_env = TableEnvironment.create(
        EnvironmentSettings.new_instance().in_streaming_mode().with_configuration(configuration).build()
    )
    config = t_env.get_config()
    config.set_idle_state_retention(datetime.timedelta(minutes=5))
    config.set_local_timezone("Europe/Paris")
    config.get_configuration().set_boolean("table.exec.mini-batch.enabled", False)
    print(config.get_idle_state_retention(), config.get_local_timezone(), config.get("no.such.key", "default"))
    print(config.get_configuration().get_integer("parallelism.default", 7))
    t_env.execute_sql("CREATE DATABASE shop COMMENT 'the shop'")
    t_env.execute_sql("CREATE CATALOG other WITH ('type' = 'generic_in_memory')")
    print(sorted(t_env.list_catalogs()), sorted(t_env.list_databases()))
    t_env.use_database("shop")
    schema = (
        Schema.new_builder()
        .column("id", DataTypes.BIGINT(False))
        .column("item", DataTypes.STRING())
        .column_by_expression("upper_item", "UPPER(`item`)")
        .primary_key("id")
        .build()
    )
    descriptor = TableDescriptor.for_connector("datagen").schema(schema).comment("all orders").build()
    t_env.create_table("orders", descriptor)
    t_env.create_table("orders", descriptor, ignoreIfExists=True)
    print(t_env.list_tables(), t_env.list_temporary_tables(), descriptor.get_options()["connector"])
    table = t_env.from_path("shop.orders")
    resolved = table.get_resolved_schema()
    print(resolved.get_column_names(), resolved.get_column_count())
    print([column.is_physical() for column in resolved.get_columns()], resolved.get_column("item").get_name())
    print(resolved.get_primary_key().get_columns(), table.get_schema().get_field_names())
    with t_env.execute_sql("DESCRIBE orders").collect() as rows:
        print([list(row) for row in rows])
    catalog = t_env.get_catalog("default_catalog")
    print(catalog.list_tables("shop"), catalog.table_exists(ObjectPath("shop", "orders")))
    print(catalog.get_database("shop").get_comment(), t_env.get_catalog("none"))
    catalog.create_database("extra", CatalogDatabase.create_instance({}, "more"), False)
    print(sorted(catalog.list_databases()), catalog.get_default_database())
    print(t_env.drop_table("orders"), t_env.drop_table("orders"), t_env.list_tables())
    with t_env.execute_sql("SHOW CURRENT DATABASE").collect() as rows:
        print(list(rows))
