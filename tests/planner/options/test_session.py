"""Options: accepted values and defaults."""

from __future__ import annotations

from pathlib import Path

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.planner.options.session import OPTIONS, Effect, TableConfig
from compiled_plan.planner.physical import session_options
from compiled_plan.plans.errors import ProgramError
from compiled_plan.plans.text.durations import parse_duration
from compiled_plan.plans.text.options import Kind


def test_defaults_are_not_among_the_set_options() -> None:
    config = TableConfig({"table.exec.state.ttl": "1 h"})
    assert dict(config) == {"table.exec.state.ttl": "1 h"}
    assert config.value("table.exec.mini-batch.size") == "-1"
    assert config.value("no.such.key") == ""
    assert not config.boolean("table.exec.source.cdc-events-duplicate")


def test_reset() -> None:
    config = TableConfig({"a": "1", "table.dml-sync": "true"})
    config.reset("table.dml-sync")
    assert not config.boolean("table.dml-sync")
    config.reset()
    assert len(config) == 0


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("table.exec.state.ttl", "2 d"),
        ("table.exec.state.ttl", "60000"),
        ("table.exec.mini-batch.enabled", "TRUE"),
        ("table.exec.sink.not-null-enforcer", "drop"),
        ("table.exec.spill-compression.block-size", "128 kb"),
        ("my.own.key", "anything"),
    ],
)
def test_valid_values(key: str, value: str) -> None:
    config = TableConfig()
    config.set(key, value)
    assert config[key] == value


@pytest.mark.parametrize(
    ("key", "value", "remedy"),
    [
        ("table.exec.state.ttl", "forever", "whole number and a unit"),
        ("table.exec.state.ttl", "-1 s", ""),
        ("table.exec.mini-batch.enabled", "yes", "'true' or 'false'"),
        ("table.exec.mini-batch.size", "many", "whole number"),
        ("table.exec.sink.not-null-enforcer", "MAYBE", "ERROR, DROP"),
        ("table.exec.spill-compression.block-size", "64 apples", "size"),
        ("table.optimizer.runtime-filter.min-filter-ratio", "half", "number"),
    ],
)
def test_invalid_values(key: str, value: str, remedy: str) -> None:
    with pytest.raises(ProgramError) as caught:
        TableConfig().set(key, value)
    assert key in caught.value.message and value in caught.value.message
    assert remedy in caught.value.remedy


def test_defaults_fit_their_options() -> None:
    for key, option in OPTIONS.items():
        if option.default:
            config = TableConfig()
            config.set(key, option.default)
            assert config.value(key) == option.default
            if option.kind is Kind.DURATION:
                parse_duration(option.default)


def test_misspelt_keys_have_a_nearest_one() -> None:
    config = TableConfig()
    assert config.nearest("table.exec.state.tll") == "table.exec.state.ttl"
    assert config.nearest("table.exec.state.ttl") is None
    assert config.nearest("my.own.key") is None


def test_the_reference_is_right_about_the_effect_of_options(root: Path) -> None:
    """The reference is right about options: one with an effect is read somewhere, one without is not."""
    code = [
        path.read_text(encoding="utf-8")
        for folder in ("compiled_plan", "planner", "plans", "cli")
        for path in _modules(root / folder)
    ]
    read = {key for key in OPTIONS if any(f'"{key}"' in text for text in code)}
    refused = {item.key for item in session_options.REFUSED}
    assert {key for key, option in OPTIONS.items() if option.effect is not Effect.NONE} <= read
    assert {key for key in read - refused if OPTIONS[key].effect is Effect.NONE} == set()


def _modules(folder: Path) -> list[Path]:
    declaring = [folder / "options" / name for name in ("session.py", "option_methods.py")]
    return [path for path in folder.rglob("*.py") if path not in declaring]


@pytest.mark.parametrize(
    ("key", "near"),
    [
        ("table.exec.state-ttl", "table.exec.state.ttl"),
        ("table.exec.mini-batch.enable", "table.exec.mini-batch.enabled"),
        ("table.local-timezone", "table.local-time-zone"),
    ],
)
def test_a_misspelt_option_is_refused_from_each_source(key: str, near: str) -> None:
    def by_program() -> None:
        TableEnvironment().compile_script(f"SET '{key}' = '1 h';")

    def by_environment() -> None:
        TableEnvironment({key: "1 h"})

    def by_config() -> None:
        TableEnvironment().get_config().set(key, "1 h")

    for source in (by_program, by_environment, by_config):
        with pytest.raises(ProgramError) as raised:
            source()
        assert (
            raised.value.message == f"no option is named {key!r}" and raised.value.remedy == f"did you mean {near!r}?"
        )


@pytest.mark.parametrize(
    "key",
    [
        "table.exec.shuffle-mode",
        "table.exec.legacy-transformation-uids",
        "table.optimizer.source.predicate-pushdown-enabled",
        "table.optimizer.source.aggregate-pushdown-enabled",
        "table.optimizer.cnf-nodes-limit",
        "table.optimizer.join.null-filter-threshold",
        "table.exec.fallback-legacy-time-function",
        "table.exec.hive.infer-source-parallelism",
        "table.planner",
        "state.backend.type",
    ],
)
def test_options_of_other_releases_of_flink_are_not_refused(key: str) -> None:
    assert TableConfig().set(key, "x")[key] == "x"
