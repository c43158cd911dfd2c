"""Messages of Protocol Buffers: their types, and tables whose results Flink computed.

Flink 2.3 read and wrote each case with its `PbRowDataDeserializationSchema` and `PbRowDataSerializationSchema`,
with classes that protoc 32.1 generated from the files in `protobuf/`.
"""

from __future__ import annotations

import base64
import platform
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory, text_format, timestamp_pb2

from compiled_plan.plans.connectors.jars import PROTOBUF
from compiled_plan.plans.execution.kernel import use_suitable_java
from compiled_plan.plans.execution.spark import packages
from tools import maven

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

#: The compiler by system and machine.
_PROTOC = {
    system: maven.Artifact("com.google.protobuf", "protoc", "4.32.1", digest, f"-{name}.exe")
    for system, name, digest in (
        ("Linux x86_64", "linux-x86_64", "9a757b79f98195a1798e6e5e698360b621121de79a87aac0f7cf4a8a3bd5dfa2"),
        ("Linux aarch64", "linux-aarch_64", "0058033e6e98dbdf7221d4723e93ac861e3b17cd7cff78963d9acbe282d4cae2"),
        ("Darwin arm64", "osx-aarch_64", "e3b836d8497998d009a7aabd1e6171d8f8cdcd5052f8c4b874a873c21fa6b1c2"),
        ("Darwin x86_64", "osx-x86_64", "58671447f9b871f4832108bad560c9fae3e32e0484bb24febcb15e67da15dc4d"),
    )
}
FOLDER = Path(__file__).with_name("protobuf")
CLASSES = {
    "example.shop.Item": "org.example.shop.Item",
    "example.shop.Item.Tree": "org.example.shop.Item$Tree",
    "example.old.Order": "org.example.old.OldMessages$Order",
}


def compile_protos(*arguments: str) -> None:
    """Run protoc on the files."""
    protoc = maven.fetched(_PROTOC[f"{platform.system()} {platform.machine()}"])
    protoc.chmod(0o755)
    with TemporaryDirectory() as folder:
        known = Path(folder) / "known"
        imported = descriptor_pb2.FileDescriptorProto.FromString(timestamp_pb2.DESCRIPTOR.serialized_pb)
        known.write_bytes(descriptor_pb2.FileDescriptorSet(file=[imported]).SerializeToString())
        names = sorted(FOLDER.glob("*.proto"))
        subprocess.run([protoc, f"-I{FOLDER}", f"--descriptor_set_in={known}", *arguments, *names], check=True)


@cache
def descriptor_set() -> bytes:
    """Descriptors of all files, each after the files that it imports."""
    with TemporaryDirectory() as folder:
        compile_protos("--include_imports", f"--descriptor_set_out={folder}/set")
        return (Path(folder) / "set").read_bytes()


def add_classes(spark: SparkSession, folder: Path) -> None:
    """Add a jar to a session with the classes of all files, and the runtime library that a run would add."""
    packages.add_packages(spark, {PROTOBUF: "a test"})
    session: Any = spark._jsparkSession
    jars = [url.getPath() for url in session.sharedState().jarClassLoader().getURLs()]
    (library,) = (jar for jar in jars if "protobuf-java" in jar)
    (folder / "java").mkdir()
    (folder / "classes").mkdir()
    compile_protos(f"--java_out={folder}/java")
    sources = [str(path) for path in sorted((folder / "java").rglob("*.java"))]
    javac = use_suitable_java() / "bin" / "javac"
    subprocess.run([javac, "-nowarn", "-cp", library, "-d", folder / "classes", *sources], check=True)
    jar = shutil.make_archive(str(folder / "messages"), "zip", folder / "classes")
    spark.sql(f"ADD JAR '{Path(jar).rename(folder / 'messages.jar')}'").collect()


def kernel_type(type_: str) -> dict[str, str]:
    """A message type as the kernel receives it."""
    own = descriptor_pb2.FileDescriptorSet.FromString(descriptor_set())
    # The file that defines the type comes last.
    own.file.sort(key=lambda file: type_.startswith(file.package + "."))
    return {"message-type": type_, "descriptors": base64.b64encode(own.SerializeToString()).decode()}


