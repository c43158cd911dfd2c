"""Arrays, maps and rows: constructors, access, functions.

Source: Flink docs, "System (Built-in) Functions", value construction, value access and collection functions.
"""

from __future__ import annotations

from collections.abc import Callable

from compiled_plan.planner.functions import plan_literals
from compiled_plan.planner.functions.casts import avoids_cast, coerce, common_type, least_restrictive, supports_argument
from compiled_plan.planner.functions.signatures import (
    ANY,
    ARRAY,
    BOOL,
    COLLECTION,
    ITEMS,
    MAP,
    TEXT,
    Family,
    Form,
    Function,
    Operands,
    ReturnRule,
    any_nullable,
    fixed,
    force_nullable,
    form,
    is_untyped_null,
    refuse,
    same,
)
from compiled_plan.plans.errors import ProgramError
from compiled_plan.plans.rex import Call, Literal, RexNode, type_of
from compiled_plan.plans.rex.operands import order_fault
from compiled_plan.plans.types import (
    BOOLEAN,
    INT,
    STRING,
    ArrayType,
    CharacterType,
    Field,
    IntegerType,
    IntervalType,
    LogicalType,
    MapType,
    RowType,
    VariantType,
)


def _one_type(name: str, operands: Operands) -> tuple[Operands, LogicalType]:
    type_ = least_restrictive([type_of(rex) for rex in operands])
    if type_ is None:
        shown = ", ".join(str(type_of(rex).with_nullability(True)) for rex in operands)
        raise ProgramError(f"{name} needs elements of one type, got {shown}", remedy="cast them to one type")
    return tuple(coerce(rex, type_) for rex in operands), type_


def _array(operands: Operands) -> RexNode:
    items, element = _one_type("ARRAY", operands)
    return Call("$ARRAY$1", items, ArrayType(element=element, nullable=False), "SPECIAL")


def _map(operands: Operands) -> RexNode:
    if len(operands) % 2:
        raise ProgramError("MAP needs a value for every key", remedy="write MAP[key, value, ...]")
    keys, key = _one_type("MAP", operands[::2])
    values, value = _one_type("MAP", operands[1::2])
    parts = tuple(part for pair in zip(keys, values, strict=True) for part in pair)
    return Call("$MAP$1", parts, MapType(key=key, value=value, nullable=False), "SPECIAL")


def _row(operands: Operands) -> RexNode:
    fields = tuple(Field(f"EXPR${index}", type_of(rex)) for index, rex in enumerate(operands))
    return Call("$ROW$1", operands, RowType(fields=fields, nullable=False), "SPECIAL")


def _item(operands: Operands) -> RexNode:
    """`array[index]` from 1, or `map[key]`; NULL if absent."""
    collection, key = operands
    type_ = type_of(collection)
    if isinstance(type_, MapType):
        item_type: LogicalType = type_.value
        if least_restrictive((type_.key, type_of(key))) is None:
            raise ProgramError(f"a key of {type_} is not of type {type_of(key)}", remedy="cast it to the key's type")
    elif isinstance(type_, ArrayType) and isinstance(type_of(key), IntegerType):
        if isinstance(key, Literal) and isinstance(key.value, int) and key.value < 1:
            raise ProgramError(
                f"elements of an array have positions from 1, not {key.value}",
                remedy="count from the end with CARDINALITY: a[CARDINALITY(a)]",
            )
        item_type = type_.element
    elif isinstance(type_, VariantType) and isinstance(type_of(key), IntegerType | CharacterType):
        item_type = type_
    else:
        raise ProgramError(
            f"cannot apply [] to arguments of type {type_}[{type_of(key)}]",
            remedy="supported: <ARRAY>[<INTEGER>], <MAP>[<key>], <VARIANT>[<INTEGER>], <VARIANT>[<CHARACTER>]",
        )
    return Call("$ITEM$1", operands, item_type.with_nullability(True), "SPECIAL")


def _element_of(operands: Operands) -> LogicalType:
    type_ = type_of(operands[0])
    return type_.element.with_nullability(True) if isinstance(type_, ArrayType) else type_


