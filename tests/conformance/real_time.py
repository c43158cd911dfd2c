"""Runs conformance programs in real-time mode, which cannot read files: each file becomes a topic.

    python -m tests.conformance.real_time BROKER FOLDER [CASE]...

Flink's plan of each case reads the topics instead. A run is stopped after the batch that has read all messages.
For each case a line of JSON goes to stdout: its name, and the difference from Flink's result.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from compiled_plan.plans.errors import CompiledPlanError
from compiled_plan.plans.execution.realtime.query import in_real_time
from compiled_plan.plans.execution.session.options import TRANSFORM
from compiled_plan.plans.execution.stages.hosts import hosted
from compiled_plan.plans.execution.stages.prepared import prepare
from compiled_plan.plans.inspection.identity import with_uids
from compiled_plan.plans.plan import CompiledPlan
from tests.conformance.cases import Case, cases, categories, difference

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from compiled_plan.plans.execution.batches.progress import BatchProgress
    from tests.support.topics import Topics

#: All stages of one partition, several topics, and ticks run concurrently; batches are as short as Spark allows.
_MASTER = "local[48]"
_SETTINGS = {"spark.sql.shuffle.partitions": "1", "spark.sql.streaming.realTimeMode.minBatchDuration": "300"}
_TRIGGER, _MOST_SECONDS = "real-time=300ms", 90


@dataclass(frozen=True)
class Broker:
    """A running broker."""

    address: str


@dataclass(frozen=True)
class Fed:
    """A case whose sources are topics.

    Args:
        case: the case.
        plan: Flink's plan of it, over topics.
        files: by topic, the file with its messages.
    """

    case: Case
    plan: CompiledPlan
    files: dict[str, Path]

    @property
    def refusal(self) -> str:
        """The reason why it does not run in real-time mode or has another result there; else empty."""
        try:
            prepared = in_real_time(hosted(prepare(with_uids(self.plan)), TRANSFORM), TRANSFORM)
        except CompiledPlanError as refused:
            return str(refused)
        return "in event time its result has what the end of the input brings" if prepared.event_time else ""


def fed(case: Case, out: Path, broker: str) -> Fed:
    """Load the sources of a case into topics of a broker."""
    document, files = json.loads(case.flink_plan(out)), dict[str, Path]()
    for options in _sources(document):
        place = Path(options.pop("path"))
        topic = f"{case.name.replace('/', '_')}_{place.stem}"
        files[topic] = place
        options |= {"connector": "kafka", "topic": topic, "properties.bootstrap.servers": broker}
        options["scan.startup.mode"] = "earliest-offset"
    return Fed(case, CompiledPlan.from_json(json.dumps(document)), files)


def runnable() -> Iterator[Case]:
    """All cases that have a result."""
    return (case for case in cases(*categories()) if not case.refused_at)


def _sources(document: dict[str, Any]) -> Iterator[dict[str, str]]:
    """The options of the filesystem tables that a plan reads; they may be modified."""
    for node in document["nodes"]:
        if "scanTableSource" in node:
            options = node["scanTableSource"]["table"]["resolvedTable"]["options"]
            if options["connector"] == "filesystem":
                yield options


def _messages(file: Path) -> list[str]:
    return [line for line in file.read_text().splitlines() if line]


def run(spark: SparkSession, topics: Topics, inputs: Fed, out: Path) -> str:
    """The difference from Flink's result; the error if the run fails."""
    from compiled_plan.plans.execution.run import Run
    from compiled_plan.plans.execution.session.options import RunOptions
    from tests.support.topics import Message

    left = 0
    for topic, file in inputs.files.items():
        topics.make(topic)
        topics.send(topic, [Message(line) for line in _messages(file)])
        left += len(_messages(file))

    def report(progress: BatchProgress) -> None:
        nonlocal left
        left -= progress.rows_in
        if left <= 0:
            running.stop()

    try:
        running = Run(spark, inputs.plan, RunOptions(trigger=_TRIGGER), report=report)
        watch = threading.Timer(_MOST_SECONDS, running.stop)
        watch.daemon = True
        watch.start()
        running.execute()
        watch.cancel()
    except CompiledPlanError as error:
        return str(error)
    return f"{left} rows were not read in {_MOST_SECONDS} s" if left > 0 else difference(inputs.case, out)


def main(broker: str, folder: str, *names: str) -> None:
    """Run the cases that support this mode; all of them, or the named ones."""
    from compiled_plan.plans.execution.session.spark_session import spark_session
    from tests.support.topics import Topics
    from tools.services.kafka import connector_jars

    jars = {"spark.driver.extraClassPath": ":".join(map(str, connector_jars())), "spark.driver.memory": "2g"}
    with spark_session(_MASTER, {**_SETTINGS, **jars}, verbose=False) as spark:
        topics = Topics(spark, Broker(broker))
        for case in runnable():
            out = Path(folder, case.name)
            inputs = fed(case, out, broker)
            if (names and case.name not in names) or inputs.refusal:
                continue
            begin = time.monotonic()
            verdict = {"case": case.name, "difference": run(spark, topics, inputs, out)}
            print(json.dumps({**verdict, "seconds": round(time.monotonic() - begin, 1)}), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
