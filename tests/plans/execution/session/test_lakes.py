"""Sessions with table formats: settings, libraries, refusals; without Spark."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyspark
import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.connectors.lakes import DELTA, LAKES
from compiled_plan.plans.errors import ExecutionError, UnsupportedError
from compiled_plan.plans.execution.session import lakes
from compiled_plan.plans.execution.session.configured import CLASS_PATH, JARS
from compiled_plan.plans.execution.session.lakes import SETTING, add_lakes, check_lakes, settle_lakes, with_lakes
from compiled_plan.plans.execution.session.partitions import PARTITIONS
from compiled_plan.plans.files.maven import Artifact, FetchError

EXTENSIONS = "spark.sql.extensions"
CATALOG = "spark.sql.catalog.spark_catalog"
PLAN = TableEnvironment().compile_script(
    "CREATE TABLE t (k INT) WITH ('connector' = 'delta', 'path' = '/tmp/t'); INSERT INTO t VALUES (1);"
)
OTHER = TableEnvironment().compile_script(
    "CREATE TABLE t (k INT) WITH ('connector' = 'print'); INSERT INTO t VALUES (1);"
)


@pytest.fixture(autouse=True)
def spark_42(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pyspark, "__version__", "4.2.1")
    monkeypatch.setattr(lakes, "fetched", lambda artifact: Path("/cache", artifact.file))
    monkeypatch.setattr(lakes.find_spark_home, "_find_spark_home", lambda: "/nowhere")
    monkeypatch.delenv("PYSPARK_SUBMIT_ARGS", raising=False)


def test_plans_name_the_formats_of_their_session() -> None:
    assert with_lakes({"a": "b"}, [OTHER]) == {"a": "b"}
    assert with_lakes({"a": "b"}, [OTHER, PLAN]) == {"a": "b", SETTING: "delta"}
    assert with_lakes({SETTING: "delta"}, [PLAN]) == {SETTING: "delta"}


def test_a_session_gets_libraries_and_settings() -> None:
    settings = {SETTING: "delta", PARTITIONS: "2", CLASS_PATH: "a.jar"}
    add_lakes(settings, {}, fresh=True)
    jars = "/cache/delta-storage-4.4.0.jar:/cache/delta-spark_4.2_2.13-4.4.0.jar"
    assert settings == {
        SETTING: "delta",
        PARTITIONS: "2",
        CLASS_PATH: f"a.jar:{jars}",
        EXTENSIONS: DELTA.extension,
        **DELTA.settings,
    }


def test_partitions_are_those_of_the_session() -> None:
    """On a cluster of unknown size they are known once its executors have registered."""
    conf = {PARTITIONS: "2"}
    spark: Any = SimpleNamespace(conf=SimpleNamespace(get=conf.get, set=conf.__setitem__))
    settle_lakes(spark)
    assert DELTA.partitions not in conf
    conf[SETTING] = "iceberg,delta"
    settle_lakes(spark)
    assert conf[DELTA.partitions] == "2"
    conf[DELTA.partitions] = "7"
    settle_lakes(spark)
    assert conf[DELTA.partitions] == "7", "the user's"


def test_a_running_java_gets_libraries_as_jars() -> None:
    settings = {SETTING: "delta", PARTITIONS: "2"}
    files = add_lakes(settings, {}, fresh=False)
    assert settings[JARS] == ",".join(file.as_uri() for file in files) and CLASS_PATH not in settings


def test_settings_of_the_user_stay() -> None:
    settings = {SETTING: "delta", PARTITIONS: "2", EXTENSIONS: "my.Extension"}
    add_lakes(settings, {CATALOG: "my.Catalog"}, fresh=True)
    assert settings[EXTENSIONS] == f"my.Extension,{DELTA.extension}" and CATALOG not in settings
    again = {SETTING: "delta", PARTITIONS: "2", EXTENSIONS: DELTA.extension, CATALOG: "other.Catalog"}
    add_lakes(again, {}, fresh=True)
    assert again[EXTENSIONS] == DELTA.extension and again[CATALOG] == "other.Catalog"


@pytest.mark.parametrize(
    "setting", [{JARS: "/x/delta-spark_2.13-9.jar"}, {"spark.jars.packages": "io.delta:delta-spark_4.2_2.13:4.5.0"}]
)
def test_libraries_of_the_user_are_used_instead(setting: dict[str, str]) -> None:
    settings = {SETTING: "delta", PARTITIONS: "2"}
    assert add_lakes(settings, setting, fresh=True) == [] and CLASS_PATH not in settings


def test_a_spark_without_a_release_starts_without_the_format(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pyspark, "__version__", "4.3.0")
    settings = {SETTING: "delta", PARTITIONS: "2"}
    assert add_lakes(settings, {}, fresh=True) == [] and settings == {SETTING: "delta", PARTITIONS: "2"}
    add_lakes(settings, {JARS: "/x/delta-spark_4.3_2.13-9.jar"}, fresh=True)
    assert settings[EXTENSIONS] == DELTA.extension, "a release of the user's"


def test_a_library_that_cannot_be_fetched(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(artifact: Artifact) -> Path:
        raise FetchError("cannot fetch https://host/x.jar: away")

    monkeypatch.setattr(lakes, "fetched", fails)
    with pytest.raises(ExecutionError, match=r"connector 'delta' needs io.delta:delta-storage:4.4.0: cannot fetch"):
        add_lakes({SETTING: "delta", PARTITIONS: "2"}, {}, fresh=True)


def session(version: str, extensions: str = "") -> Any:
    return SimpleNamespace(version=version, conf=SimpleNamespace(get=lambda name, default: extensions or default))


def test_a_plan_is_refused_where_its_format_has_no_release() -> None:
    with pytest.raises(UnsupportedError, match=r"Delta Lake has no release for Spark 4.3.0") as error:
        check_lakes(session("4.3.0"), PLAN)
    assert error.value.remedy == 'run the plan on Spark 4.1 or 4.2: pip install "pyspark~=4.2.1"'
    check_lakes(session("4.3.0"), OTHER)
    check_lakes(session("4.3.0", DELTA.extension), PLAN)


def test_a_session_without_the_extension_is_refused() -> None:
    with pytest.raises(ExecutionError, match="the Spark session lacks Delta Lake"):
        check_lakes(session("4.2.1"), PLAN)
    check_lakes(session("4.2.1", f"a,{DELTA.extension}"), PLAN)


def test_formats_have_the_names_of_their_connectors() -> None:
    assert all(lake.name == name for name, lake in LAKES.items())
