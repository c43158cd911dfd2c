from __future__ import annotations

import json
import time
from collections.abc import Callable
from itertools import product
from typing import Any

import pytest

from compiled_plan.plans.text.masking import (
    HIDDEN,
    is_sensitive,
    masked,
    masked_json,
    masked_program,
    masked_text,
    masked_url,
)
from compiled_plan.plans.text.secrets import hidden, secrets_in
from tests.plans.text.spellings import OPTIONS, SPELLINGS, leaks
from tests.support.tables import failures


@pytest.mark.parametrize(
    "key", ["password", "db.PASSWORD", "s3.secret-key", "x.sasl.jaas.config", "apiKey", "x-api-key", "http-headers"]
)  # fmt: skip
def test_sensitive(key: str) -> None:
    assert is_sensitive(key)


@pytest.mark.parametrize(
    "key", ["fs.s3a.access.key", "accountKey", "pem_private_key", "credentials", "sfPassword", "kafka.ssl.key.password"]
)
def test_options_of_sparks_data_sources(key: str) -> None:
    assert is_sensitive(key)


@pytest.mark.parametrize(
    "key", ["path", "connector", "user", "format", "key.format", "primaryKey", "sink.keyed-shuffle"]
)
def test_plain(key: str) -> None:
    assert not is_sensitive(key)


def test_only_values_are_masked() -> None:
    assert masked({"path": "/a", "password": "p"}) == {"path": "/a", "password": HIDDEN}
    value = {"nodes": [{"options": {"auth-token": "t", "path": "/a"}}]}
    assert masked_json(value) == {"nodes": [{"options": {"auth-token": HIDDEN, "path": "/a"}}]}


def test_secrets_that_are_numbers_are_masked() -> None:
    assert masked_json({"password": 1234}) == {"password": HIDDEN}


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


@pytest.mark.attack
def test_the_corpus_has_spellings() -> None:
    assert sum(len(SPELLINGS[kind]) for kind in ("options", "sql", "python", "text")) > 250


def check_option(key: str, value: str) -> None:
    assert not leaks(masked({key: value})[key])
    assert not leaks(json.dumps(masked_json({"nodes": [{"options": {key: value}}]})))
    assert not leaks(hidden(f"it printed {value}", secrets_in({key: value})))


def check_program(text: str) -> None:
    assert not leaks(masked_program(text))
    assert not leaks(masked_text(masked_program(text)))


def check_text(text: str) -> None:
    assert not leaks(masked_text(text))
    assert not leaks(json.dumps(masked_json({"description": text})))


@pytest.mark.attack
@pytest.mark.parametrize(
    ("check", "cases"),
    [
        (check_option, OPTIONS),
        (check_program, [*SPELLINGS["sql"], *SPELLINGS["python"]]),
        (check_text, SPELLINGS["text"]),
    ],
    ids=("options", "programs", "texts"),
)
def test_secrets_are_hidden(check: Callable[..., None], cases: list[Any]) -> None:
    assert failures(check, cases) == {}


@pytest.mark.parametrize("text", SPELLINGS["harmless"])
def test_harmless_texts_stay(text: str) -> None:
    assert masked_text(text) == masked_url(text) == masked_json(text) == text


@pytest.mark.parametrize("text", SPELLINGS["harmless_programs"])
def test_harmless_programs_stay(text: str) -> None:
    assert masked_program(text) == text


def seconds(mask: Callable[[str], object], text: str) -> float:
    before = time.process_time()
    mask(text)
    return time.process_time() - before


def secrets_of(text: str) -> None:
    secrets_in({"text": text})


@pytest.mark.wide
@pytest.mark.slow
@pytest.mark.attack
@pytest.mark.parametrize("length", [12_000, pytest.param(250_000, marks=pytest.mark.deep)], ids=("short", "long"))
def test_the_time_is_linear(length: int) -> None:
    """Ten times the length takes less than thirty times as long; with a quadratic pattern, a hundred times."""
    slow = []
    for start, unit in product(("", "import x\npassword = 'x'\n"), SPELLINGS["units"]):
        text, tenth = (start + unit * (count // len(unit) + 1) for count in (length, length // 10))
        for mask in (masked_text, masked_url, masked_program, secrets_of):
            # Another program on the machine may slow down one attempt.
            if all(seconds(mask, text) > 30 * max(seconds(mask, tenth), 0.002) for _ in range(3)):
                slow.append((mask.__name__, start, unit))
    assert slow == []


def test_a_line_of_a_log_is_cheap() -> None:
    line = '26/11/25 19:14:51 INFO MicroBatchExecution: progress {"id": "b", "rows": 3, "path": "/data/in/part-0.json"}'
    before = time.process_time()
    for _ in range(10_000):
        masked_text(line)
    assert time.process_time() - before < 0.5


@pytest.mark.parametrize(
    "url",
    [
        "jdbc:sqlserver://h; password = S3CRET",
        "JDBC:SQLSERVER://h;user=a;\tPassWord\t=\tS3CRET;encrypt=true",
        "jdbc:sqlserver://h;password={S3;CRET};encrypt=true",
        "jdbc:sqlserver://h;password={S3}};CRET};encrypt=true",
        "jdbc:mysql://h/d?u&p%61ssword=S3CRET",
        "jdbc:mysql://h/d?u=1&p%2561ssword=S3CRET&x=1",
        "jdbc:mysql://(host=h,password=S3CRET)/d",
        "jdbc:sqlite:/x?pass%77ord=S3CRET",
        "jdbc:h2:file:/x;PASS%57ORD=S3CRET;x=1",
        "jdbc:derby://h/d;create=true; user = a ;password =S3CRET",
        "jdbc:oracle:thin:@//h/d?p%61ssword=S3CRET",
        "jdbc:db2://h:1/d:user=a;password=S3CRET;",
        "http://h/?p%61ssword=S3CRET&a=b",
    ],
)
def test_parameters_of_urls_are_decoded_and_split_as_drivers_do(url: str) -> None:
    shown = [
        masked({"url": url})["url"],
        masked_url(f" {url}"),
        masked_text(f"cannot connect to {url}: it is away"),
        masked_program(f"CREATE TABLE t (a INT) WITH ('url' = '{url}');"),
        str(masked_json({"options": {"url": url}})),
    ]
    assert not [text for text in shown if "CRET" in text]
    assert any("CRET" in secret for secret in secrets_in({"url": url}))


@pytest.mark.parametrize("key", ["jwt", "auth.jwt", "fs.sas", "sslPsk.psk", "eventhubs.connectionString"])
def test_abbreviations_of_data_sources(key: str) -> None:
    assert masked({key: "S3CRET"}) == {key: HIDDEN}


@pytest.mark.parametrize("key", ["class", "disaster", "assassin", "connection.max-retry-timeout"])
def test_words_that_contain_abbreviations(key: str) -> None:
    assert not is_sensitive(key)
