"""`object_of`: construction of structured values from fields.

Source: FLIP-520, "Value Construction".
"""

from __future__ import annotations

from compiled_plan.planner.sql import nodes as ast
from compiled_plan.planner.table.building.python_literals import node_of
from compiled_plan.planner.table.expressions.core import call_node, pairs_of, refuse
from compiled_plan.planner.table.expressions.expression import Expression, call_of
from compiled_plan.planner.table.expressions.types import type_node
from compiled_plan.plans.types import StructuredType
from compiled_plan.plans.types.classes import field_names, use_class
from compiled_plan.plans.types.conversions.data_types import DataType, DataTypes


def object_of(class_: str | type | DataType, *keys_and_values: object, **fields: object) -> Expression:
    """OBJECT_OF: a structured value, from alternating field names and values.

    `object_of("com.example.User", "name", "Bob", "age", 42)`; a class also accepts plain values in the order of its
    constructor: `object_of(User, "Bob", 42)`, `object_of(User, name="Bob", age=42)`.

    >>> import compiled_plan as cp
    >>> items = cp.TableEnvironment().from_values([("nut", 3)], ["item", "price"])
    >>> items.select(cp.object_of("com.example.Item", "name", cp.col("item")).alias("x"))
    Table(x STRUCTURED<'com.example.Item', `name` CHAR(3) NOT NULL>)

    Args:
        class_: the name of a class, which need not exist; a class; or a structured data type, to whose fields
            the values are cast.
        keys_and_values: alternating names and values; for a class or data type, also plain values.
        fields: by keyword.

    Raises:
        ProgramError: a name without a value, or a name that is no text; fields that the class or data type does not
            have; a class whose constructor does not declare its fields.
    """
    name, known, wanted = _named(class_)
    if known is not None and keys_and_values and not _are_pairs(keys_and_values, known):
        if len(keys_and_values) != len(known):
            raise refuse(
                f"{name} has {len(known)} field(s), and object_of() is given {len(keys_and_values)} value(s)",
                f"its fields are {', '.join(known)}",
            )
        keys_and_values = tuple(part for pair in zip(known, keys_and_values, strict=True) for part in pair)
    pairs = pairs_of("object_of", keys_and_values, fields)
    unknown = [key for key in pairs[::2] if known is not None and key not in known]
    if unknown:
        raise refuse(f"{name} has no field {unknown[0]}", f"its fields are {', '.join(known or ())}")
    node = call_node("OBJECT_OF", name, *pairs) if wanted is None else _of_type(wanted, name, pairs)
    return call_of(node, "object_of", class_, *keys_and_values)


def _named(class_: object) -> tuple[str, tuple[str, ...] | None, DataType | None]:
    """The name of a class, its fields if known, and its data type if given."""
    if isinstance(class_, str):
        return class_, None, None
    if isinstance(class_, type):
        fields = field_names(class_)
        if fields is None:
            raise refuse(
                f"the fields of class {class_.__name__} cannot be inferred from its constructor",
                "name its parameters, make it a dataclass, or give its name as a text",
            )
        return use_class(class_), fields, None
    data_type = DataTypes.of(class_) if isinstance(class_, DataType) or hasattr(class_, "ROOT") else None
    type_ = data_type.logical_type if data_type is not None else None
    if not isinstance(type_, StructuredType):
        raise refuse(f"object_of() makes no {class_!r}", "give a class, its name, or DataTypes.STRUCTURED(...)")
    return type_.class_name, type_.names, data_type


def _of_type(wanted: DataType, name: str, pairs: list[object]) -> ast.Expression:
    """The fields in the type's order and cast to the type; NULL for missing ones."""
    type_ = wanted.logical_type
    assert isinstance(type_, StructuredType)
    fields = dict(zip(map(str, pairs[::2]), pairs[1::2], strict=True))
    missing = [field.name for field in type_.fields if field.name not in fields and not field.type.nullable]
    if missing:
        raise refuse(f"field {missing[0]} of {name} is NOT NULL and has no value", "give it one")
    parts: list[object] = []
    for field in type_.fields:
        value = ast.Null() if fields.get(field.name) is None else node_of(fields[field.name])
        cast = ast.Cast(value, type_node(field.type.with_nullability(True)))
        parts += [field.name, Expression(cast)]
    return ast.Cast(call_node("OBJECT_OF", name, *parts), type_node(type_.with_nullability(True)))


def _are_pairs(values: tuple[object, ...], known: tuple[str, ...]) -> bool:
    keys = values[::2]
    texts = [key for key in keys if isinstance(key, str)]
    if len(texts) < len(keys) or len(values) % 2:
        return False
    fit = all(key in known for key in texts) and len(set(texts)) == len(texts)
    return fit or len(values) != len(known)
