"""The folder of records that cannot be read: where a table may have one."""

from __future__ import annotations

import pytest

from compiled_plan.plans.connectors.checks import table_faults
from compiled_plan.plans.types import INT, row_of

FILES = {"connector": "filesystem", "path": "/data/in", "format": "json"}
MESSAGES = {"connector": "kafka", "topic": "t", "properties.bootstrap.servers": "b:1", "format": "avro"}


def faults(options: dict[str, str], *, reading: bool = True) -> list[str]:
    return [each.message for each in table_faults("t", options, row_of(["a"], [INT]), reading=reading)]


@pytest.mark.parametrize("folder", ["/data/dead", "/data/in-dead", "s3://bucket/dead"])
def test_a_folder_beside_the_table(folder: str) -> None:
    assert faults({**FILES, "dead-letter.path": folder}) == []
    assert faults({**MESSAGES, "dead-letter.path": folder}) == []


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({**FILES, "dead-letter.path": " "}, "is empty"),
        ({**FILES, "dead-letter.path": "/data/in"}, "is in the table's own folder"),
        ({**FILES, "dead-letter.path": "file:///data/in/dead/"}, "is in the table's own folder"),
        ({**FILES, "format": "avro", "dead-letter.path": "/d"}, "is not for files of format 'avro'"),
        ({**FILES, "format": "parquet", "dead-letter.path": "/d"}, "is not for files of format 'parquet'"),
        (
            {**FILES, "dead-letter.path": "/d", "json.ignore-parse-errors": "true"},
            "has both 'dead-letter.path' and 'json.ignore-parse-errors'",
        ),
        ({"connector": "datagen", "dead-letter.path": "/d"}, "connector 'datagen' of table t has no option"),
    ],
)
def test_where_there_can_be_none(options: dict[str, str], text: str) -> None:
    assert any(text in message for message in faults(options))


def test_a_table_that_is_written_heeds_it_not() -> None:
    assert faults({**FILES, "dead-letter.path": "/data/in"}, reading=False) == []