def _with_element(name: str) -> Function:
    """ARRAY_APPEND and ARRAY_PREPEND: an array and a value that fits its element type."""
    prepends = name == "ARRAY_PREPEND"

    def returns(operands: Operands) -> LogicalType:
        type_ = type_of(operands[0])
        if not isinstance(type_, ArrayType):
            return type_
        missing = type_.element.nullable or type_of(operands[1]).nullable
        element = type_.element.with_nullability(missing)
        return ArrayType(element=element, nullable=any_nullable(operands) if prepends else type_.nullable)

    return Function(name, (form(ARRAY, ANY),), returns, nulls=True, prepare=_fitted(name))


def _fitted(name: str) -> Callable[[Operands], Operands]:
    def prepare(operands: Operands) -> Operands:
        array, item = operands[0], operands[1]
        type_ = type_of(array)
        if not isinstance(type_, ArrayType):
            return operands
        if is_untyped_null(item):
            return (array, plan_literals.null(type_.element), *operands[2:])
        own = type_of(item)
        if not supports_argument(own, type_.element):
            raise ProgramError(
                f"{name}: an element of {type_.with_nullability(True)} is not of type {own.with_nullability(True)}",
                remedy=f"cast it to {type_.element.with_nullability(True)}",
            )
        fitted = item if avoids_cast(own, type_.element) else coerce(item, type_.element)
        return (array, fitted, *operands[2:])

    return prepare


def _sets(name: str) -> Function:
    """ARRAY_UNION and the like: arrays cast to one common element type."""

    def rewrite(operands: Operands) -> RexNode:
        type_ = common_type([type_of(rex) for rex in operands])
        if type_ is None:
            shown = ", ".join(str(type_of(rex).with_nullability(True)) for rex in operands)
            raise ProgramError(f"{name} needs arguments of one type, got {shown}", remedy="cast them to one type")
        fitted = tuple(rex if avoids_cast(type_of(rex), type_) else coerce(rex, type_) for rex in operands)
        return Call(f"${name}$1", fitted, type_.with_nullability(any_nullable(operands)))

    family = MAP if name == "MAP_UNION" else ARRAY
    many = name in ("ARRAY_CONCAT", "MAP_UNION")
    forms = (form(family, rest=family),) if many else (form(family, family),)
    return Function(name, forms, rewrite=rewrite)


def _map_part(part: str) -> ReturnRule:
    def rule(operands: Operands) -> LogicalType:
        type_ = type_of(operands[0])
        if not isinstance(type_, MapType):
            return type_
        element: LogicalType = type_.key if part == "key" else type_.value
        if part == "entry":
            element = RowType(fields=(Field("key", type_.key), Field("value", type_.value)))
        return ArrayType(element=element, nullable=type_.nullable)

    return rule


def _map_from_arrays(operands: Operands) -> LogicalType:
    keys, values = map(type_of, operands)
    if not (isinstance(keys, ArrayType) and isinstance(values, ArrayType)):
        return keys
    return MapType(key=keys.element, value=values.element, nullable=any_nullable(operands))


def _joined(operands: Operands) -> Operands:
    type_ = type_of(operands[0])
    if not (isinstance(type_, ArrayType) and isinstance(type_.element, CharacterType)):
        raise ProgramError(f"ARRAY_JOIN needs an array of text, got {type_}", remedy="cast it to ARRAY<STRING>")
    return operands


def _places(operands: Operands) -> Operands:
    array, *places = operands
    return (array, *(coerce(rex, INT) if isinstance(type_of(rex), IntervalType) else rex for rex in places))


def _ordered(name: str, forms: tuple[Form, ...], returns: ReturnRule) -> Function:
    """A function that compares the elements of an array."""

    def prepare(operands: Operands) -> Operands:
        refuse(order_fault(name, [type_of(operands[0])]))
        return operands

    return Function(name, forms, returns, prepare=prepare)


_PLACE = Family("INTEGER", (IntegerType, IntervalType))
_SORTED = (form(ARRAY), form(ARRAY, BOOL), form(ARRAY, BOOL, BOOL))

