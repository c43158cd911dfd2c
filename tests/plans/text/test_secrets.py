"""Secrets of a plan in the output of others."""

from __future__ import annotations

import pytest

from compiled_plan.plans.text.secrets import hidden, secrets_in

PLAN = {
    "nodes": [
        {"options": {"password": "ge/heim 1", "user": "jane", "token.enabled": "true", "my-secret": "ab"}},
        {"options": {"url": "jdbc:postgresql://jane:in-url@host/db?password=in-parameter&user=x"}},
        {"options": {"properties.sasl.jaas.config": 'Plain required username="jane" password="in-jaas";'}},
        {"options": {"schema.registry.basic.auth.user.info": "u:in-info"}},
        {"options": {"http-headers": "Authorization: Bearer in-header", "numbers": 5, "secret": [None, "in-list"]}},
    ]
}


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("it connects as jane with ge/heim 1!", "it connects as jane with ******!"),
        ("GET /?p=ge%2Fheim%201", "GET /?p=******"),
        ("in-url in-parameter in-jaas in-info in-header in-list", "****** ****** ****** ****** ****** ******"),
        ("about ab, cab (ab)", "about ******, cab (******)"),
        ("true, 5 and host are no secrets", "true, 5 and host are no secrets"),
    ],
)
def test_secrets_are_hidden_wherever_they_are_printed(said: str, shown: str) -> None:
    assert hidden(said, secrets_in(PLAN)) == shown


def test_nothing_is_secret() -> None:
    assert secrets_in({"options": {"path": "/a", "n": 1}}) == frozenset()
    assert secrets_in(None) == frozenset()


def test_a_secret_that_begins_with_another_is_hidden_as_a_whole() -> None:
    assert hidden("abcd1234xy", frozenset({"abcd1234", "abcd1234xy"})) == "******"
