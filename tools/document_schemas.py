"""Write the JSON Schemas of the commands' JSON output from the models of the documents: `make schema`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from compiled_plan.plans.execution.state.flink.report import ExportReport, ImportReport
from compiled_plan.plans.execution.state.reading import model as state
from compiled_plan.plans.inspection.diff import document as diff
from compiled_plan.schemas import DIFF, EXPORT, IMPORT, STATE, schema_path
from compiled_plan.schemas.generate import printed

SCHEMAS: Mapping[str, Callable[[], dict[str, Any]]] = {
    DIFF: diff.schema,
    STATE: state.schema,
    IMPORT: ImportReport.json_schema,
    EXPORT: ExportReport.json_schema,
}


def text(name: str) -> str:
    """The text of a schema file."""
    return printed(SCHEMAS[name]()) + "\n"


def main() -> None:
    """Write the files."""
    for name in SCHEMAS:
        schema_path(name).write_text(text(name), encoding="utf-8")


if __name__ == "__main__":
    main()
