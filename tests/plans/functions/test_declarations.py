from __future__ import annotations

import pytest

from compiled_plan.plans.errors import ProgramError
from compiled_plan.plans.functions.declarations import declared_kind, declared_signatures
from compiled_plan.plans.functions.definitions import FunctionKind


@pytest.mark.parametrize(
    ("text", "signatures", "results"),
    [
        ("() -> INT", ["f()"], ["INT"]),
        ("(INT, STRING) -> BIGINT", ["f(INT, STRING)"], ["BIGINT"]),
        ("(n => INT NOT NULL, s => STRING) -> BIGINT", ["f(n => INT NOT NULL, s => STRING)"], ["BIGINT"]),
        ("(STRING, INT...) -> STRING", ["f(STRING, INT...)"], ["STRING"]),
        (
            "(MAP<STRING, ROW<a INT, b DECIMAL(10, 2)>>) -> ARRAY<INT>; (DOUBLE) -> ROW<`x->y` INT, z STRING>;",
            ["f(MAP<STRING, ROW<`a` INT, `b` DECIMAL(10, 2)>>)", "f(DOUBLE)"],
            ["ARRAY<INT>", "ROW<`x->y` INT, `z` STRING>"],
        ),
    ],
)
def test_signatures(text: str, signatures: list[str], results: list[str]) -> None:
    declared = declared_signatures(text, FunctionKind.SCALAR)
    assert [item.text("f").replace("VARCHAR(2147483647)", "STRING") for item in declared] == signatures
    assert [str(item.output.type).replace("VARCHAR(2147483647)", "STRING") for item in declared] == results
    assert [item.method for item in declared] == ["eval"] * len(declared)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the signature is empty"),
        ("INT -> BIGINT", "does not begin with its arguments"),
        ("(INT)", "has no result"),
        ("(INT -> BIGINT", "lacks a closing parenthesis"),
        ("(NUMBER) -> INT", "has no type 'NUMBER'"),
        ("(INT..., STRING) -> INT", "only the last argument may be repeated"),
    ],
)
def test_wrong_signatures(text: str, message: str) -> None:
    with pytest.raises(ProgramError, match=message):
        declared_signatures(text, FunctionKind.SCALAR)


def test_kinds() -> None:
    assert declared_kind({}) is FunctionKind.SCALAR
    assert declared_kind({"kind": "table"}) is FunctionKind.TABLE
    with pytest.raises(ProgramError, match="'WINDOW' is no kind of function"):
        declared_kind({"kind": "window"})
