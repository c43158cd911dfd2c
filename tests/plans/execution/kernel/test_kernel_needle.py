"""The text without which a regular expression finds nothing, and what functions give where it is not there."""

from __future__ import annotations

import re
from random import Random

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from compiled_plan.plans.execution.expressions.functions import java
from tests.support.kernel.hidden import Hidden

NEEDLES = {
    "(&|^)channel_id=([^&]*)": "channel_id=",
    "abc": "abc",
    "ab*cde": "cde",
    "abc?": "ab",
    "abc+d": "abc",
    "ab{0}cd{2}": "a",
    r"a\.b\d*xy": "a.b",
    r"\bword\b": "word",
    "[^]a]b": None,
    "[a&&[b]]c": None,
    "a|b": None,
    "(a|b)c": "c",
    "(?i)abc": None,
    r"\Qa\E": None,
    r"\x41bcd": None,
    "a😀*b": None,
    "(a": None,
    "": None,
    "x*": None,
    "^$": None,
}


@pytest.mark.parametrize(("regex", "needle"), NEEDLES.items())
def test_the_longest_text_that_has_to_be_there(spark: SparkSession, regex: str, needle: str | None) -> None:
    assert Hidden(spark, "functions.Needle").call("of", regex) == needle


def test_what_matches_has_it(spark: SparkSession) -> None:
    """Expressions of random pieces, on random texts."""
    random, needles, matched = Random(20_261_124), Hidden(spark, "functions.Needle"), 0
    pieces = r"a b ab ba ( ) | * + ? {0} {1,2} [ab] [^a] ^ $ . \w \.".split()
    texts = ["".join(random.choices("ab.", k=random.randint(0, 6))) for _ in range(200)]
    for _ in range(500):
        regex = "".join(random.choices(pieces, k=random.randint(1, 7)))
        try:
            compiled = re.compile(regex)
        except re.error:
            continue
        needle = needles.call("of", regex)
        if needle is not None:
            found = [text for text in texts if compiled.search(text)]
            assert [text for text in found if needle not in text] == [], regex
            matched += len(found)
    assert matched > 1_000


def test_functions_find_nothing_without_it(spark: SparkSession) -> None:
    texts = ["", "a=1", "xa=2y", "b=3", "A=1", None]
    frame = spark.createDataFrame([(text,) for text in texts], "t STRING")
    regex = F.lit("(^|x)a=(.)")
    given = frame.select(
        java("REGEXP_EXTRACT", "string", F.col("t"), regex, F.lit(2)),
        java("REGEXP", "boolean", F.col("t"), regex),
        java("REGEXP_REPLACE", "string", F.col("t"), regex, F.lit("-")),
        java("REGEXP_COUNT", "int", F.col("t"), regex),
        java("REGEXP_INSTR", "int", F.col("t"), regex),
        java("REGEXP_SUBSTR", "string", F.col("t"), regex),
    ).collect()
    assert [tuple(row) for row in given] == [
        (None, False, "", 0, 0, None),
        ("1", True, "-", 1, 1, "a=1"),
        ("2", True, "-y", 1, 1, "xa=2"),
        (None, False, "b=3", 0, 0, None),
        (None, False, "A=1", 0, 0, None),
        (None, None, None, None, None, None),
    ]
