"""Reports of a run after each micro-batch."""

from __future__ import annotations

import pytest

from compiled_plan.plans.execution.batches.progress import (
    OperatorProgress,
    ended_at,
    figures_of,
    lag_of,
    source_name,
    watermark_ms,
    watermark_text,
)
from compiled_plan.plans.inspection.checkpoints import StateFigures


@pytest.mark.parametrize(
    ("description", "name"),
    [
        ("FileStreamSource[file:/data/in]", "/data/in"),
        ("FileStreamSource[s3a://bucket/in]", "s3a://bucket/in"),
        ("KafkaV2[Subscribe[orders]]", "orders"),
        ("org.compiledplan.kernel.datagen.NumberStream@723984f3", "NumberStream"),
        ("a source", "a source"),
    ],
)
def test_names_of_sources(description: str, name: str) -> None:
    assert source_name(description) == name


def test_an_unknown_source_is_named_after_its_table() -> None:
    assert source_name("org.compiledplan.kernel.datagen.NumberStream@723984f3", "c.d.orders") == "c.d.orders"
    assert source_name("KafkaV2[Subscribe[orders]]", "c.d.clicks") == "orders"


@pytest.mark.parametrize(
    ("read", "latest", "lag"),
    [
        ('{"t": {"0": 5, "1": 3}}', '{"t": {"0": 9, "1": 3}}', 4),
        ('{"t": {"0": 5}}', '{"t": {"0": 5, "1": 7}}', 7),
        ('{"t": {"0": 9}}', '{"t": {"0": 5}}', 0),
        ('{"logOffset": 3}', '{"logOffset": 4}', None),
        ("5", "9", None),
        ('{"t": {"0": 5}}', None, None),
        (None, None, None),
        ("not json", "not json", None),
    ],
)
def test_lags(read: str | None, latest: str | None, lag: int | None) -> None:
    assert lag_of(read, latest) == lag


def test_state_sizes_of_earlier_releases_are_readable() -> None:
    assert StateFigures.read('{"a": 3}') == StateFigures({"a": 3}, {})
    assert StateFigures.read(None) == StateFigures({}, {})
    operators = [OperatorProgress("a", "", 1, 1, 3, 30), OperatorProgress("b", "", 1, 1, 2, None)]
    sizes = figures_of(operators, {})
    assert sizes == StateFigures({"a": 3, "b": 2}, {"a": 30})
    assert StateFigures.read(sizes.text()) == sizes


def test_times() -> None:
    assert ended_at("2026-01-01T00:00:00.500Z", 700) == "2026-01-01T00:00:01.200Z"
    assert watermark_text("1970-01-01T00:00:00.000Z") is None
    assert watermark_text("2026-01-01T00:00:00.000Z") == "2026-01-01T00:00:00.000Z"
    assert watermark_text(None) is None


def test_the_watermark_in_milliseconds() -> None:
    """The end of the input moves it to the end of time, which exceeds Python's datetime."""
    assert watermark_ms(None) is None
    assert watermark_ms("1970-01-01T00:00:00.000Z") is None
    assert watermark_ms("2024-01-01T00:00:00.500Z") == 1_704_067_200_500
    assert watermark_ms("+294247-01-10T04:00:54.775Z") == 9_223_372_036_854_775
