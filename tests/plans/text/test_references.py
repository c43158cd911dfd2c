from __future__ import annotations

import pytest

from compiled_plan.plans.text.masking import HIDDEN, holds_secret, masked, masked_json, masked_program, masked_text
from compiled_plan.plans.text.references import has_reference, is_reference, malformed, names_in, replaced
from compiled_plan.plans.text.secrets import secrets_in


def test_several_references_in_a_value_are_replaced() -> None:
    value = "jdbc:mysql://h/d?user=${secret:DB_USER}&password=${secret:db.pass-word}"
    assert names_in([value, value]) == ("DB_USER", "db.pass-word")
    assert replaced(value, {"DB_USER": "u", "db.pass-word": "${secret:x}"}.__getitem__) == (
        "jdbc:mysql://h/d?user=u&password=${secret:x}"
    ), "a value that looks like a reference is not replaced again"


def test_an_escape_stands_for_the_text() -> None:
    assert not has_reference("$${secret:A}")
    assert replaced("$${secret:A} ${secret:A} $${secret:", lambda name: "v") == "${secret:A} v ${secret:"


@pytest.mark.parametrize("name", ["", "a b", "1a", "a/b", "../x", "ä", "a" * 128, "a}b".replace("}", "$")])
def test_malformed_names(name: str) -> None:
    assert malformed(f"x${{secret:{name}}}y") == f"${{secret:{name}}}"


@pytest.mark.parametrize("text", ["${secret:", "a ${secret:A"])
def test_a_reference_without_its_end_is_malformed(text: str) -> None:
    assert malformed(text) == text[text.index("$") :]


def test_a_single_reference() -> None:
    assert is_reference("${secret:A}")
    assert not any(map(is_reference, ("x${secret:A}", "$${secret:A}", "${secret:A}${secret:B}", "${secret:a b}")))


def test_references_are_shown_and_the_secrets_around_them_are_not() -> None:
    options = {
        "password": "${secret:A}",
        "properties.sasl.jaas.config": 'x username="a" password="${secret:P}";',
        "url": "jdbc:mysql://h/d?user=u&password=${secret:PW}",
        "uri": "mongodb://me:pre${secret:X}post@h/d",
        "token": "clear${secret:A}",
    }
    shown = masked(options)
    assert shown == {
        "password": "${secret:A}",
        "properties.sasl.jaas.config": f"{HIDDEN}${{secret:P}}{HIDDEN}",
        "url": options["url"],
        "uri": f"mongodb://me:{HIDDEN}${{secret:X}}{HIDDEN}@h/d",
        "token": f"{HIDDEN}${{secret:A}}",
    }
    assert masked_json({"options": options}) == {"options": shown}
    program = "WITH ('password' = '${secret:A}', 'url' = 'http://u:${secret:B}@h', 'secret' = 'abc')"
    assert masked_program(program) == program.replace("abc", HIDDEN)
    assert masked_text("OPTIONS options:{password=${secret:A}, x=y}") == "OPTIONS options:{password=${secret:A}, x=y}"


def test_references_are_no_secrets_to_hide_in_other_output() -> None:
    assert secrets_in({"password": "${secret:A}", "url": "http://u:${secret:B}@h?password=${secret:B}"}) == frozenset()


@pytest.mark.parametrize(
    ("key", "value", "clear"),
    [
        ("password", "p", True),
        ("password", "", False),
        ("password", "${secret:A}", False),
        ("password", "$${secret:A}", True),
        ("properties.sasl.jaas.config", 'x password="${secret:P}";', False),
        ("properties.sasl.jaas.config", 'x password="p";', True),
        ("properties.sasl.oauthbearer.token.endpoint.url", "https://login/token", False),
        ("url", "jdbc:mysql://h/d?password=p", True),
        ("url", "jdbc:mysql://h/d?password=${secret:A}", False),
        ("path", "/data", False),
    ],
)
def test_secrets_in_clear(key: str, value: str, clear: bool) -> None:
    assert holds_secret(key, value) is clear
