"""Spark's exceptions as errors in the user's terms: the root cause's message, without stack traces."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import unquote

from py4j.protocol import Py4JError, Py4JNetworkError

from compiled_plan.plans.errors import CheckpointError, DataError, ExecutionError
from compiled_plan.plans.execution.spark.java import java_causes
from compiled_plan.plans.files import quoted
from compiled_plan.plans.files.faults import reason

_CODE = re.compile(r"^\[[A-Z0-9_.]+\]\s*")
_SQLSTATE = re.compile(r"(?<!\s)\s*SQLSTATE: \w{5}\s*$")
_CLASS = re.compile(r"^(?:[\w$]+\.)+[\w$]*(?:Exception|Error): ")

#: Spark's message around the exception that ended a query: a prefix, and the whole plan as a suffix.
_QUERY = re.compile(r"^(?:\[\w+\] )?Query \[.*?\] terminated with exception: ")
_PLAN = "\n=== Streaming Query ==="

#: Messages of Kafka's clients, or of Spark, about brokers that do not answer.
_AWAY = re.compile(
    r"org\.apache\.kafka\.common\.errors\.((?:Timeout|Disconnect|Network|BrokerNotAvailable|LeaderNotAvailable"
    r"|CoordinatorNotAvailable|NotLeaderOrFollower)Exception: .*)|(Cannot fetch record for offset .*)"
)

#: Exhausted memory or stack: an error of the JVM, or Spark's message with it.
_NO_MORE = re.compile(r"(OutOfMemoryError|StackOverflowError)(?:: (.*))?")

#: A folder that Hadoop's local file system cannot create, followed by folders of the attempt.
_UNMADE = re.compile(r"Mkdirs failed to create (\S+?)(?:/\.compiled-plan-\S*|/_temporary\S*)? \(exists=")

#: A file that Spark's own readers (Parquet, ORC) cannot read, in Spark's message.
_BAD_FILE = re.compile(r"\[FAILED_READ_FILE\.\w+\] Encountered error while reading file (\S+?)\.(?:\s|$)")

#: A full disk, in the words of the system.
_FULL = re.compile(r"No space left on device|Disk quota exceeded")

#: A missing or truncated file, and the parts of Spark that read checkpoints: their logs, their state.
_TORN = re.compile(
    r"do(?:es not|esn't) exist|FileNotFound|NoSuchFile|Checksum verification failed|Unexpected end-of-input"
    r"|Incomplete log file|Failed to read the operator metadata|the state directory is empty or missing"
)
_OF_CHECKPOINT = re.compile(r"\.streaming\.(?:state|checkpointing|operators\.stateful|runtime\.StreamMetadata)\b")

#: A damaged file of a checkpoint, in the kernel's words: the path, the reason.
_DAMAGED = re.compile(r"DamagedFileException: (\S.*): ([^\n]*)")
#: Spark while it loads state.
_LOADS = re.compile(r"CANNOT_LOAD_STATE_STORE|\.streaming\.state\.(?:RocksDB[\w$.]*load|StateStoreChangelogReader)")

#: The failure of a Python user function, in a line of a traceback (see `plans.execution.functions.runtime`).
_BY_FUNCTION = re.compile(r"FunctionFailure: (user function failed: .*)")


#: A class that no jar has, or a scheme of paths without one.
_NO_CLASS = re.compile(r"ClassNotFoundException: (?:Class )?([\w.$]+)|NoClassDefFoundError: ([\w/$]+)")
_NO_STORE = re.compile(r'No FileSystem for scheme "?(\w+)')
#: The libraries of file systems, by the prefix of their classes or their scheme; Hadoop's own have its version.
_LIBRARIES = {
    "org.apache.hadoop.fs.s3a.": "org.apache.hadoop:hadoop-aws:{hadoop}",
    "software.amazon.awssdk.": "org.apache.hadoop:hadoop-aws:{hadoop}",
    "s3": "org.apache.hadoop:hadoop-aws:{hadoop}, and write s3a://",
    "org.apache.hadoop.fs.azurebfs.": "org.apache.hadoop:hadoop-azure:{hadoop}",
    "gs": "com.google.cloud.bigdataoss:gcs-connector:hadoop3-2.2.26",
    "com.google.cloud.hadoop.fs.gcs.": "com.google.cloud.bigdataoss:gcs-connector:hadoop3-2.2.26",
}


class LostSparkError(ExecutionError):
    """The process of Spark's driver, a JVM, is gone; nothing runs in its session any more."""


