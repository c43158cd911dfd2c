"""DataFrames of pandas as tables, and tables as DataFrames."""

import pandas as pd

from compiled_plan.pyflink import DataTypes, EnvironmentSettings, TableEnvironment
from compiled_plan.pyflink.expressions import col


def main(folder):
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    t_env.get_config().set("parallelism.default", "1")
    frame = pd.DataFrame({"k": ["a", "b", "a"], "v": [1, 2, 3], "w": [0.5, 1.5, None]})
    table = t_env.from_pandas(frame)
    print(table.get_resolved_schema())
    back = table.to_pandas()
    print(back.to_dict("list"), [str(kind) for kind in back.dtypes])
    named = t_env.from_pandas(frame, ["x", "y", "z"]).where(col("y") > 1)
    print(named.to_pandas().to_dict("records"))
    schema = DataTypes.ROW(
        [
            DataTypes.FIELD("k", DataTypes.STRING()),
            DataTypes.FIELD("v", DataTypes.DOUBLE()),
            DataTypes.FIELD("w", DataTypes.DOUBLE()),
        ]
    )
    typed = t_env.from_pandas(frame, schema, splits_num=2)
    totals = typed.group_by(col("k")).select(col("k"), col("v").sum.alias("total")).to_pandas()
    print(sorted(totals.to_dict("records"), key=lambda record: record["k"]))
