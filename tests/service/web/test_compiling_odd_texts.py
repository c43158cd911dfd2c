"""Odd texts, numbers and nesting in requests: an answer of the service, never an internal error."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.service.web.conftest import PROGRAM
from tests.support.tables import failures

pytestmark = pytest.mark.attack

_DIGITS = "9" * 500_000
_ODD = [
    *("\0", "\x01", "\x7f", "\u0085", "\u2028", "\ufeff", "\ud800", "\udfff\ud800", "\U0001f600", "e\u0301", "²", "١٢"),
    *("", "'", "''", "`", "\\", "\\u0000", "--", "/*", "*/", "\r\n", "${secret:A}", "******", "NULL", "-1", "1e400"),
    *(
        "NaN",
        "Infinity",
        "0x10",
        "9" * 5_000,
        _DIGITS,
        f"{'9' * 5_000}.{'9' * 5_000}",
        f"1E{'9' * 5_000}",
        "1" + "0" * 39,
    ),
    *("(" * 3_000, "[" * 3_000, "NOT " * 1_500, "-" * 999 + "1", "CASE WHEN " * 300, "a" * 100_000, "." * 500),
    *(
        f"DECIMAL({'9' * 5_000}, 1)",
        "TIMESTAMP(99)",
        "DATE '99999-99-99'",
        "X'zz'",
        "U&'\\D800'",
        f"INTERVAL '{'9' * 5_000}' DAY",
    ),
]
#: JSON in place of a value of a plan.
_JSON = [
    *(
        '"\\u0000"',
        '"\\ud800"',
        '""',
        "null",
        "true",
        "[]",
        "{}",
        "-0",
        "1.5",
        "1e999",
        "-1",
        '"9"',
        "[null]",
        '{"": 1}',
    ),
    *("9" * 5_000, _DIGITS, "9223372036854775808", "[" * 3_000 + "]" * 3_000, '{"a":' * 500 + "1" + "}" * 500),
    *(
        f'"DECIMAL({"9" * 5_000}, 1)"',
        f'"{"ROW<a " * 300}INT{">" * 300}"',
        '"VARCHAR(99999999999)"',
        '{"kind": "CALL"}',
    ),
]
_TOKEN = re.compile(r"'[^']*'|\w+|[^\w\s]")


def send(client: TestClient, path: str, content: str) -> int:
    body = content.encode("utf-8", "surrogatepass")
    return client.post(path, content=body, headers={"content-type": "application/json"}).status_code


def programs(chance: random.Random) -> Iterator[str]:
    """Programs in which tokens, or contents of literals, are odd."""
    spans = [match.span() for match in _TOKEN.finditer(PROGRAM)]
    while True:
        (start, end), odd = chance.choice(spans), chance.choice(_ODD)
        text = f"'{odd.replace(chr(39), chr(39) * 2)}'" if PROGRAM[start] == "'" and chance.random() < 0.7 else odd
        yield PROGRAM[:start] + text + PROGRAM[end:]


def plans(plan: Any, chance: random.Random) -> Iterator[str]:
    """Texts of plans in which a value is odd."""
    places = list(_places(plan))
    while True:
        document = json.loads(json.dumps(plan))
        *path, last = chance.choice(places)
        parent = document
        for part in path:
            parent = parent[part]
        parent[last] = "@odd@"
        yield json.dumps(document).replace('"@odd@"', chance.choice(_JSON))


def _places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in parts:
        yield (*path, key)
        yield from _places(part, (*path, key))


def _bodies(client: TestClient, chance: random.Random, count: int) -> Iterator[tuple[str, str]]:
    plan = client.post("compile", json={"program": PROGRAM}).json()["plan"]
    scripts, texts = programs(chance), plans(plan, chance)
    for _ in range(count):
        script, text = next(scripts), next(texts)
        yield "compile", json.dumps({"program": script})
        yield chance.choice(("compile", "validate")), json.dumps({"plan": text})
        yield chance.choice(("compile", "validate")), f'{{"plan": {text}}}'
        option = {chance.choice(("table.exec.state.ttl", "x", "\0")): chance.choice(_ODD)}
        cut = {"before": script[: len(script) // 2], "after": "", "options": option}
        yield "complete", json.dumps(cut)
        yield "compile", json.dumps({chance.choice(("program", "file", "over", "tests")): chance.choice(_ODD)})


def _check(client: TestClient, count: int, seed: int) -> None:
    def check(path: str, content: str) -> None:
        status = send(client, path, content)
        assert status in (200, 202, 400, 404, 409, 413, 422), status

    bodies = [(path, content[:3_000_000]) for path, content in _bodies(client, random.Random(seed), count)]
    assert bodies and failures(check, bodies) == {}


def test_odd_requests(client: TestClient) -> None:
    _check(client, 3, seed=1)


@pytest.mark.deep
def test_many_odd_requests(client: TestClient) -> None:
    _check(client, 150, seed=2)


NUMBERS = "CREATE TABLE b (a {}) WITH ('connector' = 'print'); INSERT INTO b SELECT {} FROM (VALUES (1)) AS t (a);"


@pytest.mark.parametrize(
    ("type_", "expression"),
    [
        ("BIGINT", _DIGITS),
        ("BIGINT", f"-{_DIGITS}"),
        ("STRING", f"CAST(1 AS CHAR({_DIGITS}))"),
        ("STRING", f"SUBSTRING('a', {_DIGITS})"),
    ],
)
def test_a_number_of_many_digits_is_named(type_: str, expression: str, client: TestClient) -> None:
    answer = client.post("compile", json={"program": NUMBERS.format(type_, expression)})
    assert (answer.status_code, answer.json()["detail"]) == (422, "SQL parse failed: a number of 500000 digits")
    assert "line 1, column" in answer.json()["where"] and "38 digits" in answer.json()["remedy"]


def test_a_number_of_many_digits_in_a_plan_is_named(client: TestClient, program: str) -> None:
    plan = json.dumps(client.post("compile", json={"program": program}).json()["plan"])
    answer = client.post("compile", json={"plan": plan.replace('"2.3"', f'"2.3", "x": {_DIGITS}')})
    assert (answer.status_code, answer.json()["detail"]) == (422, "a number of 500000 digits")
    assert "/x" in answer.json()["where"]


def test_half_a_surrogate_pair_in_a_plan_is_refused(client: TestClient) -> None:
    assert send(client, "validate", '{"plan": {"flinkVersion": "\\ud800"}}') == 422


def test_a_deep_plan_is_answered(client: TestClient) -> None:
    deep = f"{'CASE WHEN a = 1 THEN 2 ELSE ' * 200}1{' END' * 200}"
    answer = client.post("compile", json={"program": NUMBERS.format("INT", deep)})
    assert answer.status_code == 200 and answer.json()["operators"] == len(answer.json()["plan"]["nodes"])
