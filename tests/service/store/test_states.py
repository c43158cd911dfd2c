"""States have the same names everywhere."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from compiled_plan.service.app import application
from compiled_plan.service.common.settings import Settings
from compiled_plan.service.store.states import RunState

NAMES = [state.value for state in RunState]


def keys(text: str, declaration: str) -> list[str]:
    """The keys of an object in a script."""
    match = re.search(rf"{declaration} = {{(.*?)^}}", text, re.DOTALL | re.MULTILINE)
    assert match is not None
    return re.findall(r'^  "?([a-z-]+)"?:', match[1], re.MULTILINE)


def test_the_badges_of_the_page_are_the_states(root: Path) -> None:
    scripts = root / "service/page/js"
    assert keys((scripts / "components/badges.js").read_text(), "const WORDS") == NAMES
    assert sorted(keys((scripts / "components/icons.js").read_text(), "const STATES")) == sorted(NAMES)
    figures = (scripts / "figures.js").read_text()
    with_figures, alive = (
        json.loads(match) for match in re.findall(r"(\[[^\]]*\])\.includes\(pipeline", figures)[::-1]
    )
    assert with_figures == [state for state in NAMES if RunState(state).has_figures]
    assert sorted(alive + with_figures) == sorted(state for state in NAMES if RunState(state).is_alive)


def test_the_schema_of_the_api_has_the_states(settings: Settings) -> None:
    schema: dict[str, Any] = application(settings).openapi()
    assert schema["components"]["schemas"]["RunState"]["enum"] == NAMES
    state = schema["components"]["schemas"]["PipelineDocument"]["properties"]["state"]
    assert all(f"`{name}`: " in state["description"] for name in NAMES)
