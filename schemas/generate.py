"""Generator of `compiled-plan.schema.json` from the node declarations: `make schema`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from pydantic.json_schema import models_json_schema

from compiled_plan.plans.nodes.base import PlanNode, StateSlot
from compiled_plan.plans.nodes.fields import DEFINITION
from compiled_plan.plans.nodes.model import PlanModel
from compiled_plan.plans.nodes.registry import all_node_types
from compiled_plan.plans.nodes.unsupported import OpaqueNode
from compiled_plan.plans.plan import FLINK_VERSION, Edge
from compiled_plan.schemas import schema_path
from compiled_plan.schemas.definitions import Schema, chosen_by, definitions, ref


def build() -> Schema:
    """Build the schema from the current declarations."""
    types = all_node_types()
    models: list[Any] = [(model, "validation") for model in (*types.values(), Edge)]
    _, generated = models_json_schema(models, by_alias=True, ref_template="#/$defs/{model}")
    schemas: dict[str, Schema] = {name: _cleaned(schema) for name, schema in generated["$defs"].items()}
    classes = {model.__name__: model for model in _subclasses(PlanModel)}
    schemas = {name: _nullable(classes[name], schema) for name, schema in schemas.items()}
    defs = {name: _discriminated(schema, schemas) for name, schema in schemas.items()} | definitions()
    for model in types.values():
        defs[model.__name__] = _node(model, defs[model.__name__])
    defs["Node"] = chosen_by("type", {name: ref(model.__name__) for name, model in sorted(types.items())})
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"Compiled plan of Flink {FLINK_VERSION}",
        "type": "object",
        "properties": {
            "$schema": {"type": "string"},
            "flinkVersion": {"type": "string", "pattern": "^[0-9]+\\.[0-9]+$"},
            "nodes": {"type": "array", "items": ref("Node")},
            "edges": {"type": "array", "items": ref("Edge")},
        },
        "required": ["flinkVersion", "nodes", "edges"],
        "additionalProperties": False,
        "$defs": dict(sorted(defs.items())),
    }


def text() -> str:
    """The text of the schema file."""
    return printed(build()) + "\n"


def printed(value: object, indent: str = "", label: str = "", width: int = 119) -> str:
    """JSON in which an object or array takes one line if it fits into `width` columns and a comma."""
    line = indent + label + json.dumps(value)
    if len(line) <= width or not value or not isinstance(value, dict | list):
        return line
    labels = [f"{json.dumps(name)}: " for name in value] if isinstance(value, dict) else [""] * len(value)
    items = value.values() if isinstance(value, dict) else value
    start, end = "{}" if isinstance(value, dict) else "[]"
    inner = (printed(item, indent + "  ", name, width) for name, item in zip(labels, items, strict=True))
    joined = ",\n".join(inner)
    return f"{indent}{label}{start}\n{joined}\n{indent}{end}"


def _cleaned(value: object, key: str = "") -> Any:
    """Remove titles and defaults, and insert references to the handwritten definitions."""
    if isinstance(value, dict):
        if DEFINITION in value:
            return ref(value[DEFINITION])
        named = key in ("properties", "$defs")
        return {
            name: _cleaned(item, name)
            for name, item in value.items()
            if named or name not in ("title", "default", "discriminator")
        }
    return [_cleaned(item) for item in value] if isinstance(value, list) else value


def _subclasses(model: type[PlanModel]) -> Iterator[type[PlanModel]]:
    yield model
    for child in model.__subclasses__():
        yield from _subclasses(child)


def _nullable(model: type[PlanModel], schema: Schema) -> Schema:
    """Allow null for all fields with a default."""
    optional = {info.alias or name for name, info in model.model_fields.items() if not info.is_required()}
    properties = {name: _or_null(item) if name in optional else item for name, item in schema["properties"].items()}
    return schema | {"properties": properties}


def _or_null(schema: Schema) -> Schema:
    null = {"type": "null"}
    # A discriminator is never null.
    if schema == {} or "const" in schema or null in schema.get("anyOf", ()):
        return schema
    simple = isinstance(schema.get("type"), str) and "enum" not in schema
    return schema | {"type": [schema["type"], "null"]} if simple else {"anyOf": [schema, null]}


def _discriminated(value: object, defs: dict[str, Schema]) -> Any:
    """Turn unions of objects into choices by the value of one property, for precise errors."""
    if isinstance(value, list):
        return [_discriminated(item, defs) for item in value]
    if not isinstance(value, dict):
        return value
    if len(value.get("anyOf", ())) == 2 and value["anyOf"][1] == {"type": "null"}:
        # A union with null becomes a condition, so that errors concern the value that is not null.
        return {"if": {"not": {"type": "null"}}, "then": _discriminated(value["anyOf"][0], defs)}
    # Several references are a union of objects.
    names = [item["$ref"].rpartition("/")[2] for item in value.get("oneOf", ()) if "$ref" in item]
    if len(names) < 2 or len(names) != len(value["oneOf"]):
        return {name: _discriminated(item, defs) for name, item in value.items()}
    for key in ("type", "strategy", "kind"):
        tags = {name: defs[name]["properties"].get(key, {}).get("const") for name in names}
        absent = [name for name, tag in tags.items() if tag is None]
        if len(absent) <= 1:
            choices = {str(tag): ref(name) for name, tag in tags.items() if tag is not None}
            return chosen_by(key, choices, ref(absent[0]) if absent else None)
    raise ValueError(f"no property tells {', '.join(names)} apart")


def _node(model: type[PlanNode], schema: Schema) -> Schema:
    """Extend a node's schema with declarations outside its fields: the type, the state entries."""
    properties = {"id": schema["properties"]["id"], "type": {"const": model.type_name()}} | schema["properties"]
    node = schema | {"properties": properties, "required": ["type", *schema["required"]]}
    if issubclass(model, OpaqueNode):
        return node
    if model.STATE:
        node["properties"]["state"] = _state(model.STATE)
        node["required"] = [*node["required"], "state"]
    if not model.KEEPS_STATE:
        properties.pop("ttlAsCompiled")
        if "uid" not in model.__annotations__:
            properties.pop("uid")
    return node


def _state(slots: tuple[StateSlot, ...]) -> Schema:
    entry = {
        "allOf": [
            ref("StateEntry"),
            {"properties": {"index": {"enum": [slot.index for slot in slots]}}},
            *(
                {
                    "if": {"properties": {"index": {"const": slot.index}}, "required": ["index"]},
                    "then": {"properties": {"name": {"const": slot.name}}},
                }
                for slot in slots
            ),
        ]
    }
    return {"type": "array", "items": entry, "minItems": len(slots), "maxItems": len(slots)}


def main() -> None:
    schema_path().write_text(text(), encoding="utf-8")


if __name__ == "__main__":
    main()
