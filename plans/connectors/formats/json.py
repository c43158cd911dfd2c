"""The format `json`. Source: Flink's page "JSON"."""

from __future__ import annotations

from compiled_plan.plans.connectors.columns import json_columns
from compiled_plan.plans.connectors.common import JSON_OPTIONS, flag
from compiled_plan.plans.connectors.format_spec import FormatSpec
from compiled_plan.plans.connectors.table_options import Use

SPEC = FormatSpec(
    "json",
    "An object per line or message, or an array of objects, one per row.",
    {
        **JSON_OPTIONS,
        "fail-on-missing-field": flag("Fail if a field is missing; otherwise it is NULL.", uses=Use.SOURCE),
        "decode.json-parser.enabled": flag("Parse field by field instead of whole objects.", "true", Use.SOURCE),
    },
    extension="json",
    messages=True,
    not_both=(("ignore-parse-errors", "fail-on-missing-field"),),
    unfit=json_columns("json"),
)
