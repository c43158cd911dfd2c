"""The imports in docs/pyflink.md, taken literally."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest

ROW = re.compile(r"^\| `from (pyflink\S*) import (\S+)` \| `from (\S+) import (\S+)` \|$", re.MULTILINE)
ROWS = ROW.findall((Path(__file__).parents[2] / "docs/pyflink.md").read_text(encoding="utf-8"))
#: A name of each module of PyFlink.
NAMES = {
    "pyflink.table": "TableEnvironment",
    "pyflink.table.expressions": "col",
    "pyflink.table.udf": "udf",
    "pyflink.table.window": "Tumble",
    "pyflink.table.catalog": "ObjectPath",
    "pyflink.table.types": "DataTypes",
    "pyflink.table.expression": "Expression",
    "pyflink.common": "Row",
    "pyflink.common.time": "Duration",
    "pyflink.common.typeinfo": "Types",
    "pyflink.datastream": "StreamExecutionEnvironment",
}


def test_all_rows_are_read() -> None:
    assert {module for module, *_ in ROWS} == set(NAMES)


@pytest.mark.parametrize(("module", "name", "own", "own_name"), ROWS)
def test_a_row_can_be_imported(module: str, name: str, own: str, own_name: str) -> None:
    assert name == own_name
    assert hasattr(import_module(own), NAMES[module])
