from __future__ import annotations

import pytest

from compiled_plan.planner.functions.aggregates import resolve_aggregate
from compiled_plan.plans.errors import ProgramError, UnsupportedError
from compiled_plan.plans.types import parse_type


@pytest.mark.parametrize(
    ("name", "args", "wanted"),
    [
        ("COUNT", [], "BIGINT NOT NULL"),
        ("COUNT", ["STRING"], "BIGINT NOT NULL"),
        ("SUM", ["TINYINT"], "TINYINT"),
        ("SUM", ["FLOAT"], "FLOAT"),
        ("SUM", ["DECIMAL(20, 5)"], "DECIMAL(38, 5)"),
        ("SUM", ["INT NOT NULL"], "INT NOT NULL"),
        ("AVG", ["INT"], "INT"),
        ("AVG", ["DECIMAL(10, 2)"], "DECIMAL(38, 6)"),
        ("AVG", ["DECIMAL(20, 8)"], "DECIMAL(38, 8)"),
        ("STDDEV", ["DECIMAL(10, 2)"], "DECIMAL(38, 6)"),
        ("VAR_POP", ["DOUBLE"], "DOUBLE"),
        ("MIN", ["VARCHAR(10) NOT NULL"], "VARCHAR(10) NOT NULL"),
        ("MAX", ["TIMESTAMP(3)"], "TIMESTAMP(3)"),
        ("FIRST_VALUE", ["ARRAY<INT>"], "ARRAY<INT>"),
        ("LISTAGG", ["STRING NOT NULL", "CHAR(1) NOT NULL"], "STRING NOT NULL"),
        ("COLLECT", ["INT"], "MULTISET<INT> NOT NULL"),
        ("ARRAY_AGG", ["INT NOT NULL"], "ARRAY<INT NOT NULL> NOT NULL"),
        ("ARRAY_AGG", ["INT"], "ARRAY<INT>"),
        ("PERCENTILE", ["INT", "DECIMAL(2, 1) NOT NULL"], "DOUBLE"),
        ("PERCENTILE", ["INT", "ARRAY<DECIMAL(2, 1) NOT NULL> NOT NULL"], "ARRAY<DOUBLE>"),
        ("JSON_OBJECTAGG", ["STRING", "STRING"], "VARCHAR(2000) NOT NULL"),
    ],
)
def test_types_of_aggregates(name: str, args: list[str], wanted: str) -> None:
    assert resolve_aggregate(name, [parse_type(arg) for arg in args]).type == parse_type(wanted)


@pytest.mark.parametrize("name", ["SUM", "AVG", "MIN", "MAX", "FIRST_VALUE", "STDDEV_POP", "SINGLE_VALUE"])
def test_without_groups_or_with_a_filter_there_may_be_no_value(name: str) -> None:
    known = [parse_type("INT NOT NULL")]
    assert not resolve_aggregate(name, known).type.nullable
    assert resolve_aggregate(name, known, group_by_empty=True).type.nullable
    assert resolve_aggregate(name, known, has_filter=True).type.nullable


@pytest.mark.parametrize("name", ["COUNT", "COLLECT", "ARRAY_AGG", "JSON_ARRAYAGG"])
def test_collections_and_counts_are_never_null(name: str) -> None:
    assert not resolve_aggregate(name, [parse_type("INT NOT NULL")], group_by_empty=True).type.nullable


@pytest.mark.parametrize(
    ("name", "args", "wanted"),
    [
        ("ROW_NUMBER", [], "BIGINT NOT NULL"),
        ("PERCENT_RANK", [], "DOUBLE NOT NULL"),
        ("NTILE", ["INT NOT NULL"], "BIGINT NOT NULL"),
        ("LAG", ["INT NOT NULL"], "INT"),
        ("LAG", ["INT", "INT NOT NULL"], "INT"),
        ("LEAD", ["INT NOT NULL", "INT NOT NULL", "INT NOT NULL"], "INT NOT NULL"),
        # The previous row may have a null. Flink declares NOT NULL, and the null becomes -1 or an empty text.
        ("LAG", ["INT", "INT NOT NULL", "INT NOT NULL"], "INT"),
    ],
)
def test_types_of_window_functions(name: str, args: list[str], wanted: str) -> None:
    assert resolve_aggregate(name, [parse_type(arg) for arg in args], over=True).type == parse_type(wanted)


def test_names_in_plans() -> None:
    assert resolve_aggregate("stddev", [parse_type("INT")]).internal_name == "$STDDEV_SAMP$1"
    assert resolve_aggregate("variance", [parse_type("INT")]).internal_name == "$VAR_SAMP$1"
    assert resolve_aggregate("count", []).syntax == "FUNCTION_STAR"
    assert resolve_aggregate("json_arrayagg", [parse_type("STRING")]).internal_name == "$JSON_ARRAYAGG_ABSENT_ON_NULL$1"


def test_the_share_of_a_percentile_is_a_double() -> None:
    aggregate = resolve_aggregate("PERCENTILE", [parse_type("INT"), parse_type("DECIMAL(2, 1) NOT NULL")])
    assert aggregate.arg_types == (parse_type("INT"), parse_type("DOUBLE NOT NULL"))


@pytest.mark.parametrize(
    ("name", "args"),
    [("SUM", ["STRING"]), ("AVG", ["BOOLEAN"]), ("LISTAGG", ["INT"]), ("MAX", ["ARRAY<INT>"]), ("SUM", []), ("NO", [])],
)
def test_wrong_arguments_are_refused(name: str, args: list[str]) -> None:
    with pytest.raises(ProgramError):
        resolve_aggregate(name, [parse_type(arg) for arg in args])


def test_ranks_need_over() -> None:
    with pytest.raises(ProgramError, match="needs an OVER clause"):
        resolve_aggregate("RANK", [])


def test_an_approximate_count_is_refused_as_in_flink() -> None:
    with pytest.raises(UnsupportedError, match="not supported in streaming"):
        resolve_aggregate("APPROX_COUNT_DISTINCT", [parse_type("INT")])