@cache
def _types() -> Mapping[str, Any]:
    pool = descriptor_pool.DescriptorPool()
    for file in descriptor_pb2.FileDescriptorSet.FromString(descriptor_set()).file:
        pool.Add(file)
    return {name: message_factory.GetMessageClass(pool.FindMessageTypeByName(name)) for name in CLASSES}


def encoded(type_: str, text: str) -> bytes:
    """The message for a text in the text format of Protocol Buffers."""
    message: bytes = text_format.Parse(text, _types()[type_]()).SerializeToString()
    return message


def decoded(type_: str, message: bytes) -> str:
    """The text of a message on one line; maps in the order of their keys."""
    text: str = text_format.MessageToString(_types()[type_].FromString(message), as_one_line=True)
    return text


@dataclass(frozen=True, slots=True)
class Case:
    """A table and a message.

    Args:
        type: of the message.
        columns: of the table.
        message: to read: a message, as text or bytes; to write: a row, as JSON.
        options: of the format.
    """

    type: str
    columns: str
    message: str | bytes
    options: Mapping[str, str] = field(default_factory=dict)

    @property
    def bytes(self) -> bytes:
        """The message to read."""
        return self.message if isinstance(self.message, bytes) else encoded(self.type, self.message)


_ITEM, _OLD, _TREE = CLASSES["example.shop.Item"], CLASSES["example.old.Order"], CLASSES["example.shop.Item.Tree"]
_PART = "ROW<v1 BIGINT, v2 INT, note STRING>"
_PLAIN = (
    "b BOOLEAN, i INT, u INT, l BIGINT, x BIGINT, f FLOAT, d DOUBLE, t STRING, `raw` BYTES, size STRING, maybe INT, "
    "maybe_size STRING, one INT, other STRING"
)
_NESTED = (
    f"part {_PART}, numbers ARRAY<INT>, sizes ARRAY<STRING>, parts ARRAY<{_PART}>, counts MAP<STRING, BIGINT>, "
    f"by_number MAP<INT, {_PART}>, by_name MAP<STRING, INT>, sold_at ROW<seconds BIGINT, nanos INT>, "
    "texts MAP<STRING, STRING>, words ARRAY<STRING>, tree ROW<depth INT, next ROW<next ROW<depth INT>>>"
)
_FULL = (
    r'b: true i: -1 u: 4294967295 l: -7 x: 18446744073709551615 f: 1.5 d: 1e300 t: "ü" raw: "\000\377" size: LARGE '
    'maybe: 0 maybe_size: SMALL other: "o"'
)
_FULL_NESTED = (
    'part { v1: 1 } numbers: [0, 1] sizes: [NONE, LARGE] parts {} parts { note: "p" } counts { key: "a" value: 5 } '
    "by_number { key: 3 value { v2: 4 } } by_name { key: 'k' value: LARGE } sold_at { seconds: 1700000000 nanos: 5 } "
    "texts { key: '' value: '' } words: '' words: 'w' tree { depth: 1 next { depth: 2 next { depth: 3 } } }"
)
_OLDS = (
    "b BOOLEAN, i INT, l BIGINT, f FLOAT, d DOUBLE, t STRING, `raw` BYTES, level STRING, "
    "part ROW<id INT, name STRING>, numbers ARRAY<INT>, levels ARRAY<STRING>, parts ARRAY<ROW<id INT, name STRING>>, "
    "texts MAP<STRING, STRING>"
)
_DEFAULTS = {"read-default-values": "true"}
_IGNORE = {"ignore-parse-errors": "true"}
_LITERAL = {"write-null-string-literal": "n/a"}
_SHOP, _ORDER = "example.shop.Item", "example.old.Order"
#: A field number that the type does not define, and an enum value that is not defined.
_UNKNOWN = bytes.fromhex("c806015007")

