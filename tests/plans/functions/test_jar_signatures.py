"""Types of Java functions from their class files: compiled ones, class files that no compiler writes, and no jars.

Expected types are those of `tests/support/java/Samples.java`.
"""

from __future__ import annotations

import random
import struct
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.errors import ExecutionError, ProgramError
from compiled_plan.plans.functions.declarations import declared_signatures
from compiled_plan.plans.functions.jar_signatures import JarFunction, function_in
from compiled_plan.plans.functions.jars import AllowedClasses
from compiled_plan.plans.rex import JavaFunction
from compiled_plan.plans.types import STRING
from tests.support.java_samples import SAMPLES
from tests.support.tiers import but_wide

CLASS = "com.shop.F"
SCALAR, ASYNC = (f"org/apache/flink/table/functions/{name}" for name in ("ScalarFunction", "AsyncScalarFunction"))
HINT = "Lorg/apache/flink/table/annotation/FunctionHint;"
EVAL = ("eval", "(ILjava/lang/String;)J", "")


@pytest.mark.sampled(3)
@pytest.mark.slow
@pytest.mark.parametrize(
    ("class_", "kind", "signature"),
    [
        (
            "Shout",
            "SCALAR",
            "(`text` => STRING) -> STRING; (`number` => INT) -> STRING; "
            "(`text` => STRING, `times` => INT...) -> STRING; "
            "(`left` => BIGINT NOT NULL, `right` => BIGINT NOT NULL) -> BIGINT; (`flag` => BOOLEAN) -> STRING",
        ),
        ("Hinted", "SCALAR", "(INT) -> STRING; (`text` => STRING, `rest` => INT...) -> ARRAY<INT>"),
        ("Later", "SCALAR", "(`text` => STRING) -> STRING"),
        ("Split", "TABLE", "(`text` => STRING) -> ROW<word STRING, length INT>"),
        ("Numbers", "TABLE", "(`upTo` => INT) -> INT"),
        ("LaterRows", "TABLE", "(`text` => STRING) -> STRING"),
        ("WeightedAverage", "AGGREGATE", "(`value` => BIGINT, `weight` => INT) -> DOUBLE"),
    ],
)
def test_signatures_are_read_from_class_files(class_: str, kind: str, signature: str, java_samples: Path) -> None:
    function = function_in(f"{SAMPLES}{class_}", [java_samples])
    assert function is not None
    assert (function.kind.name, function.signature) == (kind, signature)
    assert function.deterministic == (class_ != "Hinted")
    assert declared_signatures(signature, function.kind)


def test_methods_of_superclasses_are_overridden(java_samples: Path) -> None:
    function = function_in(f"{SAMPLES}Derived", [java_samples])
    assert function is not None
    texts = function.signature.split("; ")
    assert "(`number` => INT) -> CHAR(3)" in texts
    assert "(`number` => INT) -> STRING" not in texts
    assert "(`point` => DECIMAL(5, 2)) -> ARRAY<MAP<STRING, ARRAY<INT NOT NULL>>>" in texts
    assert "(`text` => STRING) -> STRING" in texts


@pytest.mark.parametrize(
    ("class_", "message"),
    [
        ("Nested", r"org.example.Samples\$Point has no SQL type without a DataTypeHint(.|\n)*'signature'"),
        ("Inferred", r"it has a method `getTypeInference`(.|\n)*'signature'"),
        ("Point", "derives from java.lang.Object, which is no kind of function"),
        ("Process", r"process table function, and cannot run here(.|\n)*Kafka"),
    ],
)
def test_types_that_flink_alone_infers_are_declared(class_: str, message: str, java_samples: Path) -> None:
    with pytest.raises(ProgramError, match=message):
        function_in(f"{SAMPLES}{class_}", [java_samples])


