"""The Java of the kernel: layers of its rooms, the gate to Spark, and the names that Python calls."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).parents[2]
JAVA = ROOT / "kernel/src"
KERNEL = "org.compiledplan.kernel."
LAYERS = tomllib.loads((ROOT / "kernel/layers.toml").read_text(encoding="utf-8"))
#: The line of each room, from the top.
LINES = {room: at for at, line in enumerate(LAYERS["layers"]) for room in line.split(" | ")}
_COMMENT_OR_TEXT = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', re.DOTALL)
#: Spark and Scala; values of type VARIANT come from a library of their own.
_SPARK = re.compile(r"\borg\.apache\.spark\.(?!types\.variant\.)|\bimport scala\.")
_CLASS = re.compile(rf"{re.escape(KERNEL)}((?:[a-z]\w*\.)*)[A-Z]")


def code_of(java: str) -> str:
    """Java without comments, texts and its package."""
    code = _COMMENT_OR_TEXT.sub(lambda match: '""' if match[0][0] == '"' else " ", java)
    return re.sub(r"^package [^;]+;", "", code, flags=re.MULTILINE)


def sources() -> Iterator[tuple[str, Path]]:
    """The Java files of the product, by their names below the kernel's folder."""
    main = JAVA / "main/java" / KERNEL.replace(".", "/")
    for path in sorted(main.rglob("*.java")):
        if path.name != "package-info.java":
            yield path.relative_to(main).as_posix(), path


def rooms() -> Mapping[str, str]:
    """The code of each room."""
    texts: dict[str, list[str]] = {}
    for name, path in sources():
        texts.setdefault(name.rpartition("/")[0], []).append(code_of(path.read_text(encoding="utf-8")))
    return {room: "\n".join(code) for room, code in texts.items()}


def used_rooms(code: str) -> set[str]:
    return {match[1].strip(".").replace(".", "/") for match in _CLASS.finditer(code)}


def upward(code: Mapping[str, str], lines: Mapping[str, int]) -> list[tuple[str, str]]:
    """The uses that do not point down, as pairs of rooms."""
    return [
        (room, used)
        for room, text in code.items()
        for used in sorted(used_rooms(text) - {room})
        if lines[used] <= lines[room]
    ]


def test_rooms_use_rooms_below() -> None:
    assert rooms().keys() == LINES.keys(), "kernel/layers.toml lists each room once"
    assert sum(line.count("|") + 1 for line in LAYERS["layers"]) == len(LINES)
    assert upward(rooms(), LINES) == []


def test_plain_rooms_use_no_spark() -> None:
    code = rooms()
    spark = {
        room
        for room, text in code.items()
        if re.search(r"\borg\.apache\.spark\.(?!types\.variant\.)|\bimport scala\.", text)
    }
    plain = set(LAYERS["plain"])
    assert plain & spark == set()
    assert plain <= code.keys()
    assert {room for room in plain if _SPARK.search(code[room])} == set()


def test_an_upward_use_is_detected() -> None:
    used, text = KERNEL + "b.c.Used", KERNEL + "x.Y"
    java = f'package {KERNEL}a;\nimport {used};\n/** {{@link {text}}} */\nclass Using {{ String f = "{text}"; }}'
    code = {"a": code_of(java)}
    assert upward(code, {"a": 1, "b/c": 0}) == [("a", "b/c")]
    assert upward(code, {"a": 0, "b/c": 1}) == []


#: The gate to Spark: the only room with reflection on it, and with symbols that differ between its versions.
GATE = "host/versions/"
_REFLECTION = re.compile(r"\bjava\.lang\.(reflect|invoke)\.|\bClass\.forName\(|\.getMethod\(|\.setAccessible\(")
#: Symbols that differ between versions of Spark.
_INTERNALS = re.compile(
    r"\b(isRealTimeMode|sourceIdMap|new TaskContextImpl|getExpiredTimers|TaskInterruptListener"
    r"|HasStreamingSourceIdentifyingName|UserProvided|StatefulProcessorHandle(Impl|State)"
    r"|ValueStateImpl|TimerStateImpl|KeyStateEncoderSpec|createColFamilyIfAbsent)\b"
)
_USER = "classes of the user or of Flink's interface"
_FLINK = "Flink's classes, in the process that reads savepoints"
#: Reflection on other things than Spark.
REFLECTION = {
    "flink/savepoint/AggregateTypes.java": _FLINK,
    "flink/savepoint/PrivateFields.java": _FLINK,
    "flink/savepoint/SortedMaps.java": _FLINK,
    "formats/csv/CsvBytes.java": "eight bytes of an array as one number",
    "formats/protobuf/ProtobufClasses.java": _USER,
    "host/Conditions.java": "classes of a serialized condition",
    "host/JavaCalls.java": _USER,
    "jdbc/Drivers.java": "the driver of a database",
    "loading/LateClasses.java": "the kernel's own classes",
    "userfunctions/flink/Collections.java": "arrays of a class",
    "userfunctions/flink/FlinkFunction.java": _USER,
    "userfunctions/flink/FlinkFunctions.java": _USER,
    "userfunctions/flink/Methods.java": _USER,
    "userfunctions/flink/Rows.java": _USER,
}


def test_reflection_on_spark_is_behind_the_gate() -> None:
    code = {name: code_of(path.read_text(encoding="utf-8")) for name, path in sources()}
    assert outside(code, _REFLECTION) == REFLECTION.keys()
    assert outside(code, _INTERNALS) == set()


def outside(code: Mapping[str, str], pattern: re.Pattern[str]) -> set[str]:
    """The files outside of the gate that contain a pattern."""
    assert any(name.startswith(GATE) and pattern.search(text) for name, text in code.items())
    return {name for name, text in code.items() if not name.startswith(GATE) and pattern.search(text)}


def java_names(tree: ast.Module) -> Iterator[str]:
    """The kernel's classes that a module names: in texts with its constants, and as attributes of the JVM."""
    constants = {
        target.id: node.value.value
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in ast.walk(tree):
        text = ""
        if isinstance(node, ast.Constant):
            text = str(node.value)
        elif isinstance(node, ast.JoinedStr):
            text = "".join(_filled(part, constants) for part in node.values)
        elif isinstance(node, ast.Attribute):
            text = ast.unparse(node)
        yield from re.findall(rf"\b{re.escape(KERNEL)}(?:[a-z]\w*\.)*[A-Z]\w*", text)


def _filled(part: ast.expr, constants: Mapping[str, object]) -> str:
    if isinstance(part, ast.FormattedValue) and isinstance(part.value, ast.Name):
        return str(constants.get(part.value.id, ""))
    return str(part.value) if isinstance(part, ast.Constant) else ""


def test_names_of_java_classes_in_python_exist() -> None:
    classes = {
        ".".join(path.relative_to(folder).with_suffix("").parts)
        for folder in (JAVA / "main/java", JAVA / "test/java")
        for path in folder.rglob("*.java")
    }
    names = {
        (path.relative_to(ROOT).as_posix(), name)
        for top in ("plans", "compiled_plan", "cli", "service", "tools", "tests")
        for path in (ROOT / top).rglob("*.py")
        if KERNEL in (text := path.read_text(encoding="utf-8"))
        for name in java_names(ast.parse(text))
    }
    assert names
    assert {(path, name) for path, name in names if name not in classes} == set()
