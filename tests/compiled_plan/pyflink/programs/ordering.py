"""Order and limits, changelogs in SQL, nested queries and views of views."""

from compiled_plan.pyflink import EnvironmentSettings, TableEnvironment
from compiled_plan.pyflink.expressions import col


def main(folder):
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    t_env.get_config().set("parallelism.default", "1")
    scores = t_env.from_elements([("a", 3), ("b", 9), ("c", 1), ("d", 7)], ["who", "points"])
    print_last(scores.order_by(col("points").desc).fetch(2))
    print_last(scores.order_by(col("points").asc).limit(2, 1))
    t_env.create_temporary_view("scores", scores)
    t_env.create_temporary_view(
        "ranked",
        t_env.sql_query("""
        SELECT who, points, ROW_NUMBER() OVER (ORDER BY points DESC) AS place FROM scores
    """),
    )
    print_last(t_env.sql_query("SELECT who, place FROM ranked WHERE place <= 3"))
    print_last(t_env.sql_query(f"SELECT COUNT(*) AS n, MAX(points) FROM {scores} WHERE who <> 'b'"))
    print_last(t_env.from_path("ranked").where(col("place") == 1).select(col("who").alias("winner")))
    names = t_env.sql_query("SELECT * FROM (VALUES ('a', 'Ann'), ('b', 'Bob')) AS names (short, name)")
    joined = scores.join(names, col("who") == col("short")).select(col("name"), col("points"))
    print(joined.get_schema().get_field_names())
    print_last(joined.alias("n", "p"))
    print_last(scores.select(col("points")).offset(0).fetch(3).select(col("points").count))


def print_last(table):
    left = []
    with table.execute().collect() as rows:
        for row in rows:
            if str(row.get_row_kind()) in ("+I", "+U"):
                left.append(str(row))
            else:
                left.remove(str(row))
    print(sorted(left))
