"""Errors of Spark and py4j as errors with a remedy."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
from py4j.protocol import Py4JError, Py4JNetworkError

from compiled_plan.plans.errors import CheckpointError, DataError, ExecutionError
from compiled_plan.plans.execution.spark.failures import LostSparkError, translate

HEAP = """Job aborted due to stage failure: Task 0 in stage 3.0 failed 1 times
\tat org.apache.spark.scheduler.DAGScheduler.abortStage(DAGScheduler.scala:2935)
Caused by: java.lang.OutOfMemoryError: Java heap space
\tat java.base/java.util.Arrays.copyOf(Arrays.java:3537)"""
OWN = """Job aborted
Caused by: org.apache.spark.memory.SparkOutOfMemoryError: [UNABLE_TO_ACQUIRE_MEMORY] Unable to acquire 65536 bytes of \
memory, got 0. SQLSTATE: 53200"""
DEEP = "Job aborted\nCaused by: java.lang.StackOverflowError\n\tat scala.collection.immutable.List.map"

MKDIRS = """Job aborted
Caused by: java.io.IOException: Mkdirs failed to create file:/proc/x/.compiled-plan-7a-0/_temporary/0/_temporary/a_0 \
(exists=false, cwd=file:/tmp)"""

S3A = """java.lang.RuntimeException: \
java.lang.ClassNotFoundException: Class org.apache.hadoop.fs.s3a.S3AFileSystem not found
Caused by: java.lang.ClassNotFoundException: Class org.apache.hadoop.fs.s3a.S3AFileSystem not found"""


@pytest.mark.parametrize(
    ("text", "message", "remedy"),
    [
        (HEAP, "the JVM that Spark runs in has no memory left: Java heap space", "spark.driver.memory"),
        (OWN, "no memory left: Unable to acquire 65536 bytes of memory, got 0.", "spark.driver.memory"),
        (DEEP, "an expression is nested too deeply for Spark", "cut it into several columns or views"),
        (MKDIRS, "a folder cannot be created", "option 'path'"),
        ("Caused by: java.io.IOException: No space left on device", "a disk is full: No space left", "free some space"),
        (S3A, "the class org.apache.hadoop.fs.s3a.S3AFileSystem is not on", "org.apache.hadoop:hadoop-aws:3."),
        (
            "java.lang.NoClassDefFoundError: a/b/C$D",
            "the class a.b.C$D is not on Spark's class path",
            "spark.jars=FILE",
        ),
        ('UnsupportedFileSystemException: No FileSystem for scheme "gs"', "no file system for gs://", "gcs-connector"),
        ("Caused by: java.io.IOException: Broken pipe", "Broken pipe", "--debug"),
    ],
    ids=["heap", "memory-of-spark", "stack", "folder", "disk", "s3a", "class", "gs", "other"],
)
def test_errors_of_spark_are_translated(text: str, message: str, remedy: str) -> None:
    fault = translate(RuntimeError(text))
    assert type(fault) is ExecutionError
    assert message in fault.message and remedy in fault.remedy


def test_places_are_absolute_paths_in_quotes() -> None:
    assert translate(RuntimeError(MKDIRS)).where == "'/proc/x'"
    fault = translate(FileNotFoundError(2, "No such file or directory", "none"))
    assert fault.message == "cannot use a file or folder: no such file or directory"
    assert fault.where == repr(str(Path("none").absolute())) and fault.remedy
    read = translate(
        RuntimeError(
            "[FAILED_READ_FILE.NO_HINT] Encountered error while reading file file:///a%20b/1.orc. SQLSTATE: KD001\n"
            "Caused by: org.apache.orc.FileFormatException: Malformed ORC file file:/a b/1.orc. Invalid postscript."
        )
    )
    assert type(read) is DataError and read.where == "'/a b/1.orc'"
    assert read.message == "a file cannot be read: Malformed ORC file file:/a b/1.orc. Invalid postscript."


def test_a_map_with_a_null_key_has_a_remedy() -> None:
    key = (
        "Caused by: org.apache.spark.SparkRuntimeException: [NULL_MAP_KEY] Cannot use null as map key. SQLSTATE: 2200E"
    )
    fault = translate(RuntimeError(key))
    assert type(fault) is DataError
    assert fault.message == "a map gets a NULL key, which Spark's maps cannot hold"
    assert "CASE WHEN k IS NOT NULL" in fault.remedy


def test_a_record_that_cannot_be_read_has_a_place_and_a_remedy() -> None:
    said = "kernel.formats.base.UnreadableException: a record; at: here; try: x; at: '/a/1.csv', line 2; try: y"
    error = translate(RuntimeError(f"Job aborted\nCaused by: {said}"))
    assert type(error) is DataError
    assert (error.message, error.where, error.remedy) == ("a record; at: here; try: x", "'/a/1.csv', line 2", "y")


def test_a_table_that_cannot_be_read_in_the_query_thread() -> None:
    said = "the table has lost changes; at: table t; try: a new checkpoint"
    fault = RuntimeError(f"[STREAM_FAILED] Query [id = 1] terminated with exception: {said}\n=== Streaming Query ===")
    fault._stackTrace = f"{fault}\nCaused by: kernel.formats.base.UnreadableException: {said}\n"  # type: ignore[attr-defined]
    error = translate(fault)
    assert type(error) is DataError
    assert (error.message, error.where, error.remedy) == ("the table has lost changes", "table t", "a new checkpoint")


def test_brokers_that_do_not_answer_are_named_and_the_plan_is_not_shown() -> None:
    error = (
        "org.apache.kafka.common.errors.TimeoutException: Timed out waiting for a node assignment. Call: listOffsets"
    )
    plan = "Project [invoke(org.compiledplan.kernel.formats.json.JsonDecoder.changes(value))]"
    text = (
        f"[STREAM_FAILED] Query [id = 1, runId = 2] terminated with exception: {error}\n=== Streaming Query ===\n{plan}"
    )
    failure = translate(RuntimeError(text), ["b:2", "a:1", "b:2"])
    assert type(failure) is ExecutionError
    said = "TimeoutException: Timed out waiting for a node assignment. Call: listOffsets"
    assert failure.message == f"Kafka's brokers a:1 b:2 do not answer: {said}"
    assert "start the plan again" not in failure.message and "checkpoint" in failure.remedy


def test_out_of_memory_in_the_query_thread() -> None:
    fault = RuntimeError("[STREAM_FAILED] Query [id = 1] terminated with exception: Java heap space SQLSTATE: XXKST")
    fault._stackTrace = f"StreamingQueryException: {fault}\n{HEAP}"  # type: ignore[attr-defined]
    error = translate(fault)
    assert error.message == "the JVM that Spark runs in has no memory left: Java heap space"


@pytest.mark.parametrize(
    "fault",
    [
        Py4JNetworkError("Answer from Java side is empty"),
        ConnectionRefusedError("refused"),
        ConnectionResetError("reset"),
        Py4JError("An error occurred while calling o12.awaitTermination"),
    ],
    ids=str,
)
def test_a_dead_jvm(fault: Exception) -> None:
    error = translate(fault)
    assert isinstance(error, LostSparkError)
    assert "it was killed, or had no memory left" in error.message and "checkpoint" in error.remedy


def test_a_jvm_that_dies_while_its_error_is_read() -> None:
    class Dying(RuntimeError):
        @property
        def java_exception(self) -> None:
            raise Py4JNetworkError("Answer from Java side is empty")

    assert isinstance(translate(Dying("x")), LostSparkError)


def test_a_missing_checkpoint_file_is_not_retried() -> None:
    gone = "Caused by: java.io.FileNotFoundException: File file:/c/state/0/1/2_a.changelog does not exist"
    fault = translate(RuntimeError(f"Job aborted\n\tat org.apache.spark.sql.execution.streaming.state.X\n{gone}"))
    assert type(fault) is CheckpointError
    assert "a file of the checkpoint is missing or damaged: File file:/c/state/0/1/2_a.changelog" in fault.message
    assert type(translate(RuntimeError(gone))) is ExecutionError, "a file of a table, say"


def test_state_of_another_form_is_no_bad_row() -> None:
    text = (
        "Job aborted\nCaused by: org.compiledplan.kernel.state.serialization.StateFormatException: operator rank-o: "
        "its state is of the format rank in version 2, known here is version 1; "
        "run it with the release that wrote it, or start again"
    )
    error = translate(RuntimeError(text))
    assert type(error) is CheckpointError
    assert error.message.endswith("rank in version 2, known here is version 1") and "--reset" in error.remedy


def test_an_exception_without_a_message_is_named() -> None:
    fault, kind = RuntimeError("interrupted"), SimpleNamespace(getName=lambda: "java.lang.InterruptedException")
    java = SimpleNamespace(getCause=lambda: None, getClass=lambda: kind, getMessage=lambda: None)
    fault.java_exception = java  # type: ignore[attr-defined]
    assert translate(fault).message == "java.lang.InterruptedException"
