"""Files and code that a table's options reach, as its connector declares."""

from __future__ import annotations

from collections.abc import Mapping

from compiled_plan.plans.connectors import jdbc_urls
from compiled_plan.plans.connectors.reached import Reached
from compiled_plan.plans.connectors.registry import connector_spec


def reached_by(options: Mapping[str, str]) -> tuple[Reached, ...]:
    """Files and code that a table reaches; if its connector declares none, those that database URLs reach."""
    spec = connector_spec(options.get("connector"))
    if spec is not None and spec.reached is not None:
        return tuple(spec.reached(options))
    urls = (value for value in options.values() if value.lower().startswith("jdbc:"))
    return tuple(reached for url in urls for reached in jdbc_urls.reached({"url": url}))
