"""Savepoints of Flink's restore tests, and broken and hostile ones, in the neutral form."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import fsspec
import pytest

from compiled_plan.plans.errors import CheckpointError, ExecutionError
from compiled_plan.plans.execution.state.flink.savepoint import reading
from compiled_plan.plans.execution.state.flink.savepoint.head import SavepointHead, SavepointOperator
from compiled_plan.plans.execution.state.flink.savepoint.reading import read_savepoint, read_savepoints
from tests.plans.execution.state.flink.savepoint import restore_tests

pytestmark = pytest.mark.slow

JOIN, WINDOW, RANK, MATCH, LAG, TTL = (
    "stream-exec-join_1/join-left-join",
    "stream-exec-window-aggregate_1/window-aggregate-tumble-event-time",
    "stream-exec-rank_1/rank-test-retract-strategy",
    "stream-exec-match_1/match-simple",
    "stream-exec-over-aggregate_1/over-aggregate-lag",
    "stream-exec-join_1/join-with-state-ttl-hint",
)
USER_CLASSES = "stream-exec-group-aggregate_1/group-aggregate-udf-with-merge"


def lines(folder: Path, operator: SavepointOperator) -> list[dict[str, Any]]:
    """The entries of an operator."""
    texts = ((folder / file).read_text(encoding="utf-8") for file in operator.files)
    return [json.loads(line) for text in texts for line in text.splitlines()]


def states(folder: Path, head: SavepointHead) -> dict[str, list[dict[str, Any]]]:
    """The entries of all operators, by the name of their state."""
    entries: dict[str, list[dict[str, Any]]] = {}
    for operator in head.operators:
        operator_entries = lines(folder, operator)
        assert len(operator_entries) == operator.entries
        for entry in operator_entries:
            assert entry.pop("op") == operator.id
            entries.setdefault(entry.pop("state"), []).append(entry)
    return entries


@pytest.fixture(scope="module")
def read(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, tuple[Path, SavepointHead]]:
    """Some restore tests, by node and program."""
    folder = tmp_path_factory.mktemp("savepoints")
    programs = {}
    for program in (JOIN, WINDOW, RANK, MATCH, LAG, TTL):
        (savepoint,) = restore_tests.unpack(folder, program)
        programs[program] = (savepoint, folder / program.replace("/", "."))
    results = read_savepoints(list(programs.values()))
    for result in results.values():
        assert isinstance(result, SavepointHead), result
    return {program: (to, results[to]) for program, (_, to) in programs.items()}  # type: ignore[misc]


def test_a_join_has_rows_and_associations(read: Mapping[str, tuple[Path, SavepointHead]]) -> None:
    folder, head = read[JOIN]
    assert (head.version, head.format) == (1, "CANONICAL")
    (join,) = (one for one in head.operators if {state.name for state in one.states} >= {"left-records"})
    assert re.fullmatch("[0-9a-f]{32}", join.id)
    by_name = {state.name: state for state in join.states}
    assert by_name["left-records"].kind == "MAP"
    assert by_name["left-records"].value == {"tuple": ["INT", "INT"]}
    for entry in states(folder, head)["left-records"]:
        count, associations = entry["value"]
        assert count >= 1 and associations >= 0
        assert len(entry["uk"]) == len(by_name["left-records"].user_key["row"])  # type: ignore[index]


def test_windows_have_timers_and_namespaces(read: Mapping[str, tuple[Path, SavepointHead]]) -> None:
    folder, head = read[WINDOW]
    entries = states(folder, head)
    assert {type(entry["ns"]) for entry in entries["window-aggs"]} == {int}
    timers = entries["_timer_state/event_window-timers"]
    assert timers and all(entry.keys() == {"key", "ns", "timer"} for entry in timers)
    watermarks = [one for operator in head.operators for one in operator.lists if one.name == "watermark"]
    assert [(one.mode, one.type) for one in watermarks] == [("UNION", "LONG")]


def test_a_sorted_map_is_read_without_its_comparator(read: Mapping[str, tuple[Path, SavepointHead]]) -> None:
    folder, head = read[RANK]
    rows = states(folder, head)["data-state"]
    assert rows and all(isinstance(entry["value"][0], list) for entry in rows)


def test_a_match_has_its_computations(read: Mapping[str, tuple[Path, SavepointHead]]) -> None:
    folder, head = read[MATCH]
    entries = states(folder, head)
    for entry in entries["nfaStateName"]:
        computations, _ = entry["value"]
        assert computations and all(isinstance(one[0], str) and isinstance(one[1], list) for one in computations)


def test_content_of_a_raw_column_is_shown(read: Mapping[str, tuple[Path, SavepointHead]]) -> None:
    folder, head = read[LAG]
    ((offset, default, (rows,)),) = (entry["value"][0] for entry in states(folder, head)["accState"])
    assert (offset, default) == (1, None)
    assert isinstance(rows, list)


def test_entries_with_a_ttl_have_the_time_of_their_last_write(read: Mapping[str, tuple[Path, SavepointHead]]) -> None:
    folder, head = read[TTL]
    entries = states(folder, head)
    assert all(entry["written"] > 1_700_000_000_000 for entry in entries["left-records"])
    assert not any("written" in entry for entry in entries["accState"])


@pytest.mark.wide
def test_all_restore_tests_are_read_to_the_last_byte(tmp_path: Path) -> None:
    savepoints = restore_tests.unpack(tmp_path / "savepoints")
    assert len(savepoints) == 283
    pairs = [(path, tmp_path / "read" / str(at)) for at, path in enumerate(savepoints)]
    results = read_savepoints(pairs, jars=[restore_tests.jar()])
    assert [str(result) for result in results.values() if isinstance(result, CheckpointError)] == []
    heads = {to: head for to, head in results.items() if isinstance(head, SavepointHead)}
    assert sum(bool(sum(one.entries for one in head.operators)) for head in heads.values()) == 180
    raw = Counter(re.findall(r'"raw" : "(.*?)"', "".join((to / "savepoint.json").read_text() for to in heads)))
    assert set(raw) == {"org.apache.flink.streaming.runtime.streamrecord.StreamElementSerializer"}
    assert sum(len(entries) for to, head in heads.items() for entries in states(to, head).values()) == 1421


@pytest.mark.wide
def test_classes_of_the_job_need_its_jar(tmp_path: Path) -> None:
    (savepoint,) = restore_tests.unpack(tmp_path, USER_CLASSES)
    with pytest.raises(CheckpointError, match=r"names the class .*WeightedAvgAccum, which is not allowed") as refusal:
        read_savepoint(savepoint, tmp_path / "read")
    assert "operator " in refusal.value.where
    assert "`--jars`" in refusal.value.remedy
    assert not (tmp_path / "read").exists()
    head = read_savepoint(savepoint / "_metadata", tmp_path / "read", jars=[restore_tests.jar()])
    assert [26, 52] in [entry["value"][0] for entry in states(tmp_path / "read", head)["accState"]]


def broken(folder: Path, name: str, content: bytes) -> Path:
    """A savepoint with this metadata."""
    (folder / name).mkdir(parents=True)
    (folder / name / "_metadata").write_bytes(content)
    return folder / name


def failures(tmp_path: Path, contents: Mapping[str, bytes]) -> dict[str, CheckpointError]:
    """The errors of broken savepoints, read in one process; each leaves no folder."""
    pairs = {name: (broken(tmp_path, name, content), tmp_path / f"{name}-read") for name, content in contents.items()}
    results = read_savepoints(list(pairs.values()))
    errors = {}
    for name, (_, to) in pairs.items():
        error = results[to]
        assert isinstance(error, CheckpointError), name
        assert error.where and error.remedy
        assert not to.exists()
        errors[name] = error
    return errors


@pytest.mark.wide
@pytest.mark.attack
def test_broken_and_hostile_metadata(tmp_path: Path) -> None:
    (savepoint,) = restore_tests.unpack(tmp_path / "original", JOIN)
    good = (savepoint / "_metadata").read_bytes()
    row = b"RowDataSerializer$RowDataSerializerSnapshot"
    number = b"org.apache.flink.table.types.logical.IntType"
    assert row in good and number in good
    strange = b"org.example.Payload".ljust(len(number), b"x")
    errors = failures(
        tmp_path,
        {
            "no-magic": b"PK" + good[2:],
            "newer": good[:4] + b"\0\0\0\x63" + good[8:],
            "empty": b"",
            **{f"cut-{part}": good[: len(good) * part // 10] for part in range(1, 10)},
            "serializer": good.replace(b"org.apache.flink.table.runtime.typeutils." + row, b"x" * (41 + len(row))),
            "object": good.replace(number, strange),
            # The loader knows this class; objects of it are not deserialized.
            "filtered": good.replace(number, b"org.apache.flink.runtime.state.KeyGroupRange"),
        },
    )
    assert "version" in errors["newer"].message
    assert "truncated" in errors["empty"].message
    assert all("cannot be read" in errors[f"cut-{part}"].message for part in range(1, 10))
    assert (
        errors["serializer"].message == f"the savepoint names the class {'x' * (41 + len(row))}, which is not allowed"
    )
    assert errors["object"].message == f"the savepoint names the class {strange.decode()}, which is not allowed"
    assert "org.apache.flink.runtime.state.KeyGroupRange, which is not allowed" in errors["filtered"].message


@pytest.mark.attack
@pytest.mark.wide
def test_changed_bytes_end_no_process(tmp_path: Path) -> None:
    (savepoint,) = restore_tests.unpack(tmp_path / "original", WINDOW)
    good, draw = (savepoint / "_metadata").read_bytes(), Random(1)
    pairs = []
    for number in range(200):
        content = bytearray(good)
        for _ in range(draw.randint(1, 4)):
            content[draw.randrange(8, len(content))] = draw.randrange(256)
        pairs.append((broken(tmp_path, str(number), bytes(content)), tmp_path / f"{number}-read"))
    results = read_savepoints(pairs)
    assert len(results) == len(pairs)
    assert not [error for error in results.values() if str(error).startswith("the process that reads")]
    for _, to in pairs:
        assert to.exists() == isinstance(results[to], SavepointHead)


@pytest.mark.wide
def test_a_folder_that_is_not_empty_is_left_alone(tmp_path: Path) -> None:
    (savepoint,) = restore_tests.unpack(tmp_path, JOIN)
    to = tmp_path / "read"
    to.mkdir()
    (to / "mine").write_text("mine")
    with pytest.raises(CheckpointError, match="cannot write into the folder"):
        read_savepoint(savepoint, to)
    assert [path.name for path in to.iterdir()] == ["mine"]
    with pytest.raises(CheckpointError, match="the file _metadata is missing"):
        read_savepoint(tmp_path / "none", tmp_path / "other")


@pytest.mark.wide
def test_a_remote_savepoint_is_copied(tmp_path: Path) -> None:
    (savepoint,) = restore_tests.unpack(tmp_path, JOIN)
    store = fsspec.filesystem("memory")
    store.put(f"{savepoint}/", "/bucket/savepoint-1/", recursive=True)
    head = read_savepoint("memory://bucket/savepoint-1", tmp_path / "read")
    here = read_savepoint(savepoint, tmp_path / "here")
    assert replace(head, savepoint="", time=0) == replace(here, savepoint="", time=0)
    with pytest.raises(CheckpointError, match="cannot read the savepoint") as refusal:
        read_savepoint("unknown://bucket/savepoint-1", tmp_path / "none")
    assert refusal.value.where == "unknown://bucket/savepoint-1"


def test_jars_that_cannot_be_fetched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("MAVEN_CENTRAL", (tmp_path / "mirror").as_uri())
    with pytest.raises(ExecutionError, match="writing a savepoint needs Flink's jars: cannot fetch") as error:
        read_savepoint(tmp_path, tmp_path / "read")
    assert "MAVEN_CENTRAL" in error.value.remedy


def test_the_class_path_has_no_compiler_of_code() -> None:
    names = [jar.name for jar in reading.jars_of_spark(reading._OF_SPARK)]
    assert len(names) == len(reading._OF_SPARK)
    assert not [name for name in names if "janino" in name or "compiler" in name or name.startswith("spark-")]


def test_the_reader_and_the_kernel_are_independent() -> None:
    root = Path(__file__).resolve().parents[6] / "kernel/src/main/java/org/compiledplan/kernel"
    imports = {path: _imports(path) for path in root.rglob("*.java")}
    reader = {path: text for path, text in imports.items() if path.parent == root / "flink/savepoint"}
    assert reader
    assert _importing(reader, "org.apache.spark", "org.compiledplan", "scala", "org.codehaus") == []
    kernel = {path: text for path, text in imports.items() if path not in reader}
    assert _importing(kernel, "org.compiledplan.kernel.flink.savepoint", "org.apache.flink.runtime") == []


def _imports(path: Path) -> str:
    """The code of a Java file below its own package's declaration."""
    return re.sub(r"^package [^;]+;", "", path.read_text(encoding="utf-8"), flags=re.M)


def _importing(sources: Mapping[Path, str], *packages: str) -> Sequence[str]:
    return [path.name for path, text in sources.items() for package in packages if f"{package}." in text]
