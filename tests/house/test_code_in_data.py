"""Deserializers that may run code from their input: each use, with the reason why it is safe."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = ("cli", "compiled_plan", "planner", "plans", "schemas", "service", "tools")
#: Modules whose readers may run code, or, for `marshal`, create it.
MODULES = frozenset({"pickle", "_pickle", "cloudpickle", "dill", "joblib", "marshal", "shelve", "jsonpickle"})
#: Calls that run code from their arguments.
CALLS = frozenset({"eval", "exec", "compile"})
WRITERS = frozenset({"dump", "dumps", "Pickler", "HIGHEST_PROTOCOL", "UnpicklingError"})

#: Text of every module that deserializes or runs code; the other modules need not be parsed.
_SUSPECT = re.compile(rf"{'|'.join(MODULES)}|(?<!re\.)\b(?:{'|'.join(CALLS)})\(|\b(?:yaml|numpy)\.")
_RUN = "made by the driver of this run, and sent to its own workers: never read from a checkpoint"
#: Uses of these readers, each with the reason why it is safe.
ALLOWED = {
    "plans/execution/functions/aggregate_worker.py: pickle.loads": _RUN,
    "plans/execution/functions/bootstrap.py: pickle.loads": _RUN,
    "plans/execution/functions/bootstrap.py: exec": _RUN + "; the product's own sources",
    "plans/execution/functions/bootstrap.py: compile": _RUN + "; the product's own sources",
    "plans/execution/functions/accumulating.py: marshal.loads": "bytes that the kernel makes of values; those of state "
    "are never given to it",
    "plans/functions/code_pickles.py: pickle.loads": "for who says --allow-pickled-functions",
    "plans/functions/code_pickles.py: cloudpickle.list_registry_pickle_by_value": "reads nothing",
    "plans/functions/code_pickles.py: cloudpickle.register_pickle_by_value": "reads nothing",
    "plans/functions/code_pickles.py: cloudpickle.unregister_pickle_by_value": "reads nothing",
    "plans/functions/pickles.py: pickle.loads": "for who says --trust-pickled-state",
    "plans/functions/pickles.py: pickle.Unpickler": "of classes that are named: this is what reads pickles of state",
    "compiled_plan/compiling/python_programs.py: compile": "the program that the user compiles",
    "compiled_plan/compiling/python_programs.py: exec": "the program that the user compiles",
    "plans/types/python/annotations.py: eval": "annotations of the program's own classes",
}
_TRUSTED = "objects of a savepoint by their serializers, whose classes `Trust` has allowed before"
#: Java deserialization, and the kernel's files that use it.
READS_OBJECTS = re.compile(r"ObjectInput(Stream)?\b|\breadObject\(|XMLDecoder|\.deserialize\(|readClassAndObject\(")
JAVA = {
    "flink/savepoint/Forms.java": _TRUSTED,
    "flink/savepoint/OperatorLists.java": _TRUSTED,
    "flink/savepoint/StateForm.java": _TRUSTED,
    "host/Conditions.java": _RUN + "; `StoredState` reads a checkpoint with conditions that are text",
    "values/Bitmaps.java": "the integers of a bitmap, in its own format",
    "userfunctions/flink/Conversions.java": "a RAW value in an accumulator, by the serializer that an allowed function "
    "declares",
    "userfunctions/flink/RawSerializer.java": "objects of the function's jar and of Java's value classes alone",
}


def readers_in(tree: ast.Module) -> Iterator[str]:
    """The calls of a module that deserialize or run code."""
    names = {"cloudpickle": "cloudpickle"}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for name in node.names:
                if name.name.rpartition(".")[2] in MODULES:
                    names[name.asname or name.name.partition(".")[0]] = name.name.rpartition(".")[2]
        elif isinstance(node, ast.ImportFrom):
            module = (node.module or "").rpartition(".")[2]
            yield from (f"{module}.{name.name}" for name in node.names if module in MODULES - {"cloudpickle"})
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in names:
            if node.attr not in WRITERS:
                yield f"{names[node.value.id]}.{node.attr}"
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in CALLS:
            yield node.func.id
        elif (
            isinstance(node, ast.Attribute)
            and node.attr in ("load", "unsafe_load")
            and (loader := ast.unparse(node)) in ("yaml.load", "yaml.unsafe_load", "numpy.load")
        ):
            yield loader


@pytest.mark.slow
def test_deserializers_are_listed_with_a_reason() -> None:
    readers = {
        f"{path.relative_to(ROOT)}: {name}"
        for folder in FOLDERS
        for path in sorted((ROOT / folder).rglob("*.py"))
        if _SUSPECT.search(text := path.read_text(encoding="utf-8"))
        for name in readers_in(ast.parse(text))
    }
    assert readers - set(ALLOWED) == set(), (
        "read plain data (JSON, values of the kernel), or say above why this is safe"
    )
    assert set(ALLOWED) - readers == set(), "no longer there"


def test_java_deserializers_are_listed_with_a_reason() -> None:
    kernel = ROOT / "kernel/src/main/java/org/compiledplan/kernel"
    readers = {
        str(path.relative_to(kernel))
        for path in sorted(kernel.rglob("*.java"))
        if READS_OBJECTS.search(path.read_text(encoding="utf-8"))
    }
    assert readers == set(JAVA)


def test_a_deserializer_is_detected() -> None:
    text = """
import pickle as p, yaml
import pyspark.cloudpickle
from marshal import loads
def read(data):
    p.dumps(data)
    return p.loads(data), loads(data), yaml.load(data), eval(data)
"""
    assert sorted(readers_in(ast.parse(text))) == ["eval", "marshal.loads", "pickle.loads", "yaml.load"]
