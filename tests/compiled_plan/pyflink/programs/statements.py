"""SQL and the Table API: declarations, views, queries, a statement set with two sinks, compiled plans."""

from pathlib import Path

from compiled_plan.pyflink import EnvironmentSettings, PlanReference, ResultKind, TableEnvironment
from compiled_plan.pyflink.expressions import call_sql, col


def main(folder):
    settings = EnvironmentSettings.new_instance().in_streaming_mode().with_built_in_database_name("shop").build()
    t_env = TableEnvironment.create(settings)
    print(t_env.get_current_catalog(), t_env.get_current_database(), settings.is_streaming_mode())
    Path(folder, "in").mkdir()
    Path(folder, "in", "1.csv").write_text("1,nut,3\n2,fig,9\n3,nut,4\n")
    result = t_env.execute_sql(f"""
        CREATE TABLE orders (id BIGINT, item STRING, price INT) WITH (
          'connector' = 'filesystem', 'path' = '{folder}/in', 'format' = 'csv')
    """)
    print(result.get_result_kind() == ResultKind.SUCCESS, result.get_job_client(), list(result.collect()))
    for name in ("cheap", "dear", "planned"):
        t_env.execute_sql(f"""
            CREATE TABLE {name} (id BIGINT, item STRING) WITH (
              'connector' = 'filesystem', 'path' = '{folder}/{name}', 'format' = 'csv')
        """)
    orders = t_env.from_path("orders")
    t_env.create_temporary_view("nuts", orders.where(col("item") == "nut"))
    table = t_env.sql_query("SELECT id, UPPER(item) AS item FROM nuts WHERE price > 3")
    with table.execute().collect() as rows:
        print([list(row) for row in rows])
    print(sorted(t_env.list_tables()), t_env.list_views(), t_env.list_temporary_views())
    statements = t_env.create_statement_set()
    statements.add_insert_sql("INSERT INTO cheap SELECT id, item FROM orders WHERE price < 5")
    statements.add_insert("dear", orders.where(call_sql("price >= 5")).select(orders.id, orders.item))
    result = statements.execute()
    result.wait()
    print(result.get_result_kind() == ResultKind.SUCCESS_WITH_CONTENT, len(str(result.get_job_client().get_job_id())))
    print(written(f"{folder}/cheap"), written(f"{folder}/dear"))
    plan = orders.select(orders.id, orders.item).insert_into("planned").compile_plan()
    plan.write_to_file(f"{folder}/plan.json")
    for reference in (
        PlanReference.from_file(f"{folder}/plan.json"),
        PlanReference.from_json_string(plan.as_json_string()),
    ):
        print(t_env.load_plan(reference).get_flink_version() == plan.get_flink_version())
    print(t_env.drop_temporary_view("nuts"), t_env.drop_temporary_view("nuts"), t_env.list_views())


def written(folder):
    files = [path for path in Path(folder).rglob("*") if path.is_file() and not path.name.startswith(("_", "."))]
    return sorted(line for path in files for line in path.read_text().split())
