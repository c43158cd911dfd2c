"""The operators' state in a pipeline's checkpoint."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query

from compiled_plan.service.common.texts import Argument
from compiled_plan.service.runs.asking import ask
from compiled_plan.service.store import pipelines
from compiled_plan.service.store.errors import NotFoundError
from compiled_plan.service.web.depends import Name, PartsOf, Viewer
from compiled_plan.service.web.runs import RunsOf

router = APIRouter(prefix="/pipelines/{name}/state", tags=["state"])
_Text = Annotated[Argument, Query(max_length=1000)]
_Texts = Annotated[list[_Text] | None, Query(max_length=100)]


@router.get("", summary="State statistics by operator, or the state of a key")
def state(
    who: Viewer,
    parts: PartsOf,
    runs: RunsOf,
    name: Name,
    operator: _Text = "",
    key: _Texts = None,
    what_if: _Texts = None,
) -> dict[str, Any]:
    """The document of `inspect-state --json`, with `operator`, `key=COLUMN=VALUE` or `what_if=ENTRY=DURATION`.

    It starts Spark, which takes some seconds; a run continues meanwhile.
    """
    with parts.database.read() as session:
        checkpoint = runs.checkpoint(pipelines.find(session, name).id)
    if not checkpoint.is_dir():
        raise NotFoundError("the pipeline has no state, since it has never run", where=name, remedy="start it")
    options = [str(checkpoint), *([operator] if operator else []), "--json"]
    options += [part for item in key or () for part in ("--key", item)]
    options += [part for item in what_if or () for part in ("--what-if", item)]
    return ask(runs.inspect, options)
