"""The 22 queries of TPC-H as streaming programs, and their results from a batch engine over the same files.

Source: the TPC-H specification, revision 3. Parameters are chosen so that every query has rows at a small scale.
ORDER BY stays only before a LIMIT: a changing table has no order.
"""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from decimal import Decimal
from pathlib import Path
from typing import Any

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.types import LogicalType
from tests.conformance.cases import added_up

HERE = Path(__file__).parent
QUERIES = {path.stem: path.read_text() for path in sorted((HERE / "queries").glob("*.sql"))}
TABLES = ("region", "nation", "supplier", "customer", "part", "partsupp", "orders", "lineitem")

Row = tuple[Any, ...]


def generate(folder: Path, scale: float, parts: int = 1) -> None:
    """Generate the tables as Parquet, each in a folder of its own."""
    tool = Path(sys.executable).with_name("tpchgen-cli")
    for table in TABLES:
        several = () if parts == 1 or table in ("region", "nation") else ("--parts", str(parts))
        where = folder if several else folder / table
        command = [str(tool), "parquet", "-s", str(scale), "--tables", table, *several, "--output-dir", str(where)]
        subprocess.run(command, check=True, capture_output=True)


def tables(data: Path) -> str:
    """CREATE TABLE statements over the generated files."""
    return (HERE / "tables.sql").read_text().replace("${data}", str(data))


def sink(query: str, data: Path, out: Path) -> str:
    """CREATE TABLE of a sink that takes the query's changes."""
    env = TableEnvironment()
    env.execute_sql(tables(data))
    schema = env.sql_query(QUERIES[query]).get_schema()
    columns = ", ".join(f"`{column.name}` {nullable(column.data_type)}" for column in schema.columns)
    options = f"'connector' = 'filesystem', 'format' = 'debezium-json', 'path' = '{out / query}'"
    return f"CREATE TABLE {query} ({columns}) WITH ({options});"


def nullable(type_: LogicalType) -> str:
    return str(type_.with_nullability(True))


def program(queries: list[str], data: Path, out: Path) -> str:
    """One statement set of all these queries."""
    sinks = "\n".join(sink(query, data, out) for query in queries)
    inserts = "\n".join(f"INSERT INTO {query} {QUERIES[query].strip()};" for query in queries)
    return f"{tables(data)}\n{sinks}\nEXECUTE STATEMENT SET BEGIN\n{inserts}\nEND;"


def batch(query: str, data: Path) -> Counter[Row]:
    """DuckDB's result."""
    import duckdb

    with duckdb.connect() as connection:
        for table in TABLES:
            connection.execute(f"CREATE VIEW {table} AS SELECT * FROM '{data / table}/*.parquet'")
        return Counter(tuple(map(_cell, row)) for row in connection.execute(QUERIES[query]).fetchall())


def streamed(query: str, out: Path) -> Counter[Row]:
    """The table that the changes in the query's sink result in."""
    counts, rows = added_up(out / query)
    return Counter({tuple(map(_cell, rows[key].values())): count for key, count in counts.items() if count})


def _cell(value: Any) -> Any:
    """One form of a value: dates as text, numbers as floats with nine significant digits and four decimals.

    Flink's averages and quotients of decimals have six places, DuckDB's are floating-point numbers.
    """
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return value
    if isinstance(value, int | float | Decimal):
        return round(float(f"{value:.9g}"), 4)
    return str(value)
