from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from compiled_plan.plans.connectors.registry import connector_specs, format_specs
from compiled_plan.plans.connectors.table_options import Effect, TableOption
from compiled_plan.plans.errors import UnsupportedError
from compiled_plan.plans.text.options import Kind
from compiled_plan.service.common.outside import check_outside
from compiled_plan.service.common.places import Allowed
from compiled_plan.service.runs.launching import runnable
from compiled_plan.service.workers import tasks
from compiled_plan.service.workers.pool import Refusal, Workers
from tests.plans.connectors.escapes import ESCAPING, HARMLESS, within
from tests.support.tables import failures


def plan_with(**options: str) -> dict[str, object]:
    return {"nodes": [{"scanTableSource": {"table": {"resolvedTable": {"options": options}}}}]}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "out").symlink_to("/etc")
    return tmp_path / "data"


@pytest.mark.parametrize(
    "options",
    [
        {"path": "{data}/a"},
        {"path": "file://{data}/a"},
        {"path": "file:{data}/a"},
        {"path": "s3://bucket/in/a"},
        {"url": "jdbc:sqlite:{data}/a.db"},
        {"url": "jdbc:postgresql://server/etc/passwd"},
        {"url": "http://server/etc/passwd"},
        {"url": "jdbc:h2:mem:x"},
        {"topic": "orders", "properties.bootstrap.servers": "server:9092"},
        {"format": "json", "scan.startup.specific-offsets": "partition:0,offset:42"},
    ],
)
def test_allowed_tables(options: dict[str, str], data: Path) -> None:
    table_options = {key.replace("__", "."): value.format(data=data) for key, value in options.items()}
    check_outside(plan_with(**table_options), Allowed(data=(str(data), "s3://bucket/in")))
    assert table_options


@pytest.mark.parametrize(
    "options",
    [
        {"path": "/etc/passwd"},
        {"connector": "filesystem", "path": "{data}/../other"},
        {"path": "{data}-other/a"},
        {"connector": "filesystem", "path": "{data}/out/passwd"},
        {"path": "file:///etc/passwd"},
        {"connector": "filesystem", "path": "file:{data}/%2e%2e/../../other"},
        {"connector": "filesystem", "path": "FILE:/etc/passwd"},
        {"connector": "filesystem", "path": "~/x"},
        {"connector": "filesystem", "path": "somewhere"},
        {"path": "s3://bucket/inside"},
        {"connector": "filesystem", "path": "s3://bucket/in/../other"},
        {"path": "s3://other/in"},
        {"path": "s3a:/bucket"},
        {"dead-letter.path": "/tmp/x"},
        {"url": "jdbc:sqlite:/etc/a.db"},
        {"url": "JDBC:H2:file:/etc/a"},
        {"properties.ssl.truststore.location": "/etc/x"},
        {"anything": "/etc/passwd"},
        {"anything": "hdfs://server/a"},
    ],
)
def test_refused_tables(options: dict[str, str], data: Path) -> None:
    table_options = {key: value.format(data=data) for key, value in options.items()}
    with pytest.raises(UnsupportedError, match="not in an allowed folder") as error:
        check_outside(plan_with(**table_options), Allowed(data=(str(data), "s3://bucket/in")))
    assert error.value.where.startswith("/nodes/0")


#: A resource that is not allowed, and texts that name none in a single way.
_REFUSED = r"not in an allowed folder|the operator does not allow|is no path|not written in full|is a pattern|no list"


@pytest.mark.attack
def test_options_that_load_code_or_leave_the_folders_are_refused(data: Path) -> None:
    def check(options: dict[str, str]) -> None:
        with pytest.raises(UnsupportedError, match=_REFUSED) as error:
            check_outside(plan_with(**within(options, str(data))), Allowed(data=(str(data),)))
        assert error.value.remedy

    assert failures(check, ESCAPING) == {}


@pytest.mark.attack
@pytest.mark.parametrize("url", ["jdbc:postgresql://h/d?apiKey=5ecret", "jdbc:unknown://u:5ecret@h/d"])
def test_a_refusal_shows_no_secret(url: str) -> None:
    with pytest.raises(UnsupportedError) as error:
        check_outside(plan_with(connector="jdbc", url=url), Allowed())
    assert "5ecret" not in str(error.value)


def test_options_within_the_folders_are_allowed(data: Path) -> None:
    def check(options: dict[str, str]) -> None:
        assert options
        check_outside(plan_with(**within(options, str(data))), Allowed(data=(str(data),)))

    assert failures(check, HARMLESS) == {}


#: Options, by suffix, whose values are names and not paths, URLs, classes or configuration.
_NAMES = tuple(
    (
        "connector format topic topic-pattern table-name username password provider scan.mode id fields prefix "
        "literal delimiter character charset endianness codec encoding include partition.column identifier offsets "
        "group.id partitioner subject schema default-name name pattern formatter kind credentials-source user-info "
        "token servers strategy zone trigger driver url class extractor dead-letter.table"
    ).split()
)
_HOSTILE = ("/etc/passwd", "~/x", "file:///etc/passwd", "s3://elsewhere/x")