def test_a_program_names_the_jar_alone(java_samples: Path) -> None:
    env = TableEnvironment()
    env.execute_sql(f"ADD JAR '{java_samples}'")
    env.execute_sql(f"CREATE FUNCTION mean AS '{SAMPLES}WeightedAverage' LANGUAGE JAVA")
    env.execute_sql(f"CREATE FUNCTION dice AS '{SAMPLES}Dice' USING JAR '{java_samples}'")
    env.execute_sql("CREATE TABLE t (k INT, n INT NOT NULL, m BIGINT) WITH ('connector' = 'datagen')")
    table = env.sql_query("SELECT k, mean(weight => n, `value` => m) AS a, COUNT(dice(n)) AS d FROM t GROUP BY k")
    assert str(table.get_resolved_schema().get_column_data_types()[1]) == "DOUBLE"
    shown = {row[0]: row[1] for row in env.execute_sql("DESCRIBE FUNCTION EXTENDED dice").collect()}
    assert (shown["is deterministic"], shown["kind"]) == ("false", "SCALAR")


def test_a_call_looks_for_the_class_in_the_jars_of_the_session(java_samples: Path) -> None:
    env = TableEnvironment()
    env.execute_sql("CREATE TABLE t (n INT NOT NULL) WITH ('connector' = 'datagen')")
    env.execute_sql(f"CREATE FUNCTION rolled AS '{SAMPLES}Dice'")
    env.execute_sql("CREATE FUNCTION dice AS 'com.shop.Nowhere'")
    env.execute_sql(f"ALTER FUNCTION dice AS '{SAMPLES}Dice'")
    with pytest.raises(ProgramError, match="no jar of the program has its class"):
        env.sql_query("SELECT rolled(n) FROM t")
    env.execute_sql(f"ADD JAR '{java_samples}'")
    columns = env.sql_query("SELECT rolled(n), dice(n) FROM t").get_resolved_schema().get_column_data_types()
    env.execute_sql(f"ALTER FUNCTION dice AS '{SAMPLES}Shout'")
    (shouted,) = env.sql_query("SELECT dice('a')").get_resolved_schema().get_column_data_types()
    assert [*map(str, columns), shouted.logical_type] == ["INT NOT NULL", "INT NOT NULL", STRING]


class _Writer:
    """The constants of a class file, and its parts that refer to them."""

    def __init__(self) -> None:
        self.constants: list[bytes] = []

    def constant(self, data: bytes) -> bytes:
        self.constants.append(data)
        return struct.pack(">H", len(self.constants))

    def text(self, text: str | bytes) -> bytes:
        data = text if isinstance(text, bytes) else text.encode()
        return self.constant(b"\x01" + struct.pack(">H", len(data)) + data)

    def class_(self, name: str) -> bytes:
        return self.constant(b"\x07" + self.text(name))

    def attribute(self, name: str, data: bytes) -> bytes:
        return self.text(name) + struct.pack(">I", len(data)) + data

    def method(self, name: str, descriptor: str, signature: str) -> bytes:
        head = b"\x00\x01" + self.text(name) + self.text(descriptor)
        if not signature:
            return head + b"\x00\x00"
        return head + b"\x00\x01" + self.attribute("Signature", self.text(signature))


def class_file(
    superclass: str = SCALAR,
    methods: Sequence[tuple[str, str, str]] = (EVAL,),
    *,
    hints: Sequence[tuple[str, bytes]] = (),
    unused: bytes = b"",
) -> bytes:
    """A class file.

    Args:
        superclass: its superclass.
        methods: names, descriptors and signatures of its public methods.
        hints: per value of its FunctionHint the name and the kind of the value, which is the empty text or absent.
        unused: the bytes of a text that nothing refers to.
    """
    writer = _Writer()
    writer.text(unused)
    own, above, empty = writer.class_("com/shop/F"), writer.class_(superclass), writer.text("")
    body = b"".join(writer.method(*method) for method in methods)
    attributes = b"\x00\x00"
    if hints:
        values = b"".join(writer.text(name) + kind + empty for name, kind in hints)
        annotation = b"\x00\x01" + writer.text(HINT) + struct.pack(">H", len(hints)) + values
        attributes = b"\x00\x01" + writer.attribute("RuntimeVisibleAnnotations", annotation)
    count = struct.pack(">H", len(writer.constants) + 1)
    head = b"\xca\xfe\xba\xbe\x00\x00\x00\x3d" + count + b"".join(writer.constants)
    return head + b"\x00\x21" + own + above + b"\x00\x00\x00\x00" + struct.pack(">H", len(methods)) + body + attributes


