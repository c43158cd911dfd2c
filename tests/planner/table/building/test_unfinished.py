"""Unfinished operations are not tables: errors name the operation and the call that must follow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from compiled_plan import (
    Cumulate,
    Over,
    Schema,
    Session,
    Slide,
    Table,
    TableDescriptor,
    TableEnvironment,
    Tumble,
    col,
    lit,
)
from compiled_plan.plans.errors import CompiledPlanError, ProgramError, UnsupportedError
from tests.support.table_api import environment

TEN = lit(10).minutes
OPERATIONS = ["execute", "where", "join", "insert_into", "to_pandas", "describe", "explain", "columns", "union_all"]
MADE: dict[str, tuple[Callable[[Table], Any], str]] = {
    "a grouped table": (lambda bid: bid.group_by(col("item")), "group_by(...).select("),
    "an aggregated table": (
        lambda bid: bid.group_by("item").aggregate(col("price").sum.alias("x")),
        "aggregate(...).select(...)",
    ),
    "a table with a group window": (
        lambda bid: bid.window(Tumble.over(TEN).on(col("bidtime")).alias("w")),
        '.group_by(col("w"), ...).select(...)',
    ),
    "a table with windows of OVER": (
        lambda bid: bid.over_window(Over.partition_by("item").order_by("bidtime").alias("w")),
        '.over(col("w"))',
    ),
    "a table as of a time": (lambda bid: bid.as_of(col("bidtime")), "join(...) or left_outer_join(...)"),
    "a window": (lambda bid: Tumble.over(TEN).on("bidtime"), "table.window(Tumble"),
    "a sliding window without its slide": (lambda bid: Slide.over(TEN), ".every(lit(5).minutes)"),
    "a cumulating window without its step": (lambda bid: Cumulate.over(TEN), ".step(lit(2).minutes)"),
    "a window of OVER": (lambda bid: Over.partition_by("item"), "table.over_window("),
    "the builder of a schema": (lambda bid: Schema.new_builder(), ".build()"),
    "the builder of a table descriptor": (lambda bid: TableDescriptor.for_connector("print"), ".build()"),
}


@pytest.fixture(scope="module")
def env() -> TableEnvironment:
    return environment()


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("what", MADE)
def test_flip_155_an_incomplete_operation_has_no_table_methods(
    env: TableEnvironment, what: str, operation: str
) -> None:
    make, remedy = MADE[what]
    half = make(env.from_path("Bid"))
    with pytest.raises(ProgramError) as fault:
        getattr(half, operation)()
    assert fault.value.message == f"{what} has no {operation!r}"
    assert fault.value.where == f"{operation}()" and remedy in fault.value.remedy
    assert isinstance(fault.value, AttributeError) and not hasattr(half, operation)


TAKING: dict[str, Callable[[TableEnvironment, Any], object]] = {
    "join": lambda env, half: env.from_path("Bid").join(half),
    "left_outer_join": lambda env, half: env.from_path("Bid").left_outer_join(half, col("x") == col("y")),
    "union_all": lambda env, half: env.from_path("Bid").union_all(half),
    "minus": lambda env, half: env.from_path("Bid").minus(half),
    "create_temporary_view": lambda env, half: env.create_temporary_view("v", half),
    "add_insert": lambda env, half: env.create_statement_set().add_insert("T", half),
}


@pytest.mark.parametrize("operation", TAKING)
@pytest.mark.parametrize("what", ["a grouped table", "a table with windows of OVER", "a window"])
def test_an_incomplete_operation_is_no_operand(env: TableEnvironment, what: str, operation: str) -> None:
    make, remedy = MADE[what]
    with pytest.raises(ProgramError) as fault:
        TAKING[operation](env, make(env.from_path("Bid")))
    assert fault.value.message == f"{operation}() takes a Table, not {what}"
    assert fault.value.where == f"{operation}()" and remedy in fault.value.remedy


def test_an_incomplete_operation_has_no_sql_name_and_no_rows(env: TableEnvironment) -> None:
    grouped = env.from_path("Bid").group_by("item")
    with pytest.raises(ProgramError, match="a grouped table has no name in SQL"):
        env.sql_query(f"SELECT * FROM {grouped}")
    with pytest.raises(ProgramError, match="a grouped table cannot be iterated over"):
        list(grouped)


WINDOWS: dict[str, tuple[Callable[[], Any], str, str]] = {
    "tumble without on": (lambda: Tumble.over(TEN), "the window has no time", '.on(col("ts"))'),
    "slide without on": (lambda: Slide.over(TEN).every(TEN), "the window has no time", '.on(col("ts"))'),
    "session without on": (lambda: Session.with_gap(TEN), "the window has no time", '.on(col("ts"))'),
    "cumulate without on": (lambda: Cumulate.over(TEN).step(TEN), "the window has no time", '.on(col("ts"))'),
    "a group window without on": (lambda: Tumble.over(TEN).alias("w"), "the window has no time", '.on(col("ts"))'),
    "slide without every": (lambda: Slide.over(TEN), "not a sliding window without its slide", ".every("),
    "cumulate without step": (lambda: Cumulate.over(TEN), "not a cumulating window without its step", ".step("),
    "a class": (lambda: Tumble, "takes a window, not Tumble", "Tumble.over("),
    "a text": (lambda: "10 minutes", "takes a window, not '10 minutes'", "Tumble.over("),
    "none": (lambda: None, "takes a window, not None", "Tumble.over("),
}


@pytest.mark.parametrize("what", WINDOWS)
def test_flip_155_incomplete_windows(env: TableEnvironment, what: str) -> None:
    make, message, remedy = WINDOWS[what]
    with pytest.raises(ProgramError) as fault:
        env.from_path("Bid").window(make())
    assert message in fault.value.message and fault.value.where == "window()" and remedy in fault.value.remedy


WRONG: dict[str, tuple[Callable[[Table], object], str, str]] = {
    "over without order": (
        lambda bid: bid.over_window(Over.partition_by("item").alias("w")),
        "the window 'w' has no order",
        ".order_by(",
    ),
    "over without a name": (
        lambda bid: bid.over_window(Over.partition_by("item").order_by("bidtime")),
        "the window has no name",
        '.alias("w")',
    ),
    "over without a window": (lambda bid: bid.over_window(), "over_window() has no window", "Over.partition_by("),
    "over a text": (
        lambda bid: bid.over_window("w"),  # type: ignore[arg-type]
        "takes windows of OVER, not 'w'",
        "Over.partition_by(",
    ),
    "a class that begins with another call": (
        lambda bid: Tumble.on(col("bidtime")),  # type: ignore[attr-defined]
        "Tumble has no 'on'",
        "Tumble.over(",
    ),
    "a class that is called": (lambda bid: Session(), "Session is not made by a call", "Session.with_gap("),
    "a window of another kind": (
        lambda bid: Tumble.over(TEN).partition_by("item"),  # type: ignore[attr-defined]
        "a window has no 'partition_by'",
        "Session .partition_by(...)",
    ),
    "an alias that is no name": (
        lambda bid: Tumble.over(TEN).alias(3),  # type: ignore[arg-type]
        "3 is no name of a window",
        '.alias("w")',
    ),
    "a schema that is not built": (
        lambda bid: TableDescriptor.for_connector("print").schema(Schema.new_builder().column("a", "INT")),
        "schema() takes a Schema, not SchemaBuilder",
        ".build()",
    ),
    "a descriptor that is not built": (
        lambda bid: bid.insert_into(TableDescriptor.for_connector("print")),  # type: ignore[arg-type]
        "insert_into() takes a table's name or a TableDescriptor, not TableDescriptorBuilder",
        ".build()",
    ),
    "a text for a list of fields": (
        lambda bid: bid.fillna(1, "price"),
        "fillna() takes a list of fields, not 'price'",
        "write ['price']",
    ),
    "a column for a list of fields": (
        lambda bid: bid.dropna(1, col("price")),  # type: ignore[arg-type]
        "dropna() takes a list of fields, not col('price')",
        "write [col('price')]",
    ),
    "nothing for a list of fields": (
        lambda bid: bid.deduplicate(None, "bidtime"),  # type: ignore[arg-type]
        "deduplicate() takes a list of fields, not None",
        'write [col("a"), col("b")]',
    ),
    "neither first nor last": (
        lambda bid: bid.deduplicate(["item"], "bidtime", "last"),  # type: ignore[arg-type]
        "keep_first of deduplicate() is True or False, not 'last'",
        "False for the last",
    ),
    "flat_aggregate": (
        lambda bid: bid.group_by("item").flat_aggregate(col("price").sum),
        "flat_aggregate() takes a table aggregate function, and this function gives one DECIMAL(38, 2) for a group",
        "udtaf(...)",
    ),
}


@pytest.mark.parametrize("what", WRONG)
def test_an_incomplete_operation_names_the_next_call(env: TableEnvironment, what: str) -> None:
    use, message, remedy = WRONG[what]
    with pytest.raises(CompiledPlanError) as fault:
        use(env.from_path("Bid"))
    assert isinstance(fault.value, ProgramError | UnsupportedError)
    assert message in fault.value.message and remedy in fault.value.remedy


MISUSED: dict[str, tuple[Callable[[TableEnvironment], object], str, str]] = {
    "a query that is a table": (lambda env: env.sql_query(env.from_path("T")), "SQL is a text", "SELECT ..."),  # type: ignore[arg-type]
    "a statement that is None": (lambda env: env.execute_sql(None), "SQL is a text, not None", "SELECT ..."),  # type: ignore[arg-type]
    "a plan's path": (
        lambda env: env.load_plan("plan.json"),  # type: ignore[arg-type]
        "load_plan() takes a PlanReference, not 'plan.json'",
        "PlanReference.from_file(",
    ),
    "a plan's path to execute": (
        lambda env: env.execute_plan("plan.json"),  # type: ignore[arg-type]
        "execute_plan() takes a PlanReference, not 'plan.json'",
        "PlanReference.from_file(",
    ),
    "rows that are a text": (lambda env: env.from_values("abc"), "takes a list of rows, not 'abc'", "[(1, "),
    "rows that are one row": (lambda env: env.from_values({"a": 1}), "takes a list of rows, not {'a': 1}", "[(1, "),
    "rows that are None": (lambda env: env.from_values(None), "takes a list of rows, not None", "[(1, "),  # type: ignore[arg-type]
    "names that come twice": (
        lambda env: env.from_values([(1, 2)], ["a", "a"]),
        "two columns are named 'a'",
        "a name of its own",
    ),
    "a sink that is a table": (
        lambda env: env.from_path("T").insert_into(env.from_path("T")),  # type: ignore[arg-type]
        "insert_into() takes a table's name or a TableDescriptor, not Table",
        "TableDescriptor.for_connector(",
    ),
    "columns that are a text": (
        lambda env: env.from_path("T").insert_into("T", columns="abc"),
        "insert_into() takes a list of fields, not 'abc'",
        "['abc']",
    ),
    "options that are a list": (
        lambda env: env.from_path("T").insert_into("T", options=["a"]),  # type: ignore[arg-type]
        "the options of a sink are a mapping",
        "options={",
    ),
    "a connector without a name": (
        lambda env: TableDescriptor.for_connector(None),  # type: ignore[arg-type]
        "for_connector() takes a name, not None",
        "not empty",
    ),
    "a method of Java": (
        lambda env: env.createTemporaryView("v", env.from_path("T")),  # type: ignore[attr-defined]
        "TableEnvironment has no 'createTemporaryView'",
        "write create_temporary_view",
    ),
    "a table's method of Java": (
        lambda env: env.from_path("T").executeInsert("T"),
        "the table has no column 'executeInsert'",
        "the method is execute_insert",
    ),
    "an expression's method, misspelt": (
        lambda env: col("a").upercase,  # type: ignore[attr-defined]
        "col('a') has no 'upercase'",
        "did you mean 'upper_case'?",
    ),
    "a result that is iterated over": (
        lambda env: list(env.execute_sql("SHOW TABLES")),  # type: ignore[call-overload]
        "a result cannot be iterated over",
        "result.collect()",
    ),
    "an option's value that is None": (
        lambda env: env.get_config().set("a", None),  # type: ignore[arg-type]
        "the value of 'a' is a text, not None",
        "SET",
    ),
}


@pytest.mark.parametrize("what", MISUSED)
def test_objects_used_wrongly(env: TableEnvironment, what: str) -> None:
    use, message, remedy = MISUSED[what]
    with pytest.raises(CompiledPlanError) as fault:
        use(env)
    assert message in fault.value.message and remedy in fault.value.remedy
