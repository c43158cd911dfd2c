"""A table program in Python: clicks by page and hour, the three pages with most clicks, and shipped orders.

compile-plan samples/table_api.py -o plan.json && execute-plan plan.json
"""

from compiled_plan import Schema, Table, TableDescriptor, TableEnvironment, TablePipeline, Tumble, col, lit


def json_files(schema: Schema, path: str) -> TableDescriptor:
    return TableDescriptor.for_connector("filesystem").schema(schema).option("path", path).format("json").build()


def declare(env: TableEnvironment) -> None:
    clicks = (
        Schema.new_builder()
        .column("event_id", "BIGINT")
        .column("page", "STRING")
        .column("millis", "INT")
        # One click per second, as the data has no times.
        .column_by_expression("ts", "TO_TIMESTAMP_LTZ(event_id, 0)")
        .watermark("ts", "ts - INTERVAL '5' SECOND")
        .build()
    )
    top = (
        Schema.new_builder()
        .column("hour_", "TIMESTAMP(3)")
        .column("page", "STRING")
        .column("clicks", "BIGINT")
        .column("slowest", "INT")
        .column("place", "BIGINT")
        .build()
    )
    orders = Schema.new_builder().column("order_id", "INT").column("line_order_id", "INT").build()
    lines = Schema.new_builder().column("line_order_id", "INT").column("ship_mode", "STRING").build()
    shipped = Schema.new_builder().column("order_id", "INT").column("ship_mode", "STRING").build()
    env.create_temporary_table("clicks", json_files(clicks, "data/deduplicate_aggregate/clicks"))
    env.create_temporary_table("orders", json_files(orders, "data/orders_shipments/orders"))
    env.create_temporary_table("lines", json_files(lines, "data/orders_shipments/line_orders"))
    env.create_temporary_table("top_pages", json_files(top, "out/table_api/top_pages"))
    env.create_temporary_table("by_air", json_files(shipped, "out/table_api/by_air"))


def top_pages(clicks: Table) -> Table:
    by_hour = (
        clicks.window(Tumble.over(lit(1).hours).on(clicks.ts))
        .group_by("window_start", "window_end", "page")
        .select("window_start", "window_end", "page", lit(1).count.alias("clicks"), col("millis").max.alias("slowest"))
    )
    top = by_hour.topn(
        3, [col("window_start"), col("window_end")], [col("clicks").desc, col("page")], rank_column="place"
    )
    return top.drop_columns("window_end")


def by_air(orders: Table, lines: Table) -> Table:
    joined = orders.hint("STATE_TTL", {"orders": "1 h", "lines": "2 h"}).join(
        lines.where(lines.ship_mode == "AIR"), orders.line_order_id == lines.line_order_id
    )
    return joined.select(orders.order_id, lines.ship_mode)


def main(env: TableEnvironment) -> list[TablePipeline]:
    declare(env)
    return [
        top_pages(env.from_path("clicks")).insert_into("top_pages"),
        by_air(env.from_path("orders"), env.from_path("lines")).insert_into("by_air"),
    ]
