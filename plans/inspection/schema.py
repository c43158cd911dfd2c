"""Validation of a plan against the JSON Schema of plan files."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from compiled_plan import schemas
from compiled_plan.plans.findings import Finding, did_you_mean, shown
from compiled_plan.plans.text.masking import masked_json
from compiled_plan.plans.text.spans import pointer_of
from compiled_plan.plans.trees import TreePath, fold_tree

#: JSON, and its pointer.
_Place = tuple[object, TreePath | str]


def schema_findings(data: object) -> list[Finding]:
    """Violations of the JSON Schema."""
    # The validator recurses ten frames a level, and does not always survive a stack overflow.
    whole, *parts = _cut(data)
    violations = _broken_rules(whole.value, "#", data)
    if not parts:
        return violations
    for part in parts:
        violations += _broken_rules(part.value, _EXPRESSION, data, part.steps)
    return sorted(violations, key=lambda finding: finding.pointer)


_EXPRESSION = "#/$defs/RexNode"
#: Levels of expressions validated at a time, and the placeholder for deeper expressions.
_LEVELS = 20
_CUT = {"kind": "LITERAL", "value": None, "type": "NULL"}
#: Maximum nesting of any JSON: no plan has more, and its error could not be printed.
_JSON_LEVELS = 400


def _broken_rules(value: object, rule: str, plan: object, path: Sequence[str | int] = ()) -> list[Finding]:
    # Imported here: only this command needs it, and the import is slow.
    import jsonschema

    schema = schemas.load() if rule == "#" else {"$ref": rule, "$defs": schemas.load()["$defs"]}
    errors = jsonschema.Draft202012Validator(schema).iter_errors(value)
    return [
        _finding(error, plan, path) for error in sorted(errors, key=lambda error: [str(part) for part in error.path])
    ]


@dataclass(frozen=True)
class _Piece:
    value: object
    steps: Sequence[str | int] = ()


class _Copy(NamedTuple):
    """JSON of a plan, the levels of expressions in it, and the levels of all JSON."""

    value: object
    height: int = 0
    levels: int = 0


def _cut(data: object) -> list[_Piece]:
    """Cut a plan into shallow pieces: the whole, then deep expressions, each with its path."""
    pieces: list[_Piece] = []

    def copied(place: _Place, below: tuple[_Copy, ...]) -> _Copy:
        value, path = place
        if not isinstance(value, dict | list):
            return _Copy(value)
        height = max((child.height for child in below), default=0)
        levels = 1 + max((child.levels for child in below), default=0)
        if levels > _JSON_LEVELS:
            return _Copy(None)
        if isinstance(value, list):
            return _Copy([child.value for child in below], height, levels)
        copy = dict(zip(value, (child.value for child in below), strict=True))
        if "kind" not in value:
            return _Copy(copy, height, levels)
        if height < _LEVELS or not isinstance(path, TreePath):
            return _Copy(copy, height + 1, levels)
        pieces.append(_Piece(copy, path.steps()))
        return _Copy(_CUT)

    root: _Place = (data, "")
    return [_Piece(fold_tree(root, _inside, copied).value), *pieces]


def _inside(place: _Place) -> list[_Place]:
    value, path = place
    if isinstance(value, dict):
        return [(item, TreePath(path, key)) for key, item in value.items()]
    return [(item, TreePath(path, at)) for at, item in enumerate(value)] if isinstance(value, list) else []


def _finding(error: Any, plan: object, path: Sequence[str | int]) -> Finding:
    parts = [*path, *error.absolute_path]
    name = str(parts[-1]) if parts else "the plan"
    value = masked_json(error.instance, name)
    node = _node_of(parts, plan)
    match error.validator:
        case "required":
            missing = next(iter(re.findall(r"^'(.*)' is a required", error.message)), "")
            return Finding(
                pointer_of((*parts, missing)), f"the field `{missing}` is missing", f"add `{missing}`", None, node
            )
        case "additionalProperties" | "unevaluatedProperties":
            extra = next(iter(re.findall(r"'([^']*)'", error.message)), "")
            return Finding(pointer_of((*parts, extra)), f"unknown field `{extra}`", "remove it", None, node)
        case "enum" | "const":
            known = error.validator_value if isinstance(error.validator_value, list) else [error.validator_value]
            remedy = did_you_mean(str(value), [str(item) for item in known])
            return Finding(pointer_of(parts), f"unknown value {shown(value)} for `{name}`", remedy, value, node)
        case "type":
            kinds = error.validator_value
            wanted = " or ".join(kinds) if isinstance(kinds, list) else str(kinds)
            return Finding(pointer_of(parts), f"`{name}` must be {wanted}, not {shown(value)}", "", value, node)
    return Finding(
        pointer_of(parts), f"`{name}` breaks the schema's rule `{error.validator}`: {shown(value)}", "", value, node
    )


def _node_of(parts: list[str | int], plan: Any) -> str:
    if len(parts) < 2 or parts[0] != "nodes":
        return ""
    node = plan["nodes"][parts[1]]
    return f"{shown(node.get('id'))} ({node.get('type')})" if isinstance(node, dict) else ""
