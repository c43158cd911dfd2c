"""Several tables: joins, UNION ALL, membership in a table."""

from compiled_plan.pyflink import EnvironmentSettings, TableEnvironment
from compiled_plan.pyflink.expressions import col


def main(folder):
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    left = t_env.from_elements([(1, "a"), (2, "b"), (2, "b"), (3, "c")], ["id", "name"])
    right = t_env.from_elements([(2, 20), (3, 30), (4, 40)], ["key", "value"])
    joined = left.join(right).where(col("id") == col("key"))
    print_last(joined.select(left.name, right.value))
    print_last(left.left_outer_join(right, left.id == right.key))
    print_last(left.right_outer_join(right, left.id == right.key).select(col("name"), col("value")))
    print_last(left.full_outer_join(right, join_predicate=(left.id == right.key) & (right.value > 20)))
    ids, keys = left.select(col("id")), right.select(col("key"))
    print_last(ids.union_all(keys))
    print_last(left.where(left.id.in_(right.select(right.key))))


def print_last(table):
    left = []
    with table.execute().collect() as rows:
        for row in rows:
            if str(row.get_row_kind()) in ("+I", "+U"):
                left.append(str(row))
            else:
                left.remove(str(row))
    print(sorted(left))