def jar_of(folder: Path, data: bytes, compression: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(folder / "shop.jar", "w", compression) as jar:
        jar.writestr("com/shop/F.class", data)
    return folder / "shop.jar"


def test_a_text_may_have_any_characters(tmp_path: Path) -> None:
    """In modified UTF-8, NUL has two bytes, and a surrogate, which may be alone, has three."""
    data = class_file(unused=b"\xc0\x80 \xed\xa0\xbd\xed\xb8\x80 \xed\xa0\xbd")
    function = function_in(CLASS, [jar_of(tmp_path, data)])
    assert function is not None and function.signature == "(INT NOT NULL, STRING) -> BIGINT NOT NULL"


@pytest.mark.attack
@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "no class file"),
        (b"PK\x03\x04" + bytes(100), "no class file"),
        (class_file()[:-30], "no class file"),
        (class_file(methods=[("eval", f"({'[' * 60_000}I)V", "")]), "recursion"),
        (class_file(methods=[("eval", "(I)V", f"({'Ljava/util/List<' * 3_000}I)V")]), "recursion"),
        (class_file(methods=[("eval", "(I", "")]), "no class file"),
        (class_file("com/shop/F"), "derives from com.shop.F"),
        (class_file(ASYNC, [("eval", "()V", "")]), "the first parameter is no CompletableFuture"),
        (class_file(hints=[("output", b"s")]), "no attribute"),
        (class_file() + bytes(17 << 20), "more than 16 MiB"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_hostile_class_files_end_with_a_message(data: bytes, reason: str, tmp_path: Path) -> None:
    with pytest.raises(ProgramError, match=f"{reason}(.|\n)*WITH \\('signature'"):
        function_in(CLASS, [jar_of(tmp_path, data)])


@pytest.mark.slow
@pytest.mark.attack
@pytest.mark.parametrize(
    "class_", but_wide(["Shout", "Hinted", "Derived", "LaterRows", "WeightedAverage"], lambda name: name == "Hinted")
)
def test_damaged_class_files_are_read_or_refused(class_: str, java_samples: Path, tmp_path: Path) -> None:
    rng = random.Random(7)
    with zipfile.ZipFile(java_samples) as jar:
        whole = jar.read(f"{SAMPLES.replace('.', '/')}{class_}.class")
    results: set[JarFunction | None] = set()
    for number in range(300):
        data = bytearray(whole[: rng.randrange(len(whole))] if number % 4 == 0 else whole)
        for _ in range(number % 4):
            data[rng.randrange(len(data))] = rng.randrange(256)
        try:
            results.add(function_in(CLASS, [jar_of(tmp_path, bytes(data), zipfile.ZIP_STORED), java_samples]))
        except ProgramError:
            results.add(None)
    assert None in results and len(results) > 1


@pytest.mark.attack
def test_damaged_jars_are_read_or_refused(tmp_path: Path) -> None:
    rng = random.Random(7)
    file = jar_of(tmp_path, class_file())
    whole = file.read_bytes()
    faults = set()
    for _ in range(500):
        data = bytearray(whole)
        for _ in range(rng.randrange(1, 4)):
            data[rng.randrange(len(data))] = rng.randrange(256)
        file.write_bytes(data)
        try:
            function_in(CLASS, [file])
        except ProgramError as fault:
            faults.add(fault.message.partition(str(file))[2][:18])
    assert {"' is no jar", "' cannot be read: "} <= faults


@pytest.mark.attack
def test_a_folder_is_no_jar(tmp_path: Path) -> None:
    (tmp_path / "folder.jar").mkdir()
    with pytest.raises(ProgramError, match=r"folder.jar' cannot be read: Is a directory(.|\n)*name a jar"):
        function_in(CLASS, [tmp_path / "folder.jar"])


@pytest.mark.attack
def test_a_damaged_jar_allows_no_class(tmp_path: Path) -> None:
    file = jar_of(tmp_path, class_file())
    file.write_bytes(file.read_bytes().replace(b"PK\x05\x06", b"PK\x05\x07"))
    with pytest.raises(ExecutionError, match=r"shop.jar' is no jar(.|\n)*--functions-from"):
        AllowedClasses([str(file)]).place_of(JavaFunction(CLASS), "node 1")
