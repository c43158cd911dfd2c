"""The pages with tables, and the functions that generate the tables."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from tools.reference import (
    checkpoint,
    commands,
    connectors,
    conversions,
    folders,
    functions,
    nodes,
    options,
    platforms,
    refused,
    service,
    spark,
    spark_internals,
    upgrades,
)

ROOT = Path(__file__).resolve().parent.parent.parent
_TABLE = re.compile(r"(<!-- table: (?P<name>[\w-]+) -->\n).*?(<!-- end -->)", re.DOTALL)
PAGES: tuple[Path, ...] = tuple(
    page
    for page in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
    if _TABLE.search(page.read_text(encoding="utf-8"))
)

TABLES: Mapping[str, Callable[[], str]] = {
    **{name: partial(commands.options, name) for name in commands.COMMANDS},
    "compiled-plan": commands.umbrella,
    "shared-options": commands.shared,
    "state-formats": checkpoint.state_formats,
    "exit-codes": commands.exit_codes,
    "connectors": connectors.connectors,
    "connector-options": connectors.connector_options,
    "catalogs": connectors.catalogs,
    "catalog-options": connectors.catalog_options,
    "metadata": connectors.metadata,
    "formats": connectors.formats,
    "format-options": connectors.format_options,
    "connectors-refused": connectors.refused,
    "conversions": conversions.conversions,
    "functions": functions.functions,
    "aggregates": functions.aggregates_,
    "functions-refused": functions.refused,
    "nodes": nodes.nodes,
    "nodes-refused": nodes.refused,
    "node-fields": nodes.fields,
    "options": options.options,
    "options-without-effect": options.without_effect,
    "options-refused": options.refused,
    "refused": refused.refusals,
    "service-settings": service.settings,
    "service-run-settings": service.run_settings,
    "service-routes": service.routes,
    "service-states": service.states,
    "spark-versions": spark.versions,
    "spark-matrix": spark.matrix,
    **{f"platform-{name}": partial(platforms.releases, name) for name in platforms.RELEASES},
    "spark-internals": spark_internals.internals,
    "changes": upgrades.changes,
    "some-changes": upgrades.some,
    "folders": folders.folders,
    "java-layers": folders.java_layers,
    "java-packages": folders.java,
    "layers": folders.layers,
    "pipeline": folders.pipeline,
}


def names(text: str) -> list[str]:
    """The names of a page's tables."""
    return [match["name"] for match in _TABLE.finditer(text)]


def current(text: str) -> str:
    """The page with updated tables.

    Raises:
        KeyError: an unknown table.
    """
    return _TABLE.sub(lambda match: f"{match[1]}\n{TABLES[match['name']]()}\n\n{match[3]}", text)
