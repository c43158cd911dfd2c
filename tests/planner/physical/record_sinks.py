"""Records Flink's plans for the sinks of `sinks.py` in `sinks.json`.

python -m venv flink && flink/bin/pip install apache-flink==2.3.0
PYTHONPATH=. flink/bin/python tests/planner/physical/record_sinks.py JAR...

The jars, from Maven Central: flink-connector-kafka:4.0.1-2.0, kafka-clients:3.9.1, flink-connector-jdbc-core:4.0.0-2.0
and flink-connector-jdbc-postgres:4.0.0-2.0.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from pyflink.table import EnvironmentSettings, TableEnvironment  # type: ignore[import-not-found]

from tests.planner.physical import sinks

ANSWERS = Path(__file__).with_name("sinks.json")


def answer(program: sinks.Program, jars: list[str]) -> str:
    """Flink's plan, or its refusal."""
    env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    env.get_config().set("pipeline.jars", ";".join(Path(jar).resolve().as_uri() for jar in jars))
    for key, value in program.options.items():
        env.get_config().set(key, value)
    for statement in program.setup:
        env.execute_sql(statement)
    try:
        plan = env._j_tenv.compilePlanSql(program.insert).asJsonString()
    except Exception as refusal:
        return sinks.refused(str(refusal))
    return sinks.planned(json.loads(plan), program.conflict)


def main() -> None:
    """Record all answers."""
    jars = sys.argv[1:]
    answers = {
        sink: sinks.table({program.name: answer(program, jars) for program in sinks.programs(sink)})
        for sink in sinks.SINKS
    }
    ANSWERS.write_text(json.dumps(answers, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
