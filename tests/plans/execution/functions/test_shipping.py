"""Transfer of functions to workers, whatever their modules import and however they are defined."""

from __future__ import annotations

import importlib
import runpy
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.errors import ExecutionError
from compiled_plan.plans.execution.functions import shipping
from compiled_plan.plans.execution.functions.runtime import Payload
from compiled_plan.plans.functions import ScalarFunction
from tests.support.commands import called, process

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

#: Two folders of modules: that of the functions, and another one on the path.
MODULES = {
    "near/ship_beside.py": """
import re
from enum import Enum
from compiled_plan.plans.functions import InputTypeStrategies, ScalarFunction, TypeInference

WORD = re.compile(r"\\w+")

class Level(Enum):
    LOW = 1

def helper(text):
    return f"<{text}>"

class Base(ScalarFunction):
    INFERENCE = TypeInference("STRING", InputTypeStrategies.sequence("STRING"))

    def get_type_inference(self):
        return self.INFERENCE

    def wrap(self, text):
        return helper(text)
""",
    "far/ship_elsewhere.py": "def far(text):\n    return text + '~'\n",
    "far/ship_late.py": "def late(text):\n    return text + '!'\n",
    "near/ship_functions.py": """
import datetime as dt
import functools
import logging
from collections import Counter
from typing import Annotated

import numpy as np
import pandas as pd
from pydantic import AwareDatetime

import compiled_plan
import compiled_plan.plans.functions as pf
import ship_beside as beside
from compiled_plan import DataTypes, TableEnvironment, col
from compiled_plan.plans.functions import *
from compiled_plan.plans.functions import CallContext, InputTypeStrategies, TypeInference, TypeStrategies
from compiled_plan.plans.types import BIGINT, NumericType
from ship_beside import Base, Level
from ship_elsewhere import far

LOG = logging.getLogger("functions")
TYPE = DataTypes.BIGINT()
ENV = TableEnvironment()
double = lambda number: number * 2

class OfAll(ScalarFunction):
    def eval(self, *args):
        return len(pf.Row(*args))

    def get_type_inference(self):
        return TypeInference(BIGINT, InputTypeStrategies.WILDCARD)

class Inherited(Base):
    def eval(self, text):
        return self.wrap(far(text)) + Level.LOW.name + str(len(beside.WORD.findall(text)))

class Kept(ScalarFunction):
    def __init__(self):
        strategy = InputTypeStrategies.sequence(InputTypeStrategies.logical(NumericType))
        output = TypeStrategies.force_nullable(TypeStrategies.argument(0))
        self.inference = TypeInference.new_builder().input_type_strategy(strategy).output_type_strategy(output).build()
        self.start = 0

    def open(self, context):
        self.add = lambda number: number + 1 + self.start

    def eval(self, number):
        return self.add(double(number))

    def get_type_inference(self):
        return self.inference

class Outer:
    class Inner(ScalarFunction):
        @functools.cached_property
        def four(self):
            return 4

        def eval(self, number: int) -> int:
            return number + self.four

class Lambda(ScalarFunction):
    eval = lambda self, number: None if number is None else number * 3

    def get_type_inference(self):
        return TypeInference("INT", InputTypeStrategies.sequence("INT"))

def made(step):
    class Local(ScalarFunction):
        def eval(self, number: int) -> int:
            return number + step
    return Local

class Imports(ScalarFunction):
    def eval(self, number: int, when: AwareDatetime | None = None) -> str:
        from ship_late import late
        LOG.debug("called")
        return late(str(np.int64(number) + 1)) + str(compiled_plan.Row(1)) + str(TYPE)

class Typed(ScalarFunction):
    def eval(self, text, type):
        return {"INT": 1, "STRING": text, "DATE": dt.date(2020, 1, 1)}[type]

    def get_type_inference(self):
        def output(call: CallContext):
            return call.get_argument_value(1)
        return TypeInference(output, InputTypeStrategies.sequence("STRING", InputTypeStrategies.LITERAL))

class Numbers(TableFunction):
    def eval(self, count, type):
        for number in range(count):
            yield number, str(number)

    def get_type_inference(self):
        return TypeInference(
            lambda call: f"ROW<n INT, t {call.get_argument_value(1)}>",
            InputTypeStrategies.sequence("INT", InputTypeStrategies.LITERAL),
        )

class Most(AggregateFunction):
    def create_accumulator(self):
        return Counter()

    def accumulate(self, counts, value):
        counts[value] += 1

    def retract(self, counts, value):
        counts[value] -= 1

    def get_value(self, counts):
        return max(counts, default=None)

    def get_type_inference(self):
        return TypeInference(TypeStrategies.argument(0), InputTypeStrategies.sequence(InputTypeStrategies.ANY))
""",
}
NAMES = ("OfAll", "Inherited", "Kept", "Outer.Inner", "Lambda", "Imports", "Typed", "Numbers", "Most")
CALLS = (
    "of_all(1, 'x', NULL), inherited('foo bar'), kept(3), inner_(CAST(3 AS BIGINT)), lambda_(3), local_(3),"
    " imports(CAST(3 AS BIGINT)), typed('a', 'INT'), typed('b', 'STRING'), typed(CAST(NULL AS STRING), 'DATE'), n, t"
)
EXPECTED: tuple[Any, ...] = (3, "<foo bar~>LOW2", 7, 7, 9, 9, "4!+I[1]BIGINT", 1, "b", "2020-01-01")