def _declared() -> list[tuple[str, str]]:
    table_options = {
        (name, key)
        for name, spec in connector_specs().items()
        for key, option in spec.all_options.items()
        if _open(option)
    }
    table_options |= {
        (name, f"{name}.{key}")
        for name, spec in format_specs().items()
        for key, option in spec.options.items()
        if _open(option)
    }
    return sorted(table_options)


def _open(option: TableOption) -> bool:
    return option.kind is Kind.TEXT and option.effect is Effect.USED


@pytest.mark.attack
def test_every_declared_option_of_any_text_is_checked(data: Path) -> None:
    """A path in any option is refused; an option that takes a relative path is recognized by its name."""

    def check(name: str, option: str) -> None:
        for value in _HOSTILE:
            with pytest.raises(UnsupportedError):
                check_outside(plan_with(**{"connector": name, option: value}), Allowed(data=(str(data),)))
        if not option.endswith(_NAMES):
            with pytest.raises(UnsupportedError):
                check_outside(plan_with(**{"connector": name, option: "../x"}), Allowed(data=(str(data),)))

    assert _declared() and failures(check, _declared()) == {}


@pytest.mark.attack
@pytest.mark.parametrize("folder", ["{home}/data", "{root}"])
@pytest.mark.parametrize("connector", ["filesystem", "spark"])
@pytest.mark.parametrize(
    ("path", "good"),
    [
        ("{home}/data/in", True),
        ("file://{home}/data/in/*.json", True),
        ("{home}", False),
        ("{home}/runs", False),
        ("{home}/runs/1/1/plan.json", False),
        ("file:{home}/service.db", False),
        ("{home}/checkpoints/2", False),
        ("{home}/data/../runs", False),
        ("{home}/data/link", False),
        ("{home}/data-too", False),
        ("{root}", False),
        ("/*", False),
        ("{root}/*/runs", None),
        ("file:{root}/h[o]me/runs", None),
        ("{home}/data/{{x,../../runs}}/1", None),
    ],
)
def test_the_home_of_the_service_is_never_a_data_folder(
    connector: str, path: str, good: bool | None, folder: str, tmp_path: Path
) -> None:
    """A pattern is one for Spark's data sources (`good` is None); in a table of files its letters are names."""
    home = tmp_path / "home"
    (home / "data").mkdir(parents=True)
    (home / "data" / "link").symlink_to(home / "runs")
    places = {"home": home, "root": tmp_path}
    plan = {"nodes": [{"options": {"connector": connector, "path": path.format(**places)}}]}
    allowed = Allowed(data=(str(home / "data"), folder.format(**places)), home=str(home))
    if good or (good is None and connector == "filesystem" and ("data" in path or folder == "{root}")):
        check_outside(plan, allowed)
    else:
        with pytest.raises(UnsupportedError, match=r"not in an allowed folder|a pattern that could leave"):
            check_outside(plan, allowed)