READS = {
    "plain": Case(_SHOP, _PLAIN, _FULL),
    "plain, nothing": Case(_SHOP, _PLAIN, b""),
    "plain, nothing, defaults": Case(_SHOP, _PLAIN, b"", _DEFAULTS),
    "nested": Case(_SHOP, _NESTED, _FULL_NESTED),
    "nested, nothing": Case(_SHOP, _NESTED, b""),
    "nested, nothing, defaults": Case(_SHOP, _NESTED, b"", _DEFAULTS),
    "enum, number": Case(_SHOP, "size INT, sizes ARRAY<INT>", "size: SMALL sizes: [LARGE, NONE]"),
    "enum, unknown": Case(_SHOP, "size STRING", _UNKNOWN),
    "enum, unknown number": Case(_SHOP, "size INT", _UNKNOWN),
    "key given twice": Case(_SHOP, "counts MAP<STRING, BIGINT>", bytes.fromhex("8a01050a016110018a01050a01611002")),
    "key and value not given": Case(_SHOP, "by_number MAP<INT, ROW<v1 BIGINT>>", bytes.fromhex("920100")),
    "field given twice": Case(_SHOP, "i INT, part ROW<v1 BIGINT, v2 INT>", bytes.fromhex("100110026a0208016a021002")),
    "packed or not": Case(_SHOP, "numbers ARRAY<INT>", bytes.fromhex("7001720202037004")),
    "another type on the wire": Case(_SHOP, "i INT, l BIGINT", bytes.fromhex("1203616263")),
    "cut off": Case(_SHOP, "t STRING", bytes.fromhex("420561")),
    "cut off, ignored": Case(_SHOP, "t STRING", bytes.fromhex("420561"), _IGNORE),
    "no UTF-8": Case(_SHOP, "t STRING", bytes.fromhex("4201ff")),
    "order": Case(_SHOP, "d DOUBLE, i INT", "i: 1 d: 2"),
    "old": Case(
        _ORDER,
        _OLDS,
        r'b: false i: 1 l: 2 f: 3 d: 4 t: "5" raw: "6" level: LOW part { id: 0 } numbers: 1 levels: HIGH parts '
        '{ id: 1 name: "n" } texts { key: "a" value: "b" }',
    ),
    "old, nothing": Case(_ORDER, _OLDS, b""),
    "old, nothing, defaults": Case(_ORDER, _OLDS, b"", _DEFAULTS),
    "old, unknown level": Case(_ORDER, "level STRING, levels ARRAY<STRING>", bytes.fromhex("400958095801")),
    "old, required": Case(_ORDER, "part ROW<name STRING>", bytes.fromhex("4a00")),
    "old, no UTF-8": Case(_ORDER, "t STRING", bytes.fromhex("3201ff")),
    "inside another": Case("example.shop.Item.Tree", "depth INT, next ROW<depth INT>", "depth: 1 next { depth: 2 }"),
}  # fmt: skip

