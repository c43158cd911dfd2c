"""Functions of semi-structured values. Access to fields and elements is in `collections`.

Source: Flink docs, "System (Built-in) Functions", variant functions; result types of Flink 2.3's queries.
"""

from __future__ import annotations

from compiled_plan.planner.functions.signatures import BOOL, TEXT, Function, fixed, form, nullable
from compiled_plan.plans.types import VARIANT

_FORMS = (form(TEXT), form(TEXT, BOOL))

FUNCTIONS: tuple[Function, ...] = (
    Function("PARSE_JSON", _FORMS, fixed(VARIANT), nulls=True).api(
        "x.parse_json(allow_duplicate_keys=None)", "PARSE_JSON: the VARIANT of a JSON text, which must be valid."
    ),
    Function("TRY_PARSE_JSON", _FORMS, nullable(VARIANT), nulls=True).api(
        "x.try_parse_json(allow_duplicate_keys=None)", "TRY_PARSE_JSON: the VARIANT of a JSON text; NULL if invalid."
    ),
)