def translate(fault: Exception, brokers: Iterable[str] = (), checkpoint: str = "") -> ExecutionError:
    """The error to show for an exception that Spark or py4j raised.

    The deepest cause is the actual fault; Spark's wrappers (stage numbers, task attempts) do not help.

    Args:
        fault: the exception.
        brokers: addresses of the run's Kafka brokers.
        checkpoint: the checkpoint of the run, for messages.
    """
    try:
        return lost_spark(fault) or _translated(fault, brokers, checkpoint)
    except (Py4JError, OSError) as lost:
        # The JVM ended while it was asked for causes and messages.
        return lost_spark(lost) or ExecutionError(f"Spark failed: {type(fault).__name__}", remedy="start again")


def lost_spark(fault: BaseException) -> LostSparkError | None:
    """The error for an exception that the end of the JVM has caused; None for others."""
    if not _lost(fault) and not _has_ended():
        return None
    return LostSparkError(
        "the JVM that Spark runs in ended: it was killed, or had no memory left",
        remedy="see the system's log; give it more with --conf spark.driver.memory=8g; what was committed is kept, "
        "so start the plan again on its checkpoint",
    )


def _has_ended() -> bool:
    """Return True if the JVM that this process has started is gone."""
    from pyspark import SparkContext

    process = getattr(SparkContext._gateway, "proc", None)
    return process is not None and process.poll() is not None


def _translated(fault: Exception, brokers: Iterable[str], checkpoint: str) -> ExecutionError:
    message = _QUERY.sub("", _root_message(fault).partition(_PLAN)[0])
    away = _AWAY.search(message)
    if away is not None:
        return ExecutionError(
            " ".join(("Kafka's brokers", *sorted(set(brokers)), f"do not answer: {away[1] or away[2]}")),
            remedy="start them, and then the plan again on its checkpoint: what was committed is kept",
        )
    unreadable = _unreadable(message) or _unreadable(str(fault)) or _unreadable(_stack_trace(fault))
    if unreadable is not None:
        return unreadable
    by_function = _BY_FUNCTION.search(message) or _BY_FUNCTION.search(str(fault))
    if by_function is not None:
        return DataError(by_function[1].strip(), remedy="correct the function or its rows; --debug shows the traceback")
    if "PythonFailure" in message:
        python_fault = message.partition("PythonFailure: ")[2].split("\n\tat ")[0].strip()
        return DataError(python_fault, remedy="correct the function or its rows; --debug shows the traceback")
    ended = _ended(message, fault)
    if ended is not None and ended[1] == "StackOverflowError":
        return ExecutionError(
            "an expression is nested too deeply for Spark: its threads have no stack left",
            remedy="cut it into several columns or views, or run with --conf spark.driver.extraJavaOptions=-Xss512m",
        )
    if ended is not None:
        return ExecutionError(
            f"the JVM that Spark runs in has no memory left: {_short(ended[2] or ended[1])}",
            remedy="give it more with --conf spark.driver.memory=8g; what was committed is kept, "
            "so start the plan again on its checkpoint",
        )
    missing = _missing_library(message)
    if missing is not None:
        return missing
    if "StateFormatException" in message:
        return CheckpointError(
            _short(message).partition("; run it with the release")[0],
            remedy="run it with the release that wrote the state, reset the operator with --reset, "
            "or start with an empty checkpoint",
        )
    if "RegistryException" in message:
        return ExecutionError(
            _short(message), remedy="start it, or correct the options of the table's format: url, credentials, subject"
        )
    if _FULL.search(message):
        return ExecutionError(
            f"a disk is full: {_short(message)}",
            remedy="free some space there, then start again: what was committed is kept",
        )
    damaged = _of_checkpoint(message, f"{fault}{_stack_trace(fault)}", checkpoint)
    if damaged is not None:
        return damaged
    user_raised = "USER_RAISED_EXCEPTION" in message
    text = _short(message) or type(fault).__name__
    if "[NULL_MAP_KEY]" in message:
        return DataError(
            "a map gets a NULL key, which Spark's maps cannot hold",
            remedy="give the key another value, MAP[COALESCE(k, ''), v], or leave such maps out: "
            "CASE WHEN k IS NOT NULL THEN MAP[k, v] END",
        )
    if "formats.base.DataException" in message:
        return DataError(text, remedy="correct the row, or leave it out or change the value in the query")
    if user_raised or "org.compiledplan" in message:
        return DataError(text, remedy="correct the row, or let the expression tolerate it (TRY_CAST, NULLIF)")
    if isinstance(fault, OSError) and fault.filename:
        remedy = "allow the run to use it, or name another place"
        return ExecutionError(
            f"cannot use a file or folder: {reason(fault)}", where=quoted(fault.filename), remedy=remedy
        )
    unmade = _UNMADE.search(message)
    if unmade is not None:
        remedy = "name a folder that can be written, such as in the sink's option 'path'"
        return ExecutionError("a folder cannot be created", where=quoted(unmade[1]), remedy=remedy)
    bad_file = _BAD_FILE.search(str(fault))
    if bad_file is not None:
        where = quoted(unquote(bad_file[1]))
        return DataError(f"a file cannot be read: {text}", where=where, remedy="correct the file, or remove it")
    return ExecutionError(text, remedy="run with --debug for Spark's stack trace")


