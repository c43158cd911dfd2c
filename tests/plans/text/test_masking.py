from __future__ import annotations

import pytest

from compiled_plan.plans.errors import PlanError
from compiled_plan.plans.text.masking import (
    HIDDEN,
    is_sensitive,
    masked,
    masked_json,
    masked_program,
    masked_text,
    masked_url,
    unmasked_program,
)


@pytest.mark.parametrize(
    "key", ["password", "db.PASSWORD", "s3.secret-key", "x.sasl.jaas.config", "apiKey", "x-api-key", "http-headers"]
)  # fmt: skip
def test_sensitive(key: str) -> None:
    assert is_sensitive(key)


@pytest.mark.parametrize(
    "key", ["fs.s3a.access.key", "accountKey", "pem_private_key", "credentials", "sfPassword", "kafka.ssl.key.password"]
)
def test_what_data_sources_of_spark_have(key: str) -> None:
    assert is_sensitive(key)


@pytest.mark.parametrize(
    "key", ["path", "connector", "user", "format", "key.format", "primaryKey", "sink.keyed-shuffle"]
)
def test_plain(key: str) -> None:
    assert not is_sensitive(key)


def test_hides_values_alone() -> None:
    assert masked({"path": "/a", "password": "p"}) == {"path": "/a", "password": HIDDEN}
    value = {"nodes": [{"options": {"auth-token": "t", "path": "/a"}}]}
    assert masked_json(value) == {"nodes": [{"options": {"auth-token": HIDDEN, "path": "/a"}}]}


def test_descriptions_hide_the_options_of_hints() -> None:
    text = "Sink(table=[t], fields=[token], hints=[[[OPTIONS options:{user=u, db.password=p w, path=/a}]]])"
    shown = masked_text(text)
    assert "p w" not in shown
    assert shown == text.replace("p w", HIDDEN)
    assert masked_text("Join(where=[(a = b)], select=[a, b])") == "Join(where=[(a = b)], select=[a, b])"


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        (
            "jdbc:postgresql://h/d?user=a&password=p%3F&ssl=true",
            f"jdbc:postgresql://h/d?user=a&password={HIDDEN}&ssl=true",
        ),
        ("jdbc:derby:d;create=true;password=p", f"jdbc:derby:d;create=true;password={HIDDEN}"),
        ("jdbc:mysql://a:p@h/d?sslTokenX=p", f"jdbc:mysql://a:{HIDDEN}@h/d?sslTokenX={HIDDEN}"),
        ("jdbc:sqlite:a.db", "jdbc:sqlite:a.db"),
    ],
)
def test_passwords_in_urls(url: str, shown: str) -> None:
    assert masked_url(url) == masked({"url": url})["url"] == masked_json({"url": url})["url"] == shown
    assert masked_text(f"OPTIONS options:{{url={url}, path=/a}}") == f"OPTIONS options:{{url={shown}, path=/a}}"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("'password' = 'x'", "'password' = '******'"),
        ("'password'='it''s', 'a' = 'b'", "'password'='******', 'a' = 'b'"),
        ("'a.api-key' =\n 'x'", "'a.api-key' =\n '******'"),
        ('.option("password", "x")', '.option("password", "******")'),
        ("{\"password\": 'x'}", "{\"password\": '******'}"),
        ("'url' = 'jdbc:postgresql://u:x@h/d'", "'url' = 'jdbc:postgresql://u:******@h/d'"),
        ("SELECT 'password', name = 'x'", "SELECT 'password', name = 'x'"),
        ("'password' = ''", "'password' = ''"),
        ("'password' = 'x y\n  ^", "'password' = '******\n  ^"),
        ("'topic' = 'x'", "'topic' = 'x'"),
    ],
)
def test_secrets_in_programs_are_hidden(text: str, shown: str) -> None:
    assert masked_program(text) == shown
    assert unmasked_program(masked_program(text), text) == text or "://" in text or "^" in text


def test_hidden_values_are_those_of_the_same_place() -> None:
    known = "'password' = 'one'; 'password' = 'two'; 'token' = 'three'"
    hidden = "'token' = '******'; 'password' = '******'; 'password' = '******'"
    assert unmasked_program(hidden, known) == "'token' = 'three'; 'password' = 'one'; 'password' = 'two'"
    with pytest.raises(PlanError, match="the value of 'secret' is hidden"):
        unmasked_program("'secret' = '******'", known)
    with pytest.raises(PlanError, match="the value of 'password' is hidden"):
        unmasked_program(f"{hidden}; 'password' = '******'", known)