WRITES = {
    "plain": Case(
        _SHOP,
        _PLAIN,
        '{"b": true, "i": -1, "u": -1, "l": -7, "x": -1, "f": 1.5, "d": 1e300, "t": "ü", "raw": "AP8=", '
        '"size": "LARGE", "maybe": 0, "maybe_size": "SMALL", "other": "o"}',
    ),
    "nothing": Case(_SHOP, f"{_PLAIN}, part {_PART}, numbers ARRAY<INT>, texts MAP<STRING, STRING>", "{}"),
    "zeros": Case(
        _SHOP, _PLAIN, '{"b": false, "i": 0, "l": 0, "f": 0, "d": 0, "t": "", "raw": "", "size": "NONE", "maybe": 0}'
    ),
    "both of a choice": Case(_SHOP, "one INT, other STRING", '{"one": 1, "other": "o"}'),
    "both of a choice, the other way": Case(_SHOP, "other STRING, one INT", '{"one": 1, "other": "o"}'),
    "enum, number": Case(_SHOP, "size INT, sizes ARRAY<INT>", '{"size": 300, "sizes": [0, 1, 7]}'),
    "enum, unknown": Case(_SHOP, "size STRING, maybe_size STRING", '{"size": "HUGE", "maybe_size": "HUGE"}'),
    "nested": Case(
        _SHOP,
        f"part {_PART}, numbers ARRAY<INT>, parts ARRAY<{_PART}>, counts MAP<STRING, BIGINT>, "
        "sold_at ROW<seconds BIGINT, nanos INT>, tree ROW<depth INT, next ROW<next ROW<depth INT>>>",
        '{"part": {"v1": 1}, "numbers": [1, 2], "parts": [{}, {"note": "p"}], "counts": {"a": 5}, '
        '"sold_at": {"seconds": 1, "nanos": 2}, "tree": {"depth": 1, "next": {"next": {"depth": 3}}}}',
    ),
    "nulls": Case(
        _SHOP,
        f"numbers ARRAY<INT>, sizes ARRAY<STRING>, parts ARRAY<{_PART}>, words ARRAY<STRING>, blobs ARRAY<BYTES>, "
        "prices ARRAY<DOUBLE>, counts MAP<STRING, BIGINT>, texts MAP<STRING, STRING>, by_name MAP<STRING, INT>",
        '{"numbers": [1, null], "sizes": [null, "SMALL"], "parts": [null], "words": [null, "w"], "blobs": [null], '
        '"prices": [null, 1.5], "counts": {"a": null}, "texts": {"a": null}, "by_name": {"a": null}}',
    ),
    "nulls, literal": Case(
        _SHOP,
        "words ARRAY<STRING>, texts MAP<STRING, STRING>, t STRING",
        '{"words": [null, ""], "texts": {"a": null}, "t": null}',
        _LITERAL,
    ),
    "empty": Case(_SHOP, "numbers ARRAY<INT>, counts MAP<STRING, BIGINT>, part ROW<v1 BIGINT>",
        '{"numbers": [], "counts": {}, "part": {}}'),
    "old": Case(
        _ORDER,
        _OLDS,
        '{"b": true, "i": 7, "l": 0, "f": 1.5, "d": 0, "t": "text", "raw": "AXg=", "level": "HIGH", "part": {"id": 0}, '
        '"numbers": [0], "levels": [null, "LOWER"], "parts": [{"id": 1, "name": "none"}], "texts": {"": ""}}',
    ),
    "old, nothing": Case(_ORDER, _OLDS, "{}"),
    "old, required": Case(_ORDER, "part ROW<id INT, name STRING>", '{"part": {"name": "n"}}'),
    "old, required of a null": Case(_ORDER, "parts ARRAY<ROW<id INT, name STRING>>", '{"parts": [null]}'),
    "inside another": Case("example.shop.Item.Tree", "depth INT, next ROW<depth INT>", '{"next": {"depth": 2}}'),
}  # fmt: skip

#: Tables whose columns do not match their messages.
UNFIT = {
    "no such field": Case(_SHOP, "nope INT", b""),
    "no such field inside": Case(_SHOP, "part ROW<nope INT>", b""),
    "wider": Case(_SHOP, "i BIGINT", b""),
    "narrower": Case(_SHOP, "l INT", b""),
    "text": Case(_SHOP, "i STRING", b""),
    "no array": Case(_SHOP, "numbers INT", b""),
    "array of one": Case(_SHOP, "i ARRAY<INT>", b""),
    "elements": Case(_SHOP, "numbers ARRAY<BIGINT>", b""),
    "array of a map": Case(_SHOP, "counts ARRAY<ROW<key STRING, `value` BIGINT>>", b""),
    "keys": Case(_SHOP, "counts MAP<INT, BIGINT>", b""),
    "values": Case(_SHOP, "counts MAP<STRING, INT>", b""),
    "message as text": Case(_SHOP, "part STRING", b""),
    "map of a message": Case(_SHOP, "part MAP<STRING, BIGINT>", b""),
    "enum as a number with a point": Case(_SHOP, "size DOUBLE", b""),
    "other case": Case(_SHOP, "T STRING", b""),
}


def questions() -> dict[str, dict[str, Any]]:
    """All cases as Flink received them."""
    result: dict[str, dict[str, Any]] = {}
    for kind, cases in (("read", READS), ("write", WRITES), ("unfit", UNFIT)):
        for name, case in cases.items():
            question = {"class": CLASSES[case.type], "columns": case.columns, "options": dict(case.options)}
            what = {"json": case.message} if kind == "write" else {"hex": case.bytes.hex()}
            result[f"{kind} {name}"] = {**question, **what}
    return result