def _of_checkpoint(message: str, text: str, checkpoint: str) -> CheckpointError | None:
    """A file of the checkpoint that Spark cannot read; `text` has the stack trace."""
    remedy = (
        "restore the checkpoint from a copy, then start again: nothing was committed without it; without a copy, "
        "start the operator empty with --reset, or continue from an earlier generation with --adopt-generation"
    )
    known = _DAMAGED.search(message) or _DAMAGED.search(text)
    if known is not None:
        where = quoted(known[1].removeprefix("file:"))
        return CheckpointError(f"a file of the checkpoint is damaged: {known[2]}", where=where, remedy=remedy)
    if not _LOADS.search(text) and not (_TORN.search(message) and _OF_CHECKPOINT.search(text)):
        return None
    reason = _short(message)
    store = next((word for word in f"{message} {text}".split() if "/generations/" in word and "/state/" in word), "")
    # Without spaces it is the name of a Java class.
    why = f": {reason}" if " " in reason else ""
    where = quoted(store.strip("'\"()[],.;").removeprefix("file:")) if store else checkpoint
    return CheckpointError(f"a file of the checkpoint is missing or damaged{why}", where=where, remedy=remedy)


def _ended(message: str, fault: Exception) -> re.Match[str] | None:
    """The exhausted resource of the JVM: its name, and the JVM's message."""
    return _NO_MORE.search(message) or _NO_MORE.search(_stack_trace(fault))


def _stack_trace(fault: Exception) -> str:
    """Java's stack trace: it names the exception of the query's own thread, and Spark's message does not."""
    return getattr(fault, "_stackTrace", None) or ""


def _missing_library(message: str) -> ExecutionError | None:
    """The error for a class or file system that Spark's class path lacks."""
    store, absent = _NO_STORE.search(message), _NO_CLASS.search(message)
    if store is not None:
        name, text = store[1], f"Spark has no file system for {store[1]}://"
    elif absent is not None:
        name = (absent[1] or absent[2]).replace("/", ".")
        text = f"the class {name} is not on Spark's class path"
    else:
        return None
    library = next((library for prefix, library in _LIBRARIES.items() if name.startswith(prefix)), "GROUP:NAME:VERSION")
    library = library.format(hadoop=_hadoop_version())
    return ExecutionError(
        text,
        remedy=f"add its library with --conf spark.jars.packages={library}, or its jar with --conf spark.jars=FILE: "
        "executors get it, too",
    )


def _hadoop_version() -> str:
    """The version of the Hadoop in pyspark, which its file systems must have."""
    import pyspark

    jars = Path(pyspark.__file__).parent.glob("jars/hadoop-client-api-*.jar")
    return next((jar.stem.removeprefix("hadoop-client-api-") for jar in jars), "VERSION")


def _unreadable(message: str) -> DataError | None:
    """An unreadable record or file, from the kernel's `UnreadableException`: what, where, remedy."""
    line = message.partition("UnreadableException: ")[2].partition("\n")[0]
    fault, _, remedy = line.rpartition("; try: ")
    reason, _, where = fault.rpartition("; at: ")
    return DataError(reason, where=where, remedy=remedy) if reason else None


def _short(message: str) -> str:
    """A message of Spark's without its class, code and state."""
    text = message.split("\n\tat ")[0].strip()
    return _SQLSTATE.sub("", _CODE.sub("", _CLASS.sub("", text))).strip()


def _lost(fault: BaseException | None) -> bool:
    """Return True if an error, or its cause, is that the JVM does not answer."""
    return fault is not None and (
        isinstance(fault, Py4JNetworkError | ConnectionError)
        # An error in an answer names itself.
        or (type(fault) is Py4JError and "Trace:" not in str(fault))
        or _lost(fault.__cause__ or fault.__context__)
    )


def _root_message(fault: Exception) -> str:
    causes = java_causes(fault)
    if causes:
        name, message = causes[-1].getClass().getName(), causes[-1].getMessage()
        return name if message is None else f"{name}: {message}"
    text = str(fault)
    causes_in_text = re.findall(r"Caused by: (.+)", text)
    return causes_in_text[-1] if causes_in_text else text
