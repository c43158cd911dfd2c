"""The format `json`. Source: Flink's page "JSON"."""

from __future__ import annotations

from compiled_plan.plans.connectors.columns import json_columns
from compiled_plan.plans.connectors.common import JSON_OPTIONS, flag
from compiled_plan.plans.connectors.format_spec import FormatSpec
from compiled_plan.plans.connectors.table_options import Use

SPEC = FormatSpec(
    "json",
    "An object a line, or an array of objects, each a row.",
    {
        **JSON_OPTIONS,
        "fail-on-missing-field": flag("Fail where a field is not there; else it is NULL.", uses=Use.SOURCE),
        "decode.json-parser.enabled": flag("Read by a parser of fields and not of whole objects.", "true", Use.SOURCE),
    },
    extension="json",
    messages=True,
    not_both=(("ignore-parse-errors", "fail-on-missing-field"),),
    unfit=json_columns("json"),
)