FUNCTIONS: tuple[Function, ...] = (
    Function("ARRAY", (form(ANY, rest=ANY),), rewrite=_array, nulls=True),
    Function("MAP", (form(ANY, ANY, rest=ANY),), rewrite=_map, nulls=True),
    Function("ROW", (form(ANY, rest=ANY),), rewrite=_row, nulls=True),
    Function("ITEM", (form(ITEMS, ANY),), rewrite=_item),
    Function("CARDINALITY", (form(COLLECTION),), fixed(INT)).api(
        "x.cardinality", "CARDINALITY: the number of elements."
    ),
    Function("ELEMENT", (form(ARRAY),), _element_of).api("x.element", "ELEMENT: the only element of an array."),
    _with_element("ARRAY_APPEND").api(
        "x.array_append(addition)", "ARRAY_APPEND: the array with another element behind."
    ),
    _with_element("ARRAY_PREPEND").api(
        "x.array_prepend(addition)", "ARRAY_PREPEND: the array with another element in front."
    ),
    Function("ARRAY_REMOVE", (form(ARRAY, ANY),), same(0), nulls=True, prepare=_fitted("ARRAY_REMOVE")).api(
        "x.array_remove(needle)", "ARRAY_REMOVE: the array without elements equal to `needle`."
    ),
    Function("ARRAY_CONTAINS", (form(ARRAY, ANY),), fixed(BOOLEAN), nulls=True, prepare=_fitted("ARRAY_CONTAINS")).api(
        "x.array_contains(needle)", "ARRAY_CONTAINS: true if the array has an element."
    ),
    Function("ARRAY_POSITION", (form(ARRAY, ANY),), fixed(INT), nulls=True, prepare=_fitted("ARRAY_POSITION")).api(
        "x.array_position(needle)", "ARRAY_POSITION: the position of `needle` from 1; 0 if it is missing."
    ),
    _ordered("ARRAY_SORT", _SORTED, same(0)).api(
        "x.array_sort(*how)", "ARRAY_SORT, optionally with ascending (default TRUE) and nulls first."
    ),
    Function("ARRAY_DISTINCT", (form(ARRAY),), same(0)).api(
        "x.array_distinct", "ARRAY_DISTINCT: the array without duplicates."
    ),
    Function("ARRAY_REVERSE", (form(ARRAY),), same(0)).api(
        "x.array_reverse", "ARRAY_REVERSE: the elements in reverse order."
    ),
    Function("ARRAY_SLICE", (form(ARRAY, _PLACE), form(ARRAY, _PLACE, _PLACE)), same(0), prepare=_places).api(
        "x.array_slice(start_offset, end_offset=None)",
        "ARRAY_SLICE from `start_offset` to `end_offset`, both inclusive.",
    ),
    _ordered("ARRAY_MAX", (form(ARRAY),), force_nullable(_element_of)).api(
        "x.array_max", "ARRAY_MAX: the greatest element."
    ),
    _ordered("ARRAY_MIN", (form(ARRAY),), force_nullable(_element_of)).api(
        "x.array_min", "ARRAY_MIN: the least element."
    ),
    Function("ARRAY_JOIN", (form(ARRAY, TEXT), form(ARRAY, TEXT, TEXT)), fixed(STRING), prepare=_joined).api(
        "x.array_join(delimiter, null_replacement=None)", "ARRAY_JOIN: the elements as one text."
    ),
    _sets("ARRAY_UNION").api("x.array_union(array)", "ARRAY_UNION: the elements of both, without duplicates."),
    _sets("ARRAY_CONCAT").api("x.array_concat(*arrays)", "ARRAY_CONCAT: the elements of several arrays in order."),
    _sets("ARRAY_EXCEPT").api("x.array_except(array)", "ARRAY_EXCEPT: the elements that are not in `array`."),
    _sets("ARRAY_INTERSECT").api("x.array_intersect(array)", "ARRAY_INTERSECT: the elements in both arrays."),
    _sets("MAP_UNION").api("x.map_union(*maps)", "MAP_UNION: the later maps win."),
    Function("MAP_KEYS", (form(MAP),), _map_part("key")).api("x.map_keys", "MAP_KEYS: the keys of a map, as an array."),
    Function("MAP_VALUES", (form(MAP),), _map_part("value")).api(
        "x.map_values", "MAP_VALUES: the values of a map, as an array."
    ),
    Function("MAP_ENTRIES", (form(MAP),), _map_part("entry")).api(
        "x.map_entries", "MAP_ENTRIES: keys and values of a map, as an array of rows."
    ),
    Function("MAP_FROM_ARRAYS", (form(ARRAY, ARRAY),), _map_from_arrays).api(
        "map_from_arrays(keys, values)",
        "MAP_FROM_ARRAYS.",
        '>>> items.select(cp.map_from_arrays(cp.array("a", "b"), cp.array(1, 2)).alias("x"))',
        "Table(x MAP<CHAR(1) NOT NULL, INT NOT NULL> NOT NULL)",
    ),
)
