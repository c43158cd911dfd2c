"""Errors of runs in a program: wording, one line, causes in debug mode."""

from __future__ import annotations

import ast
import re
import traceback
from collections.abc import Iterator
from pathlib import Path

import pytest

from compiled_plan.plans.errors import CheckpointError, ExecutionError
from compiled_plan.running.errors import DEBUG_VARIABLE, command_terms, in_python, reported, set_debug

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("name a folder with --checkpoint", "name a folder with checkpoint"),
        ("--reset join-1 --warm-up join-1 rebuilds it", 'reset=["join-1"], warm_up=["join-1"] rebuilds it'),
        ("--warm-up x1: no operator of this uid", 'warm_up=["x1"]: no operator of this uid'),
        ("--warm-up-from has no effect without --warm-up", "warm_up_from has no effect without warm_up"),
        (
            "--warm-up-from \"orders=('connector' = 'filesystem', ...)\" names a table",
            "warm_up_from={\"orders\": {'connector': 'filesystem', ...}} names a table",
        ),
        ("start with --allow-clock-jump", "start with allow_clock_jump=True"),
        ("which --upgrade migrate-partial accepts", 'which upgrade="migrate-partial" accepts'),
        ("give --host native, or omit (x, --upgrade)", 'give host="native", or omit (x, upgrade)'),
        ("--trigger real-time=0 leaves no time", 'trigger="real-time=0" leaves no time'),
        ("more with --conf spark.driver.memory=8g; start", "more with Spark's setting spark.driver.memory=8g; start"),
        ("check --master, --conf and the log", "check Spark's master, Spark's settings and the log"),
        ("give id too: --key id=...", 'give id too: key={"id": "..."}'),
        ("run with --debug for Spark's stack", "run with debug=True (or COMPILED_PLAN_DEBUG=1) for Spark's stack"),
        ("`execute-plan PLAN.json --checkpoint DIR` makes one", "`execute-plan PLAN.json --checkpoint DIR` makes one"),
        ("a--b, --allowNonRestoredState", "a--b, --allowNonRestoredState"),
    ],
)
def test_options_are_keyword_arguments(text: str, expected: str) -> None:
    assert in_python(text) == expected
    assert in_python(expected) == expected


#: Options in texts that only commands print.
_OF_COMMANDS = {"for", "graph", "lineage", "metrics-port", "program-ttls", "no", "with", "adopt-generation"}
#: Options of spark-submit.
_OF_COMMANDS |= {"name", "jars", "driver-class-path", "driver-memory", "driver-java-options", "properties-file"}


def _mentions() -> Iterator[tuple[str, str]]:
    """Options in the texts of the executor and the compiler, with their files."""
    for folder in ("plans", "planner"):
        for path in (ROOT / folder).rglob("*.py"):
            source = path.read_text(encoding="utf-8")
            for node in ast.walk(ast.parse(source)) if "--" in source else ():
                if isinstance(node, ast.Constant) and isinstance(node.value, str) and "\n\n" not in node.value:
                    text = re.sub(r"`[^`]*`", "", node.value)
                    for mention in re.finditer(r"(?<![\w-])--[a-z]+(?:-[a-z]+)*(?![\w-])(?: [\w.=-]+)?", text):
                        yield mention[0], str(path.relative_to(ROOT))


def test_all_options_in_texts_of_runs_are_reworded() -> None:
    mentions = list(_mentions())
    assert len(mentions) > 40
    for text, file in mentions:
        if text.split()[0].removeprefix("--") not in _OF_COMMANDS:
            shown = in_python(text)
            assert "--" not in shown.replace("`execute-plan --", ""), file
            value = re.search(r'"([a-z]+)"', shown)
            assert value is None or value[1] in ("id", "once", "migrate", "correct", "earliest", "orders", "name"), (
                f"{file}: add {value[1]!r} to the prose"
            )


@pytest.fixture(autouse=True)
def debug(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.delenv(DEBUG_VARIABLE, raising=False)
    yield
    set_debug(None)


def _failing() -> None:
    try:
        raise ValueError("a long stack trace")
    except ValueError as fault:
        raise ExecutionError("it fails:\n  - twice\n  - loudly", where="node 3", remedy="add --reset") from fault


def test_an_error_is_one_line_without_causes() -> None:
    with pytest.raises(ExecutionError) as caught, reported():
        _failing()
    error = caught.value
    assert str(error) == "it fails: twice; loudly (at: node 3); try: add reset"
    assert (error.__cause__, error.__suppress_context__) == (None, True)
    assert isinstance(error.__context__, ValueError)
    assert "_failing" not in [frame.name for frame in traceback.extract_tb(error.__traceback__)]
    assert error._render_traceback_() == [f"ExecutionError: {error}"]  # type: ignore[attr-defined]


@pytest.mark.parametrize("by_variable", [True, False])
def test_debug_mode_keeps_causes(by_variable: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if by_variable:
        monkeypatch.setenv(DEBUG_VARIABLE, "1")
    else:
        set_debug(True)
    with pytest.raises(ExecutionError) as caught, reported():
        _failing()
    assert isinstance(caught.value.__cause__, ValueError)
    assert not hasattr(caught.value, "_render_traceback_")


def test_an_error_that_is_raised_again_is_the_same() -> None:
    fault = CheckpointError("cannot start", remedy="give --checkpoint DIR")
    texts = []
    for _ in range(2):
        with pytest.raises(CheckpointError) as caught, reported():
            raise fault
        texts.append(str(caught.value))
    assert texts == ['cannot start; try: give checkpoint="DIR"'] * 2


def test_a_command_shows_its_own_options() -> None:
    with pytest.raises(ExecutionError) as caught, command_terms(), reported():
        _failing()
    assert caught.value.remedy == "add --reset"
    assert isinstance(caught.value.__cause__, ValueError)
    with pytest.raises(ExecutionError, match="try: add reset"), reported():
        _failing()
