"""Runs jobs on Flink, one after another in one JVM: a script for the Python of Flink's environment.

    FLINK/bin/python jobs.py < request.json

The request has `options` (Flink's, for all jobs) and `jobs`, a list of lists of statements, the last of which is the
INSERT. For each job a line of JSON goes to stdout: `seconds` from the submission of its compiled plan to its end, or
`error`. The start of the JVM and the planning are excluded.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Mapping, Sequence

from pyflink.common import Configuration  # type: ignore[import-not-found]
from pyflink.table import EnvironmentSettings, TableEnvironment  # type: ignore[import-not-found]


def main() -> None:
    """Run the request on stdin."""
    request = json.load(sys.stdin)
    for statements in request["jobs"]:
        try:
            answer: dict[str, object] = {"seconds": seconds(request["options"], statements)}
        except Exception as fault:
            answer = {"error": _cause(fault)}
        print(json.dumps(answer), flush=True)


def seconds(options: Mapping[str, str], statements: Sequence[str]) -> float:
    """The duration of a job."""
    configuration = Configuration()
    for name, value in options.items():
        configuration.set_string(name, value)
    settings = EnvironmentSettings.new_instance().with_configuration(configuration).build()
    environment = TableEnvironment.create(settings)
    *setup, insert = statements
    for statement in setup:
        environment.execute_sql(statement)
    if options.get("execution.runtime-mode") == "batch":  # cannot be compiled to a plan
        start = time.monotonic()
        environment.execute_sql(insert).wait()
    else:
        plan = environment._j_tenv.compilePlanSql(insert)
        start = time.monotonic()
        getattr(plan.execute(), "await")()
    return time.monotonic() - start


def _cause(fault: Exception) -> str:
    """The last cause of a Java exception that Python received, in one line."""
    causes = [line for line in str(fault).splitlines() if line.startswith("Caused by: ")]
    return (causes[-1] if causes else str(fault).strip().partition("\n")[0])[:500]


if __name__ == "__main__":
    main()
