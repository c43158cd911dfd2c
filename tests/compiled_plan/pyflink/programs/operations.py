"""Operations of tables: sets, subqueries, functions per row and per group, statements, results."""

from compiled_plan.pyflink import DataTypes, EnvironmentSettings, Row, TableEnvironment
from compiled_plan.pyflink.expressions import call, col, lit
from compiled_plan.pyflink.udf import (
    AggregateFunction,
    ScalarFunction,
    TableAggregateFunction,
    TableFunction,
    udaf,
    udf,
    udtaf,
    udtf,
)


class Hash(ScalarFunction):
    def __init__(self, factor):
        self.factor = factor

    def open(self, context):
        self.offset = 1

    def eval(self, text):
        return len(text) * self.factor + self.offset


class Split(TableFunction):
    def eval(self, text):
        for word in text.split():
            yield word, len(word)


class Mean(AggregateFunction):
    def create_accumulator(self):
        return Row(0, 0)

    def accumulate(self, accumulator, value, weight):
        accumulator[0] += value * weight
        accumulator[1] += weight

    def retract(self, accumulator, value, weight):
        accumulator[0] -= value * weight
        accumulator[1] -= weight

    def get_value(self, accumulator):
        return accumulator[0] / accumulator[1] if accumulator[1] else None

    def get_result_type(self):
        return DataTypes.DOUBLE()

    def get_accumulator_type(self):
        return DataTypes.ROW([DataTypes.FIELD("total", DataTypes.BIGINT()), DataTypes.FIELD("n", DataTypes.BIGINT())])


class Top(TableAggregateFunction):
    def create_accumulator(self):
        return [None, None]

    def accumulate(self, accumulator, value):
        values = sorted([one for one in (*accumulator, value) if one is not None], reverse=True)[:2]
        accumulator[:] = [*values, None, None][:2]

    def emit_value(self, accumulator):
        for value in accumulator:
            if value is not None:
                yield Row(value)

    def get_result_type(self):
        return DataTypes.ROW([DataTypes.FIELD("top", DataTypes.BIGINT())])

    def get_accumulator_type(self):
        return DataTypes.ARRAY(DataTypes.BIGINT())


@udf(result_type=DataTypes.ROW([DataTypes.FIELD("item", DataTypes.STRING()), DataTypes.FIELD("n", DataTypes.BIGINT())]))
def doubled(line):
    return Row(line[0] + line[0], line[1] * 2)


@udtf(result_types=[DataTypes.STRING(), DataTypes.BIGINT()])
def twice(line):
    yield line[0], line[1]
    yield line[0], -line[1]


def main(folder):
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    names = ["item", "n", "text"]
    left = t_env.from_elements([("nut", 1, "a bc"), ("fig", 2, "d"), ("nut", 1, "a bc"), ("kiwi", 5, "")], names)
    right = t_env.from_elements([("nut", 1, "a bc"), ("pear", 4, "x y")], names)
    show(left.union_all(right).distinct())
    show(left.where(col("item").in_(right.select(col("item")))))
    show(left.group_by(col("item")).select(col("item"), col("n").sum.alias("s"), col("n").count.distinct.alias("c")))
    hashed = udf(Hash(10), result_type=DataTypes.BIGINT())
    split = udtf(Split(), result_types=[DataTypes.STRING(), DataTypes.INT()])
    show(left.select(hashed(col("item")), udf(lambda n: n + 1, result_type=DataTypes.BIGINT())(col("n"))))
    show(left.join_lateral(split(col("text")).alias("word", "size")).select(col("item"), col("word"), col("size")))
    show(left.left_outer_join_lateral(split(col("text")).alias("word", "size")).select(col("item"), col("word")))
    show(left.select(col("item"), col("n")).map(doubled).alias("a", "b"))
    show(left.select(col("item"), col("n")).flat_map(twice).alias("a", "b"))
    mean, top = udaf(Mean()), udtaf(Top())
    show(left.group_by(col("item")).select(col("item"), mean(col("n"), col("n")).alias("m")))
    show(left.group_by(col("item")).aggregate(mean(col("n"), lit(1)).alias("m")).select(col("item"), col("m")))
    show(left.group_by(col("item")).flat_aggregate(top(col("n")).alias("top")).select(col("item"), col("top")))
    t_env.create_temporary_system_function("hashed", hashed)
    t_env.create_temporary_function("split", split)
    show(left.select(call("hashed", col("item")).alias("h")).where(col("h") > 31))
    print(sorted(t_env.list_user_defined_functions()), t_env.drop_temporary_function("split"))
    print(t_env.drop_temporary_system_function("hashed"), t_env.list_user_defined_functions())
    result = left.select(col("n")).execute()
    print(result.get_table_schema().get_field_names(), result.get_resolved_schema().get_column_count())
    print(sorted(one[0] for one in result.collect()))


def show(table):
    """Print the rows that remain of a table."""
    rows = {}
    with table.execute().collect() as results:
        for one in results:
            sign = -1 if str(one.get_row_kind()) in ("-U", "-D") else 1
            rows[repr(list(one))] = rows.get(repr(list(one)), 0) + sign
    print(sorted((text, number) for text, number in rows.items() if number))
