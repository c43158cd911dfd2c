"""Options as typed values: reads, writes, copies, and the typed view of a session's options."""

from __future__ import annotations

import datetime as dt

import pytest

from compiled_plan.planner.options.configuration import ConfigOption, ConfigOptions, Configuration
from compiled_plan.planner.options.option_methods import SqlDialect
from compiled_plan.planner.options.session import TableConfig
from compiled_plan.plans.errors import ProgramError, UnsupportedError


def test_typed_options_are_read_as_they_were_set() -> None:
    options = Configuration().set_integer("i", 5).set_boolean("b", True).set_float("f", 0.5)
    options.set_bytearray("y", bytearray(b"\x01\xff")).set_string("s", "text")
    assert options.to_dict() == {"i": "5", "b": "true", "f": "0.5", "y": "01ff", "s": "text"}
    assert (options.get_integer("i", 0), options.get_boolean("b", False), options.get_float("f", 0.0)) == (5, True, 0.5)
    assert (options.get_bytearray("y", bytearray()), options.get_string("s", "")) == (bytearray(b"\x01\xff"), "text")
    assert (options.get_integer("none", 7), options.get_boolean("none", True)) == (7, True)


@pytest.mark.parametrize("read", ["get_integer", "get_boolean", "get_float", "get_bytearray"])
def test_a_value_of_another_type_is_refused(read: str) -> None:
    with pytest.raises(ProgramError, match="the value of 'key' is 'text', which is no"):
        getattr(Configuration.from_dict({"key": "text"}), read)("key", 0)


def test_a_copy_is_independent_and_a_prefix_is_added() -> None:
    options = Configuration.from_dict({"a": "1"})
    copied = Configuration(options)
    assert copied == options and copied.add_all(options, "p.").to_dict() == {"a": "1", "p.a": "1"}
    assert options.to_dict() == {"a": "1"} and copied.remove_config("a") and not copied.remove_config("a")


@pytest.mark.parametrize(("text", "values"), [("[a, 'b']", ["a", "b"]), ("a;b", ["a", "b"]), ("[]", []), ("", [])])
def test_lists(text: str, values: list[str]) -> None:
    assert Configuration.parse_list_value(text) == values


def test_a_declared_option_has_a_key_and_a_default() -> None:
    assert ConfigOptions.key("k").int_type().default_value(3) == ConfigOption("k", 3)
    assert ConfigOptions.key("k").string_type().no_default_value() == ConfigOption("k")


def test_the_typed_view_of_a_session_checks_and_sets_its_options() -> None:
    config = TableConfig()
    typed = config.get_configuration().set_boolean("table.exec.mini-batch.enabled", True)
    assert config.to_map() == {"table.exec.mini-batch.enabled": "true"}
    with pytest.raises(ProgramError):
        typed.set_string("table.exec.mini-batch.enabled", "perhaps")
    config.add_configuration(Configuration.from_dict({"a": "1"}))
    assert config.get("a") == "1" and config.get("none", "default") == "default"


def test_options_with_methods_of_their_own() -> None:
    config = TableConfig()
    config.set_idle_state_retention(dt.timedelta(minutes=5))
    config.set_local_timezone("GMT+02:00")
    config.set_max_generated_code_length(9000)
    config.set_sql_dialect(SqlDialect.DEFAULT)
    assert config.to_map() == {
        "table.exec.state.ttl": "300000 ms",
        "table.local-time-zone": "GMT+02:00",
        "table.generated-code.max-length": "9000",
        "table.sql-dialect": "default",
    }
    assert config.get_idle_state_retention() == dt.timedelta(minutes=5) and config.get_local_timezone() == "GMT+02:00"
    assert config.get_max_generated_code_length() == 9000 and config.get_sql_dialect() is SqlDialect.DEFAULT
    with pytest.raises(UnsupportedError, match="the SQL dialect HIVE is not supported"):
        config.set_sql_dialect(SqlDialect.HIVE)
