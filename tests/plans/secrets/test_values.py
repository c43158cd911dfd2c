from __future__ import annotations

from pathlib import Path

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.errors import CONCEALERS, ExecutionError, ProgramError
from compiled_plan.plans.inspection.references import secret_names
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.secrets.values import Secrets
from compiled_plan.plans.text import concealing

TABLES = """
CREATE TABLE s (id INT, p AS PROCTIME()) WITH ('connector' = 'datagen');
CREATE TABLE db (id INT, name STRING) WITH ('connector' = 'jdbc', 'url' = '{url}', 'table-name' = 't',
  'username' = '${{secret:USER}}', 'password' = '${{secret:db.password}}');
CREATE TABLE o (id INT, name STRING) WITH ('connector' = 'print', 'print-identifier' = 'x ${{secret:LABEL}}');
INSERT INTO o SELECT s.id, d.name FROM s JOIN db FOR SYSTEM_TIME AS OF s.p AS d ON s.id = d.id;
"""


@pytest.fixture(autouse=True)
def _forget() -> object:
    yield
    concealing._RESOLVED.clear()
    CONCEALERS.clear()


def plan(url: str = "jdbc:mysql://h/d?password=${secret:URL}") -> CompiledPlan:
    return TableEnvironment().compile_script(TABLES.format(url=url))


def test_a_plan_keeps_its_references_and_names_them() -> None:
    compiled = plan()
    assert secret_names(compiled) == ("db.password", "URL", "USER", "LABEL")
    assert '"password" : "${secret:db.password}"' in compiled.to_json()


def test_all_missing_names_are_reported_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMPILED_PLAN_SECRET_USER", "u")
    with pytest.raises(ExecutionError) as refused:
        Secrets().collect(plan(), {"s": {"path": "${secret:OTHER}"}})
    assert refused.value.message == "4 secrets: db.password, URL, LABEL, OTHER are missing"
    assert "db.password: table default_catalog.default_database.db, WITH, 'password'" in refused.value.where
    assert "COMPILED_PLAN_SECRET_DB_PASSWORD" in refused.value.remedy


def test_earlier_sources_win_and_values_are_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("X_A", "second")
    (tmp_path / "a").write_text("first")
    secrets = Secrets([f"dir:{tmp_path}", "env:X_"])
    assert secrets.resolved({"k": "${secret:a}"}, "t") == {"k": "first"}
    (tmp_path / "a").unlink()
    assert secrets.resolved({"k": "${secret:a}, $${secret:a}"}, "t") == {"k": "first, ${secret:a}"}
    assert Secrets([f"dir:{tmp_path}", "env:X_"]).resolved({"k": "${secret:a}"}, "t") == {"k": "second"}


def test_lenient_secrets_leave_missing_references() -> None:
    assert Secrets(lenient=True).resolved({"k": "${secret:a}"}, "t") == {"k": "${secret:a}"}
    with pytest.raises(ExecutionError, match="the secret a is missing"):
        Secrets().resolved({"k": "${secret:a}"}, "t")


def test_resolved_values_are_hidden_in_messages_and_representations(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMPILED_PLAN_SECRET_A", "s3/cr et")
    secrets = Secrets()
    assert secrets.resolved({"k": "${secret:A}"}, "t") == {"k": "s3/cr et"}
    fault = ExecutionError("no 's3/cr et'", where="s3%2Fcr%20et", remedy="s3/cr et")
    assert str(fault) == "no '******'\n  at: ******\n  try: ******"
    assert "s3/cr et" not in repr(secrets)


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("'connector' = '${secret:A}'", "its value is needed before a run"),
        ("'connector' = 'filesystem', 'format' = '${secret:A}', 'path' = '/x'", "its value is needed before a run"),
        ("'connector' = 'filesystem', 'format' = 'json', 'path' = '${secret:A}'", "its value is needed before a run"),
        ("'connector' = 'datagen', 'number-of-rows' = '${secret:A}'", "its value is needed before a run"),
        ("'connector' = 'kafka', 'topic' = '${secret:a b}'", "malformed reference to a secret in the option 'topic'"),
    ],
)
def test_references_that_do_not_compile_are_named_with_their_place(option: str, message: str) -> None:
    program = f"CREATE TABLE s (id INT) WITH ({option});\nCREATE TABLE o (id INT) WITH ('connector' = 'print');\n"
    with pytest.raises(ProgramError, match=message) as refused:
        TableEnvironment().compile_script(f"{program} INSERT INTO o SELECT * FROM s;")
    assert "line 1" in refused.value.where


def test_references_in_hints() -> None:
    hinted = TABLES.format(url="${secret:URL}").replace(
        "JOIN db", "JOIN db /*+ OPTIONS('driver'='${secret:DRIVER}') */"
    )
    assert "DRIVER" in secret_names(TableEnvironment().compile_script(hinted))


@pytest.mark.attack
@pytest.mark.parametrize(
    ("url", "value", "good"),
    [
        ("jdbc:postgresql://h/d?password=${secret:A}", "p%26=x", True),
        ("jdbc:postgresql://u:${secret:A}@h/d", "p", True),
        ("${secret:A}", "jdbc:sqlite:/a.db", True),
        ("jdbc:postgresql://h/d?password=${secret:A}", "p&socketFactory=a.B", False),
        ("jdbc:postgresql://h/d?password=${secret:A}", "p&sslrootcert=/etc/passwd", False),
        ("jdbc:postgresql://u:${secret:A}@h/d", "p@h/d?loggerFile=/x&x=", False),
        ("jdbc:h2:mem:x;PASSWORD=${secret:A}", "p;INIT=RUNSCRIPT FROM 'x'", False),
    ],
)
def test_a_secret_is_a_value_and_reaches_nothing(url: str, value: str, good: bool, tmp_path: Path) -> None:
    (tmp_path / "A").write_text(value)
    options = {"connector": "jdbc", "table-name": "t", "url": url}
    secrets = Secrets([f"dir:{tmp_path}"])
    if good:
        assert secrets.resolved(options, "table t")["url"] == url.replace("${secret:A}", value)
    else:
        with pytest.raises(ExecutionError, match="reach other files or code") as error:
            secrets.resolved(options, "table t")
        assert value not in error.value.render() and "encode" in error.value.remedy
