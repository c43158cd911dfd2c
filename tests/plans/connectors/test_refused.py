"""Flink's connectors, formats and options exist here or are refused by name with a reason.

`flink_factories.json` has the declared options of Flink 2.3's factories, with those of its connectors for Kafka
(5.0) and JDBC (4.0).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from compiled_plan.plans.connectors.checks import table_faults
from compiled_plan.plans.connectors.refused import FLINK_CONNECTORS, FLINK_FORMATS
from compiled_plan.plans.connectors.registry import connector_spec, format_spec
from compiled_plan.plans.connectors.spec import ConnectorSpec
from compiled_plan.plans.connectors.table_options import Effect
from compiled_plan.plans.types import STRING, row_of

FACTORIES: Mapping[str, Mapping[str, list[str]]] = json.loads(
    Path(__file__).with_name("flink_factories.json").read_text(encoding="utf-8")
)
ROW = row_of(["v"], [STRING])


@pytest.mark.parametrize("name", FACTORIES)
def test_every_option_of_flink_is_declared(name: str) -> None:
    spec = connector_spec(name) or format_spec(name)
    if spec is None:
        assert (FLINK_CONNECTORS.get(name) or FLINK_FORMATS.get(name, "")) != ""
        return
    options = spec.all_options if isinstance(spec, ConnectorSpec) else spec.options
    groups = [group.prefix.rstrip(".") for group in spec.groups]
    factory = FACTORIES[name]
    option_names = {option for group in factory.values() for option in group if not option.startswith("fields.#.")}
    assert option_names - set(options) - set(groups) == set()
    required = {option for option in factory["required"] if not options[option].required}
    assert required == set()


def test_options_of_columns_of_datagen() -> None:
    spec = connector_spec("datagen")
    assert spec is not None and spec.column_options is not None
    refused = {
        name.rpartition(".")[2]
        for kind in ("random", "sequence")
        for type_ in ("v",)
        for name in spec.column_options(ROW, {f"fields.{type_}.kind": kind})
    }
    of_columns = {name.rpartition(".")[2] for name in FACTORIES["datagen"]["options"] if name.startswith("fields.#.")}
    # The bounds are those of numbers, and max-past is for times.
    assert of_columns - refused == {"min", "max", "max-past"}


@pytest.mark.parametrize("name", FLINK_CONNECTORS)
def test_connectors_are_refused_with_the_reason(name: str) -> None:
    (fault,) = table_faults("t", {"connector": name}, ROW, reading=True)
    assert fault.message == f"connector {name!r} is not supported: {FLINK_CONNECTORS[name]}"
    assert fault.foreign and not fault.supported and "kafka" in fault.remedy


@pytest.mark.parametrize("name", FLINK_FORMATS)
def test_formats_are_refused_with_the_reason(name: str) -> None:
    options = {"connector": "filesystem", "path": "p", "format": name, f"{name}.any": "x"}
    (fault,) = table_faults("t", options, ROW, reading=False)
    assert fault.message == f"format {name!r} is not supported: {FLINK_FORMATS[name]}"


@pytest.mark.parametrize(
    ("name", "option"),
    [
        (name, option)
        for name in FACTORIES
        if (spec := connector_spec(name)) is not None
        for option, declared in spec.options.items()
        if declared.effect is Effect.REFUSED
    ],
)
def test_options_are_refused_with_the_reason(name: str, option: str) -> None:
    spec = connector_spec(name)
    assert spec is not None
    required = {key: "x" for key, item in spec.all_options.items() if item.required}
    formats = {key: "json" for slot in spec.formats for key in slot.options[:1]}
    options = {"connector": name, **required, **formats, option: "x"}
    messages = [fault.message for fault in table_faults("t", options, ROW, reading=True)]
    assert f"option {option!r} of table t is not supported: {spec.options[option].why}" in messages


def test_options_of_files_that_are_flinks_own() -> None:
    options = {"connector": "filesystem", "path": "p", "format": "parquet", "parquet.compression": "GZIP"}
    assert list(table_faults("t", options, ROW, reading=True)) == []
    options["parquet.utc-timezone"] = "true"
    (fault,) = table_faults("t", options, ROW, reading=True)
    refusal = "option 'parquet.utc-timezone' of table t is not supported: it configures Flink's reader"
    assert fault.message.startswith(refusal)