def adding(step: int) -> type[ScalarFunction]:
    class Adding(ScalarFunction):
        def eval(self, number: int) -> int:
            return number + step

    return Adding


@pytest.mark.wide
def test_classes_of_one_name(spark: SparkSession) -> None:
    """A function creates classes of one name, and a class is redefined: each name runs its registered class."""
    env = TableEnvironment()
    for step in (1, 10, 100):
        env.create_temporary_function(f"add{step}", adding(step))
    first, again = (type("Twice", (ScalarFunction,), {"eval": adding(step).eval}) for step in (1, 10))  # type: ignore[attr-defined]
    env.create_temporary_function("once_", first)
    env.create_temporary_function("twice_", again)
    query = (
        "SELECT add1(x), add10(x), add100(x), add1(x), once_(x), twice_(x) FROM (VALUES (CAST(0 AS BIGINT))) AS v(x)"
    )
    assert list(env.execute_sql(query).collect()) == [(1, 10, 100, 1, 1, 10)]


@pytest.fixture
def modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    for name, text in MODULES.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        monkeypatch.syspath_prepend(path.parent)
    yield importlib.import_module("ship_functions")
    for name in [name for name in sys.modules if name.startswith("ship_")]:
        del sys.modules[name]


def sql_name(name: str) -> str:
    return {"OfAll": "of_all", "Outer.Inner": "inner_", "Lambda": "lambda_"}.get(name, name.lower())


@pytest.mark.wide
def test_modules_of_every_kind(spark: SparkSession, modules: ModuleType, capfd: pytest.CaptureFixture[str]) -> None:
    """Registered in SQL by name, and one local class in Python: inference, siblings, other folders, all of ours."""
    env = TableEnvironment()
    for name in NAMES:
        env.execute_sql(f"CREATE FUNCTION {sql_name(name)} AS 'ship_functions.{name}' LANGUAGE PYTHON")
    env.create_temporary_function("local_", modules.made(6))
    started = modules.Kept()
    started.start = 100
    env.create_temporary_function("started", started)
    query = f"SELECT {CALLS} FROM (VALUES (2)) AS v(x), LATERAL TABLE(numbers(x, 'STRING')) AS f(n, t)"
    first, second = (tuple(row) for row in env.execute_sql(query).collect())
    assert [str(value) for value in first[:10]] == [str(value) for value in EXPECTED]
    assert (first[10:], second[10:]) == ((0, "0"), (1, "1"))
    assert list(env.execute_sql("SELECT started(3), kept(3)").collect()) == [(107, 7)]
    most = env.execute_sql("SELECT most(x), most(DISTINCT x) FROM (VALUES (1), (3), (2)) AS v(x)").collect()
    assert list(most)[-1] == (3, 3)


