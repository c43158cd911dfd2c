"""Methods of expressions: numbers, conditions, JSON, times."""

import datetime

from compiled_plan.pyflink import DataTypes, EnvironmentSettings, TableEnvironment
from compiled_plan.pyflink.expression import TimeIntervalUnit
from compiled_plan.pyflink.expressions import (
    and_,
    call_sql,
    coalesce,
    col,
    date_format,
    e,
    if_then_else,
    json_string,
    lit,
    log,
    negative,
    not_,
    null_of,
    or_,
    pi,
    to_timestamp,
)


def main(folder):
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    table = t_env.from_elements(
        [(1, -7, 2.5, " Fig ", [3, 1, 2, 3, None], {"a": 1, "b": 2}, datetime.datetime(2024, 2, 29, 13, 14, 15))],
        DataTypes.ROW(
            [
                DataTypes.FIELD("id", DataTypes.BIGINT()),
                DataTypes.FIELD("i", DataTypes.INT()),
                DataTypes.FIELD("d", DataTypes.DOUBLE()),
                DataTypes.FIELD("s", DataTypes.STRING()),
                DataTypes.FIELD("l", DataTypes.ARRAY(DataTypes.INT())),
                DataTypes.FIELD("m", DataTypes.MAP(DataTypes.STRING(), DataTypes.INT())),
                DataTypes.FIELD("ts", DataTypes.TIMESTAMP(3)),
            ]
        ),
    )
    i, d, s, pairs, ts = (col(name) for name in ("i", "d", "s", "m", "ts"))
    show(
        table,
        i.abs,
        d.floor(),
        d.ceil(),
        lit(2.345).round(2),
        lit(2.345).truncate(1),
        i.sign,
        lit(9.0).sqrt,
        lit(0.0).exp,
        lit(2) ** 3,
        i % 4,
        negative(i),
        -i,
        lit(255).hex,
        lit(5).bin,
        lit(8.0).log2,
        lit(100.0).log10,
        lit(1.0).ln,
        log(2, 8),
        pi().round(3),
        e().round(3),
        lit(0.0).sin,
        lit(0.0).cos,
        lit(180.0).radians.round(4),
        (i + 1) * 2 - 3,
        i / 2,
        lit(7) / 2,
        lit(1.5) + i,
    )
    show(
        table,
        if_then_else(i < 0, "neg", "pos"),
        (i < 0).then("yes", "no"),
        i.between(-8, 0),
        i.not_between(-8, 0),
        and_(i < 0, d > 1, s.is_not_null),
        or_(i > 0, d > 1),
        not_(i > 0),
        ~(i > 0),
        (i > 0) | (d > 2) & (s != ""),
        i.is_null,
        (i > 0).is_true,
        (i > 0).is_not_true,
        (i > 0).is_false,
        i.in_(1, -7),
        null_of(DataTypes.INT()).is_null,
        coalesce(null_of(DataTypes.INT()), i, 5),
        i.if_null(3),
        null_of(DataTypes.INT()).if_null(3),
        d.cast(DataTypes.INT()),
        lit("x").try_cast(DataTypes.INT()),
        i == -7,
        i != -7,
        i >= d,
        call_sql("CASE WHEN i < 0 THEN 'n' ELSE 'p' END"),
    )
    show(
        table,
        json_string(pairs),
        lit('"q"').json_unquote(),
        lit("q").json_quote(),
    )
    show(
        table,
        ts.extract(TimeIntervalUnit.HOUR),
        ts.extract(TimeIntervalUnit.QUARTER),
        ts.floor(TimeIntervalUnit.DAY),
        ts.ceil(TimeIntervalUnit.HOUR),
        ts + lit(90).minutes,
        ts - lit(1).months,
        ts - lit(1).weeks,
        ts + lit(3).hours + lit(2).seconds + lit(5).millis,
        ts.cast(DataTypes.DATE()),
        ts.cast(DataTypes.STRING()),
        date_format(ts, "yyyy/MM/dd HH:mm"),
        to_timestamp("2024-01-02 03:04:05"),
        lit("10:11:12").to_time,
    )


def show(table, *expressions):
    """Print the values of expressions."""
    with table.select(*expressions).execute().collect() as rows:
        for row_ in rows:
            print(*[repr(value) for value in row_], sep="\n")
