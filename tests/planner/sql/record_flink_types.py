"""Records Flink's answer for each spelling of `flink_types.txt` in that file.

python -m venv flink && flink/bin/pip install apache-flink==2.3.0
flink/bin/python tests/planner/sql/record_flink_types.py
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pyflink.java_gateway import get_gateway  # type: ignore[import-not-found]
from pyflink.table import EnvironmentSettings, TableEnvironment  # type: ignore[import-not-found]

TABLE = Path(__file__).with_name("flink_types.txt")
REFUSED = "-"


class Flink:
    """One environment for all questions."""

    def __init__(self) -> None:
        self.env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
        self.jvm: Any = get_gateway().jvm
        self.folder = Path(tempfile.mkdtemp())
        self.count = 0
        self.env.execute_sql("CREATE TABLE source (i BIGINT) WITH ('connector'='datagen')")
        self.env.execute_sql("CREATE TABLE sink (b BOOLEAN) WITH ('connector'='blackhole')")

    def column(self, spelling: str) -> str:
        """As the type of a column in CREATE TABLE."""
        self.count += 1
        self.env.execute_sql(
            f"CREATE TEMPORARY TABLE t{self.count} (a {spelling}) WITH ('connector'='blackhole')",
        )
        return self._first(self.env.from_path(f"t{self.count}"))

    def cast(self, spelling: str) -> str:
        """In CAST; an interval in its plan form, since query schemas show all intervals alike."""
        if spelling.startswith("INTERVAL "):
            return self._interval(spelling)
        return self._first(self.env.sql_query(f"SELECT CAST(NULL AS {spelling})"))

    def text(self, spelling: str) -> str:
        """As the text of a type in a plan, in a hint or in `DataTypes.of`."""
        loader = self.jvm.java.lang.Thread.currentThread().getContextClassLoader()
        parser = self.jvm.org.apache.flink.table.types.logical.utils.LogicalTypeParser
        parsed = parser.parse(spelling, loader)
        if self._unresolved(parsed):
            raise ValueError("the name of a type of the program")
        return self._written(parsed)

    def _unresolved(self, parsed: Any) -> bool:
        children = parsed.getChildren()
        inner = [children.get(at) for at in range(children.size())]
        return parsed.getTypeRoot().toString() == "UNRESOLVED" or any(map(self._unresolved, inner))

    def _interval(self, spelling: str) -> str:
        self.count += 1
        unit = "MONTH" if spelling.startswith(("INTERVAL YEAR", "INTERVAL MONTH", "INTERVAL QUARTER")) else "SECOND"
        file = self.folder / f"{self.count}.json"
        inner = f"CAST(i AS INTERVAL {unit})"
        query = f"INSERT INTO sink SELECT CAST({inner} AS {spelling}) IS NULL FROM source"
        self.env.execute_sql(f"COMPILE PLAN '{file}' FOR {query}")
        nodes = json.loads(file.read_text())["nodes"]
        null_check = next(node for node in nodes if "projection" in node)["projection"][0]
        return str(null_check["operands"][0]["type"])

    def _first(self, table: Any) -> str:
        types = table._j_table.getResolvedSchema().getColumnDataTypes()
        return self._written(types.get(0).getLogicalType())

    def _written(self, data_type: Any) -> str:
        text = str(data_type.asSerializableString())
        return text.replace("VARCHAR(2147483647)", "STRING").replace("VARBINARY(2147483647)", "BYTES")


def answer(ask: Callable[[str], str], spelling: str) -> str:
    try:
        return ask(spelling)
    except Exception:  # whatever Flink raises is a refusal
        return REFUSED


def main() -> None:
    flink = Flink()
    lines = TABLE.read_text().splitlines()
    output = [line for line in lines if line.startswith("#")]
    for line in lines:
        if line and not line.startswith("#"):
            spelling = line.split(" | ")[0]
            answers = [answer(ask, spelling) for ask in (flink.column, flink.cast, flink.text)]
            output.append(" | ".join([spelling, *answers]))
    TABLE.write_text("\n".join(output) + "\n")


if __name__ == "__main__":
    main()