PROGRAM = """
from compiled_plan.plans.functions import InputTypeStrategies, ScalarFunction, TypeInference, TypeStrategies
from compiled_plan import TableEnvironment, call, col

SCALE = 10

class Scaled(ScalarFunction):
    def eval(self, number):
        return None if number is None else number * SCALE

    def get_type_inference(self):
        return TypeInference(TypeStrategies.argument(0), InputTypeStrategies.sequence(InputTypeStrategies.ANY))

def main(env):
    env.execute_sql("CREATE TABLE o (a INT, b DOUBLE) WITH ('connector' = 'print')")
    env.create_temporary_function("scaled", Scaled)
    table = env.from_values([(1, 2.5)], ["a", "b"])
    return table.select(call("scaled", col("a")), call(Scaled, col("b"))).insert_into("o")

if __name__ == "__main__":
    main(TableEnvironment()).execute().wait()
"""


@pytest.mark.wide
def test_the_main_module_and_functions_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], shared_session: None
) -> None:
    """A standalone program whose functions are those of `__main__`; its plan, compiled and executed by the commands."""
    (tmp_path / "prog.py").write_text(PROGRAM)
    runpy.run_path(str(tmp_path / "prog.py"), run_name="__main__")
    output = capsys.readouterr()
    assert "+I[10, 25.0]" in output.out, output.err
    text = PROGRAM.replace('env.from_values([(1, 2.5)], ["a", "b"])', 'env.sql_query("SELECT 1 AS a, 2.5E0 AS b")')
    (tmp_path / "prog.py").write_text(text)
    compiled = process("compile_plan", "prog.py", "-o", "plan.json", cwd=tmp_path)
    assert compiled.returncode == 0, compiled.stderr
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "prog", raising=False)
    done = called("execute_plan", "plan.json", "--functions-from", "prog", "-q")
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "+I[10, 25.0]"


@pytest.mark.wide
def test_a_worker_that_has_only_spark_and_arrow(modules: ModuleType, tmp_path: Path, monkeypatch: Any) -> None:
    """The product's sources are sent to other machines, and the user's modules in the pickle."""
    monkeypatch.setattr(shipping, "_home", lambda: shipping.Home(archive=shipping._sources()))
    site = tmp_path / "site"
    site.mkdir()
    for name in ("pyspark", "pyarrow", "py4j", "numpy", "numpy.libs", "pyarrow.libs"):
        library = Path(pa.__file__).parents[1] / name
        if library.exists():
            (site / name).symlink_to(library)
    function = modules.Inherited()
    payload = Payload(function, "eval", "f", "STRING", (None,), None, pa.string(), (), False, False)
    (tmp_path / "blob").write_bytes(shipping.pickled(payload, function, "f"))
    code = f"""
import sys
sys.path[:] = [place for place in sys.path if "packages" not in place] + [{str(site)!r}]
import pickle, pyarrow, pyspark.cloudpickle
for name in ("compiled_plan", "ship_functions", "pydantic"):
    try:
        __import__(name)
    except ImportError:
        continue
    raise SystemExit(name)
call = pickle.loads(open({str(tmp_path / "blob")!r}, "rb").read())
print(call.batch([pyarrow.array(["foo bar"])], False).to_pylist())
"""
    done = subprocess.run(
        [sys.executable, "-S", "-c", code], cwd=tmp_path, env={}, capture_output=True, text=True, check=False
    )
    assert done.stdout == "['<foo bar~>LOW2']\n", done.stderr


LOCK = threading.Lock()


class Locked(ScalarFunction):
    def eval(self, number: int) -> int:
        with LOCK:
            return number


class Holding(ScalarFunction):
    def __init__(self) -> None:
        self.lock = threading.Lock()

    def eval(self, number: int) -> int:
        return number


@pytest.mark.parametrize(
    ("class_", "held"),
    [(Locked, r"held by `LOCK`, which Locked\.eval uses"), (Holding, "held by the attribute `lock`")],
)
def test_functions_that_cannot_be_pickled_are_named(
    spark: SparkSession, class_: type[ScalarFunction], held: str
) -> None:
    env = TableEnvironment()
    env.create_temporary_function("f", class_)
    with pytest.raises(
        ExecutionError, match=rf"the function f \(.*{class_.__name__}\) cannot be sent(.|\n)*{held}"
    ) as e:
        list(env.execute_sql("SELECT f(CAST(1 AS BIGINT))").collect())
    assert "`open`" in e.value.remedy