@pytest.mark.parametrize(
    ("function", "good"),
    [
        ({"module": "mine", "file": "{folder}/mine.py"}, True),
        ({"module": "mine"}, True),
        ({"module": "parts.inner"}, True),
        ({"module": "parts", "file": "{folder}/parts/__init__.py"}, True),
        ({"module": "mine.inner"}, False),
        ({"module": "os"}, False),
        ({"module": "antigravity", "file": "{folder}/mine.py"}, False),
        ({"module": "inner", "file": "{folder}/mine.py"}, False),
        ({"module": "json", "file": "{folder}/json.py"}, False),
        ({"module": "pyspark", "file": "{folder}/pyspark.py"}, False),
        ({"module": "json"}, False),
        ({"module": "..etc"}, False),
        ({"module": "mine", "file": "/tmp/mine.py"}, False),
        ({"module": "mine", "file": "{folder}/../mine.py"}, False),
    ],
)
def test_functions_come_from_allowed_folders(function: dict[str, str], good: bool, tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    for name in ("mine", "json", "pyspark", "parts/__init__", "parts/inner"):
        (tmp_path / f"{name}.py").touch()
    plan = {"nodes": [{"projection": [{"python": {k: v.format(folder=tmp_path) for k, v in function.items()}}]}]}
    allowed = Allowed(programs=(str(tmp_path),))
    if good:
        check_outside(plan, allowed)
    else:
        with pytest.raises(
            UnsupportedError, match=r"not in an allowed folder|does not match its file|another module"
        ) as error:
            check_outside(plan, allowed)
        assert error.value.remedy


@pytest.mark.wide
def test_a_script_cannot_import_modules_from_elsewhere(workers: Workers, tmp_path: Path) -> None:
    """A refused script is not even imported."""
    (tmp_path / "allowed").mkdir()
    sign = tmp_path / "sign"
    (tmp_path / "hostile.py").write_text(f"open({str(sign)!r}, 'w').close()\n")
    script = "CREATE FUNCTION f AS '{module}.F' LANGUAGE PYTHON;\nSELECT 1;"
    may = {"programs": [str(tmp_path / "allowed")], "data": []}
    for module in ("hostile", "antigravity", "os"):
        with pytest.raises(Refusal, match="none of the folders") as error:
            workers.run(tasks.submitted.compile_, text=script.format(module=module), allowed=may)
        assert error.value.remedy
    assert not sign.exists()


@pytest.mark.wide
@pytest.mark.attack
def test_a_script_reads_no_jars_from_elsewhere(workers: Workers, tmp_path: Path) -> None:
    """A refused jar is not opened; the answer does not depend on its existence."""
    programs = tmp_path / "programs"
    programs.mkdir()
    for folder in (programs, tmp_path):
        (folder / "text.jar").write_text("no jar")
    may = {"programs": [str(programs)], "data": []}

    def answer(script: str, file: Path) -> str:
        with pytest.raises(Refusal) as error:
            workers.run(tasks.submitted.compile_, text=script.format(file=file), allowed=may)
        return str(error.value)

    for script in ("ADD JAR '{file}'; SELECT 1;", "CREATE TEMPORARY FUNCTION f AS 'com.shop.F' USING JAR '{file}';"):
        for file in (tmp_path / "text.jar", tmp_path / "none.jar", programs / ".." / "text.jar"):
            assert "in none of the folders" in answer(script, file)
        assert "not found" in answer(script, programs / "none.jar")
    call = "CREATE FUNCTION f AS 'com.shop.F' USING JAR '{file}'; CREATE VIEW v AS SELECT f();"
    assert "text.jar' is no jar" in answer(call, programs / "text.jar")


def _jar(file: Path, *classes: str) -> None:
    with zipfile.ZipFile(file, "w") as jar:
        for class_ in classes:
            jar.writestr(f"{class_.replace('.', '/')}.class", b"")


def test_java_functions_come_from_the_jars_in_allowed_folders(tmp_path: Path) -> None:
    programs, elsewhere = tmp_path / "programs", tmp_path / "elsewhere"
    for folder in (programs, elsewhere):
        folder.mkdir()
    _jar(programs / "shop.jar", "com.shop.Shout", "com.shop.Functions$Mean")
    _jar(programs / "more.jar", "com.more.Split")
    _jar(elsewhere / "other.jar", "com.other.Other")
    calls = [
        {"kind": "CALL", "systemName": "shout", "java": {"class": "com.shop.Shout"}},
        {"kind": "CALL", "catalogName": "`c`.`d`.`split`", "class": "com.more.Split", "operands": []},
        {"kind": "CALL", "systemName": "add", "class": "org.apache.flink.Add", "python": {"module": "mine"}},
        {"kind": "CALL", "internalName": "$UPPER$1", "type": {"type": "RAW", "class": "com.nobody.Raw"}},
    ]
    aggregates = [
        {"argList": [0], "class": "com.shop.Functions$Mean"},
        {"argList": [0], "class": "org.apache.flink.Sum", "python": {"module": "mine"}},
    ]
    plan = {"nodes": [{"projection": calls, "aggCalls": aggregates}]}
    (programs / "mine.py").touch()
    allowed = Allowed(programs=(str(programs),))
    check_outside(plan, allowed)
    options = runnable(json.dumps(plan), allowed).options
    jars = [f"{programs}/more.jar", f"{programs}/shop.jar"]
    assert options == [part for place in (f"mine={programs}", *jars) for part in ("--functions-from", place)]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ({"class": "com.other.Other"}, r"no jar in an allowed folder has the Java function com.other.Other(.|\n)*ask"),
        ({"argList": [], "java": {"class": "com.other.Other"}}, "no jar in an allowed folder has the Java function"),
        ({"catalogName": "`c`.`d`.`shout`"}, r"the function shout without its class"),
        ({"catalogName": ["c"], "class": {"a": 1}, "java": {"class": 5}}, "no jar in an allowed folder"),
        ({"systemName": "shout"}, r"the function shout without its class or module(.|\n)*without TEMPORARY"),
        ({"class": "com.broken.Broken"}, r"broken.jar' is no jar(.|\n)*ask the operator"),
    ],
)
def test_other_java_functions_are_refused(call: dict[str, object], message: str, tmp_path: Path) -> None:
    _jar(tmp_path / "shop.jar", "com.shop.Shout")
    if "broken" in message:
        (tmp_path / "broken.jar").write_text("no jar")
    with pytest.raises(UnsupportedError, match=message):
        check_outside({"nodes": [{"condition": {"kind": "CALL", **call}}]}, Allowed(programs=(str(tmp_path),)))
