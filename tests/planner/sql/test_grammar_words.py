"""Every word of Flink's grammar as a name, in every position of a name.

`flink_words.json` has Flink 2.3's answers for all tokens of its parser. `{W}` in a statement is the word, `{Q}`
the word in backticks. A word is a name, or has another meaning (with its columns), or is refused.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.errors import CompiledPlanError

FLINK = json.loads(Path(__file__).with_name("flink_words.json").read_text())
PLACES = FLINK["places"]
REFUSED = "-"
#: Difference: FINAL before a minus is a name here, and in Flink the FINAL of MATCH_RECOGNIZE.
DIFFERENT = {("FINAL", "watermark"): "+"}
#: Positions that allow only a name, so that the error for a reserved word explains how to quote it.
NAMES = {"ddl", "create_table", "table", "alias", "row_ddl", "field", "qualified", "insert", "view", "key"}
#: Words that begin another clause in that position.
BEGINNINGS = {"CONSTRAINT", "LATERAL", "LIKE", "SELECT", "TABLE", "UNIQUE", "UNNEST", "VALUES", "WATERMARK", "WITH"}


def words():
    """Each word with Flink's answer by position."""
    for answer in FLINK["answers"]:
        taken = PLACES if answer["taken_in"] == "everywhere" else answer["taken_in"]
        outcomes = {place: "+" if place in taken else answer["other_meaning"].get(place, REFUSED) for place in PLACES}
        for word in answer["words"].split():
            yield word, outcomes


def columns(place, word):
    """The columns of the position's query; empty for another statement."""
    env = TableEnvironment()
    *before, last = [text.replace("{W}", word).replace("{Q}", f"`{word}`") for text in PLACES[place]]
    for statement in before:
        env.execute_sql(statement)
    if last.startswith(("SELECT", "WITH")):
        schema = env.sql_query(last).get_schema()
        return ", ".join(f"`{column.name}` {column.data_type}" for column in schema.columns)
    if last.startswith("INSERT"):
        env.compile_plan_sql(last)
    else:
        env.execute_sql(last)
    return ""


@pytest.mark.parametrize("step", [30, pytest.param(3, marks=pytest.mark.wide), pytest.param(1, marks=pytest.mark.deep)])
@pytest.mark.parametrize("place", PLACES)
def test_a_word_is_a_name_where_it_is_one_in_flink(place, step):
    """`make test` has every position with a thirtieth of the words, `make test-wide` with a third of them."""
    plain = columns(place, "A")
    wrong = {}
    for word, outcomes in list(words())[list(PLACES).index(place) % step :: step]:
        expected = DIFFERENT.get((word, place), outcomes[place])
        try:
            actual = columns(place, word)
        except CompiledPlanError as fault:
            if expected != REFUSED:
                wrong[word] = fault.message
            elif place in NAMES and word not in BEGINNINGS and f"`{word}`" not in fault.remedy:
                wrong[word] = f"not told to quote: {fault.message}; {fault.remedy}"
            continue
        if expected == REFUSED or actual != (
            plain.replace("`A`", f"`{word}`") if expected == "+" else expected.replace("{W}", word)
        ):
            wrong[word] = f"{actual} instead of {expected}"
    assert wrong == {}


def test_the_case_of_a_word_does_not_matter_for_the_grammar_and_does_for_the_name():
    env = TableEnvironment()
    env.execute_sql("CREATE TABLE t (`user` STRING, `Current_User` INT) WITH ('connector' = 'datagen')")
    assert env.sql_query("SELECT user, Current_User FROM t").get_schema().get_column_names() == ["user", "Current_User"]
    with pytest.raises(CompiledPlanError, match="column 'USER' not found"):
        env.sql_query("SELECT USER FROM t")
