"""IS_ALPHA, IS_DIGIT and IS_DECIMAL, of texts, numbers and nulls."""

from __future__ import annotations

import pytest

from compiled_plan.environment import TableEnvironment

#: Flink 2.3's answers by text: IS_ALPHA, IS_DIGIT, IS_DECIMAL.
TEXTS = {
    (True, False, False): ["abc", "\xe9", "infinity", "nan"],
    (False, False, False): [
        "Ab1",
        "",
        "a b",
        "\U0001f600",
        "\U0001d400",
        "ab\U0001f600",
        "1L",
        "\uff11.\uff15",
        "x\u0301",
        "-",
    ],
    (False, True, True): ["\uff11\uff12", "123", "9999999999999999999999", "\u0663", "\uff11"],
    (False, False, True): ["1.5", "1e3", " 1", "1 ", "0x1p3", "1d", "1f", "-5", "+5", ".5", "5.", "\t1\n"],
    (True, False, True): ["NaN", "Infinity"],
}


@pytest.fixture
def env(spark):
    return TableEnvironment()


def test_texts(env):
    expected = {text: answer for answer, texts in TEXTS.items() for text in texts} | {None: (False, False, False)}
    texts = env.from_values([(text,) for text in expected], "ROW<s STRING>")
    env.create_temporary_view("texts", texts)
    rows = env.sql_query("SELECT s, IS_ALPHA(s), IS_DIGIT(s), IS_DECIMAL(s) FROM texts").execute().collect()
    assert {row[0]: tuple(row[1:]) for row in rows} == expected


def test_numbers_and_their_nulls_are_classified_by_type(env):
    """Flink's answers for columns; it folds calls of NULL literals to the same."""
    columns = [("INT", (False, True, True)), ("BIGINT", (False, True, True)), ("TINYINT", (False, True, True))]
    columns += [("DOUBLE", (False, False, True)), ("FLOAT", (False, False, True))]
    columns += [("DECIMAL(5, 2)", (False, False, False))]
    casts = {f"CAST({value} AS {type_})": answer for type_, answer in columns for value in ("7", "NULL")}
    calls = ", ".join(f"IS_ALPHA({cast}), IS_DIGIT({cast}), IS_DECIMAL({cast})" for cast in casts)
    (row,) = env.sql_query(f"SELECT {calls}").execute().collect()
    assert {cast: tuple(row[3 * at : 3 * at + 3]) for at, cast in enumerate(casts)} == casts
