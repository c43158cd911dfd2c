"""The specs of connectors and formats: complete, each with its executor, and sufficient for message connectors."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

from compiled_plan.plans import connectors, execution
from compiled_plan.plans.connectors import listing, registry, specs
from compiled_plan.plans.connectors.checks import changelog_of, formats_of, table_faults, unknown_format_options
from compiled_plan.plans.connectors.jars import Package
from compiled_plan.plans.connectors.refused import FLINK_CONNECTORS, FLINK_FORMATS
from compiled_plan.plans.connectors.registry import (
    connector_spec,
    connector_specs,
    format_spec,
    format_specs,
    module_name,
)
from compiled_plan.plans.connectors.spec import (
    KEY_AND_VALUE,
    Boundedness,
    ConnectorSpec,
    Guarantee,
    Metadata,
    SinkSpec,
    SourceSpec,
)
from compiled_plan.plans.connectors.table_options import Effect, OptionGroup, TableOption, Use
from compiled_plan.plans.inspection.lineage.table_identity import options_of, place_of
from compiled_plan.plans.nodes.tables import CatalogTable
from compiled_plan.plans.text.options import Kind
from compiled_plan.plans.types import INT, STRING, row_of
from compiled_plan.plans.types.changelog import ChangelogMode

IN_PROCESS = ("inline", "collect", "testing")
ROW = row_of(["k", "v"], [INT, STRING])


def specs_in(folder: str) -> list[str]:
    return [path.stem for path in (Path(connectors.__file__).parent / folder).glob("*.py") if path.stem != "__init__"]


def test_every_module_has_the_name_of_its_connector_or_format() -> None:
    assert {module_name(name) for name in (*connector_specs(), *IN_PROCESS)} == set(specs_in("specs"))
    assert {module_name(name) for name in format_specs()} == set(specs_in("formats"))
    assert connector_spec("nothing") is connector_spec(None) is connector_spec("../print") is format_spec("") is None
    assert not FLINK_CONNECTORS.keys() & set(connector_specs()) and not FLINK_FORMATS.keys() & set(format_specs())


@pytest.mark.parametrize("name", [*connector_specs(), *IN_PROCESS])
def test_every_use_of_a_connector_has_its_executor(name: str) -> None:
    from compiled_plan.plans.execution.interfaces import connectors as base

    spec = connector_spec(name)
    assert spec is not None
    import_module(f"compiled_plan.plans.execution.connectors.{module_name(name)}")
    lookups = base.whole_lookup_connector if spec.lookup is not None and spec.lookup.joins else base.lookup_connector
    uses = {Use.SOURCE: base.source_connector, Use.SINK: base.sink_connector, Use.LOOKUP: lookups}
    assert [use for use, registered in uses.items() if name in registered] == [use for use in Use if use in spec.uses]


def test_every_format_has_its_executor_and_no_executor_is_without_a_spec() -> None:
    from compiled_plan.plans.execution.formats.lines import LineFormat, file_format

    for name, spec in format_specs().items():
        assert file_format(name).spec is spec
    folder = Path(execution.__file__).parent
    shared = {"__init__", "base", "options", "hadoop", "lines", "brokers", "messages", "message_source", "message_sink"}
    shared |= {"transactions", "dead_letters", "partition_commits"}
    modules = {path.stem for path in (folder / "formats").glob("*.py")} - shared
    # Line formats that only the kernel reads and writes need no module of their own.
    plain = {module_name(name) for name in format_specs() if type(file_format(name)) is LineFormat}
    assert plain == {"json", "debezium_json", "ogg_json", "maxwell_json"}
    assert modules == set(specs_in("formats")) - plain
    assert {path.stem for path in (folder / "connectors").glob("*.py")} - shared == set(specs_in("specs"))


def test_every_option_says_what_it_is_and_its_default_is_a_value_of_it() -> None:
    for spec in (*connector_specs().values(), *format_specs().values()):
        assert spec.doc.endswith(".")
        for name, option in spec.options.items():
            assert option.doc.endswith("."), (spec.name, name)
            assert not option.default or option.unfit(name, option.default) is None, (spec.name, name)
            assert all(fallback in spec.options for fallback in option.fallbacks)
            assert (option.effect is Effect.REFUSED) == bool(option.why), (spec.name, name)
            if not isinstance(spec, ConnectorSpec) or option.effect is not Effect.USED:
                continue
            assert option.uses & spec.uses, (spec.name, name)


def test_values_have_their_kind_and_options_that_are_not_declared_are_not_read() -> None:
    jdbc = connector_spec("jdbc")
    assert jdbc is not None
    values = jdbc.values({"lookup.cache": "partial", "lookup.cache.ttl": "1 min", "lookup.partial-cache.max-rows": "7"})
    assert values.text("lookup.cache") == "PARTIAL"
    assert values.number("lookup.partial-cache.expire-after-write") == 60_000
    assert (values.number("lookup.partial-cache.max-rows"), values.number("lookup.max-retries")) == (7, 3)
    assert values.flag("lookup.partial-cache.cache-missing-key") and values.get("driver") is None
    with pytest.raises(KeyError):
        values.get("lookup.cache.size")


def test_the_listing_is_json_of_all_that_is_declared() -> None:
    document = listing.to_dict()
    files = document["connectors"]["filesystem"]
    path = next(option for option in files["options"] if option["name"] == "path")
    assert path == {
        "name": "path",
        "type": "a path or URI",
        "choices": [],
        "default": None,
        "required": True,
        "effect": "used",
        "why": None,
        "uses": ["source", "sink"],
        "doc": "The file or folder; any Hadoop URI.",
    }
    assert files["source"]["changelog"] == ["INSERT"] and files["lookup"] is None
    assert document["connectors"]["jdbc"]["lookup"] == {"caches": True}
    assert {item["name"] for item in document["formats"]["maxwell-json"]["metadata"]} >= {"database", "table"}
    assert set(document["connectors"]) == set(connector_specs()) and set(document["formats"]) == set(format_specs())


# ------------------------------------------------------------ a message connector declared here

MESSAGES = ConnectorSpec(
    "messages",
    "Messages with a key.",
    {
        "topic": TableOption(Kind.TEXT, doc="Where they are.", required=True),
        "scan.bounded.mode": TableOption(Kind.CHOICE, "unbounded", ("unbounded", "latest"), doc="When it ends."),
        "sink.delivery-guarantee": TableOption(
            Kind.CHOICE, "at-least-once", ("none", "at-least-once", "exactly-once"), doc="How.", passive=True
        ),
    },
    source=SourceSpec(bounded=Boundedness.BY_OPTION),
    sink=SinkSpec(guarantee=Guarantee.AT_LEAST_ONCE),
    formats=KEY_AND_VALUE,
    groups=(OptionGroup("properties.", "What the client's library takes."),),
    metadata={
        "offset": Metadata(INT.not_null(), "Where in its partition the message is."),
        "timestamp": Metadata(INT, "Its time.", written=INT),
    },
    place=("topic",),
    packages=(Package("org.example:messages:1", "0" * 64, "org.example.Messages"),),
)


@pytest.fixture
def messages(monkeypatch: pytest.MonkeyPatch) -> ConnectorSpec:
    name = f"{specs.__name__}.messages"
    module = ModuleType(name)
    module.SPEC = MESSAGES  # type: ignore[attr-defined]
    module.__spec__ = specs.__spec__
    monkeypatch.setitem(sys.modules, name, module)
    registry._spec.cache_clear()
    yield MESSAGES
    registry._spec.cache_clear()


def faults(**options: str) -> list[str]:
    table_options = {key.replace("__", "-").replace("_", "."): value for key, value in options.items()}
    return [fault.message for fault in table_faults("t", {"connector": "messages", **table_options}, ROW, reading=True)]


def test_formats_of_keys_and_values_have_their_own_options(messages: ConnectorSpec) -> None:
    assert faults(topic="t", format="json") == []
    both = {"topic": "t", "key_format": "csv", "value_format": "debezium-json"}
    assert faults(**both, key_csv_field__delimiter=";", value_debezium__json_ignore__parse__errors="true") == []
    assert faults(**both, key_csv_field__delimiter=";;") == [
        "invalid value ';;' for the option 'key.csv.field-delimiter' of table t"
    ]
    assert faults(topic="t", key_format="csv") == ["table t has no format, which connector 'messages' requires"]
    assert faults(topic="t", format="json", key_format="cvs") == ["no format is named 'cvs'"]
    table_options = {
        "connector": "messages",
        "key.format": "csv",
        "value.format": "debezium-json",
        "key.csv.nonsense": "1",
    }
    assert [spec.name for spec in formats_of(table_options, messages).values()] == ["debezium-json", "csv"]
    assert changelog_of(table_options, reading=True) is ChangelogMode.ALL
    assert list(unknown_format_options(table_options)) == ["key.csv.nonsense"]


def test_options_of_a_group_are_passed_unchanged(messages: ConnectorSpec) -> None:
    assert faults(topic="t", format="json", properties_anything_at_all="x") == []
    assert faults(topic="t", format="json", property="x") == [
        "connector 'messages' of table t has no option 'property'"
    ]


def test_lineage_knows_the_place_and_what_shapes_no_row(messages: ConnectorSpec) -> None:
    options = {"connector": "messages", "topic": "orders", "sink.delivery-guarantee": "none", "properties.a": "b"}
    table = CatalogTable.model_validate(
        {"identifier": "`c`.`d`.`t`", "resolvedTable": {"schema": {"columns": []}, "options": options}}
    )
    assert dict(options_of(table)) == {"connector": "messages", "topic": "orders", "properties.a": "b"}
    assert place_of(table, str) == {"connector": "messages", "topic": "orders"}


def test_the_listing_has_groups_writable_metadata_guarantees_and_jars(messages: ConnectorSpec) -> None:
    document = listing.connector_dict(messages)
    assert document["groups"] == [{"name": "properties.*", "doc": "What the client's library takes."}]
    assert [(item["name"], item["writable"]) for item in document["metadata"]] == [
        ("offset", False),
        ("timestamp", True),
    ]
    assert document["sink"] == {"changelog": ["INSERT"], "guarantee": Guarantee.AT_LEAST_ONCE.value}
    assert document["formats"] == [["value.format", "format"], ["key.format"]]
    assert document["jars"] == ["org.example:messages:1"]
