"""Tables from Python values and DataFrames.

Source: Flink's `TableEnvironment.fromValues`; PyFlink's `from_pandas`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from compiled_plan.planner.algebra.nodes import Values
from compiled_plan.planner.catalog.tables import CatalogTable, Column, ObjectIdentifier
from compiled_plan.planner.functions.element_types import PLACE, element_rows, instants
from compiled_plan.planner.functions.python_rows import columns_of_schema, constant_rows
from compiled_plan.planner.sql import nodes as ast
from compiled_plan.planner.sql.binding.core import Bound
from compiled_plan.planner.sql.binding.scans import scan
from compiled_plan.planner.sql.context import PlanningContext
from compiled_plan.planner.table.building.python_literals import node_of
from compiled_plan.planner.table.building.rows import rows
from compiled_plan.planner.table.declared_schemas import Schema
from compiled_plan.planner.table.descriptors import TableDescriptor, declared
from compiled_plan.planner.table.expressions.core import Operand
from compiled_plan.planner.table.expressions.types import type_node
from compiled_plan.planner.table.operations import bind
from compiled_plan.plans.errors import ProgramError
from compiled_plan.plans.types import Field, FieldsType
from compiled_plan.plans.types.conversions.data_types import AnyType, DataType, DataTypes
from compiled_plan.plans.types.mutable_row import MutableRow
from compiled_plan.plans.types.row import Row
from compiled_plan.running import embedded
from compiled_plan.session.queries import from_path
from compiled_plan.table import Table


def from_values(context: PlanningContext, values: Iterable[object], schema: AnyType = None) -> Table:
    """A table of constant rows, of Python objects or expressions. See `planner.functions.python_rows.constant_rows`."""
    if isinstance(values, str | bytes | Mapping | Row | MutableRow) or not isinstance(values, Iterable):
        raise ProgramError(
            f"from_values() takes a list of rows, not {values!r}",
            where="from_values()",
            remedy='write from_values([(1, "a"), (2, "b")], ["id", "name"])',
        )
    if isinstance(schema, Schema):
        schema = _plain(schema)
    listed = list(values)
    cells = [_cells(item) for item in listed]
    if any(isinstance(cell, Operand) for row in cells for cell in row):
        return _from_expressions(context, cells, schema)
    constants = constant_rows(listed, schema)
    return Table(context, rows(Bound(Values(constants.row_type, constants.cells), constants.row_type.names)))


def from_elements(context: PlanningContext, elements: Iterable[object], schema: AnyType = None) -> Table:
    """A table of constant rows, with PyFlink's types. See `planner.functions.element_types`."""
    listed: Sequence[object] = list(elements)
    expressions = [isinstance(element, Operand) for element in listed]
    if any(expressions):
        if not all(expressions):
            raise ProgramError(
                "some elements are expressions and some are values", where=PLACE, remedy="write row(...) for all"
            )
        return from_values(context, listed, schema)
    if schema is None or (isinstance(schema, list | tuple) and all(isinstance(name, str) for name in schema)):
        row_type, listed = element_rows(listed, schema)
        data_type = DataTypes.of(row_type)
    else:
        data_type = DataTypes.of(schema)
        if not isinstance(data_type.logical_type, FieldsType):
            listed, data_type = [(value,) for value in listed], DataTypes.ROW(DataTypes.FIELD("value", data_type))
    return from_values(context, [instants(row, data_type.logical_type) for row in listed], data_type)


def _plain(schema: Schema) -> AnyType:
    """The row type of a schema that declares physical columns only."""
    if len(schema.lines) > len(schema.physical) or schema.key:
        raise ProgramError(
            "the schema of constant rows has columns alone",
            where="from_values()",
            remedy="leave computed columns, watermark and key out; add them with a query, or use from_dataframe",
        )
    return schema.to_row_data_type()


def _cells(item: object) -> list[object]:
    """The values of a row: `row(...)` has several, any other expression is a row of one column."""
    if isinstance(item, Operand) and isinstance(item._node, ast.RowValue):
        return [Operand(node) for node in item._node.items]
    return list(item) if isinstance(item, list | tuple) else [item]


def _from_expressions(context: PlanningContext, cells: list[list[object]], schema: AnyType) -> Table:
    """A table of rows that hold expressions, bound as SQL's VALUES."""
    names, type_ = columns_of_schema(schema)
    width = len(cells[0])
    for at, row in enumerate(cells, start=1):
        if len(row) != width:
            raise ProgramError(f"row {at} has {len(row)} value(s), the first row {width}", where="from_values()")
    names = names or tuple(f"f{at}" for at in range(width))
    if len(names) != width:
        raise ProgramError(f"from_values() has {width} column(s) and {len(names)} name(s)", where="from_values()")
    nodes = [[node_of(cell) for cell in row] for row in cells]
    if type_ is not None:
        kinds = [type_node(one) for one in type_.types]
        nodes = [[ast.Cast(node, kind) for node, kind in zip(row, kinds, strict=True)] for row in nodes]
    bound = bind(context, "from_values", ast.Values(tuple(ast.RowValue(tuple(row)) for row in nodes)))
    return Table(context, rows(Bound(bound.rel, names)))


def from_dataframe(context: PlanningContext, frame: object, schema: AnyType = None) -> Table:
    """A table of the rows of a DataFrame. See `api.running.embedded.inline`."""
    if isinstance(schema, Schema):
        return _declared(context, frame, schema)
    held = embedded.inline(frame, schema)
    catalog = context.catalog
    name = f"*anonymous_dataframe${next(context.anonymous)}*"
    table = _catalog_table(ObjectIdentifier(catalog.current_catalog, catalog.current_database, name), held)
    return Table(context, rows(Bound(scan(table, name, ()), held.row_type.names), name))


def _catalog_table(name: ObjectIdentifier, held: embedded.Inline) -> CatalogTable:
    return CatalogTable(
        name,
        tuple(Column(field.name, field.type, comment=field.comment) for field in held.row_type.fields),
        tuple(held.options.items()),
        temporary=True,
        holds=held.data,
    )


def create_state_database(context: PlanningContext, database: str, checkpoint: str) -> None:
    """Create a database with a table for the state of each operator. See `api.running.embedded.inline_state`."""
    tables = embedded.inline_state(checkpoint)
    catalog = context.catalog
    catalog.create_database((database,), {}, f"the state in {checkpoint}", if_not_exists=False)
    for uid, held in tables.items():
        catalog.create(_catalog_table(catalog.qualify((database, uid)), held))


def from_pandas(context: PlanningContext, frame: object, schema: AnyType = None) -> Table:
    """As `from_dataframe`; the schema may also be a list of types, for columns of the frame's names."""
    if isinstance(schema, list | tuple) and not all(isinstance(item, str) for item in schema):
        names = [str(name) for name in getattr(frame, "columns", ())]
        if len(names) == len(schema):
            fields = zip(names, schema, strict=True)
            schema = DataTypes.ROW(*(DataTypes.FIELD(name, type_) for name, type_ in fields))
    return from_dataframe(context, frame, schema)


def _declared(context: PlanningContext, frame: object, schema: Schema) -> Table:
    """A DataFrame as a declared table, with computed columns, watermark and key."""
    held = embedded.inline(frame, schema.to_row_data_type())
    return from_descriptor(context, TableDescriptor(schema, tuple(held.options.items())), "from_dataframe")


def from_rows(context: PlanningContext, values: Sequence[Sequence[object]], row_type: AnyType, schema: Schema) -> Table:
    """A table of rows in memory, with the computed columns, watermark and key of a schema.

    As in Flink, the schema need not declare all fields of the rows: its computed columns may use the others, too.
    """
    data_type = DataTypes.of(row_type)
    declared = {name: DataTypes.FIELD(name, type_, comment) for name, type_, comment in schema.physical}
    fields = [declared.get(field.name) or DataTypes.FIELD(field.name, field.type) for field in _fields_of(data_type)]
    whole = DataTypes.ROW(*fields)
    unknown = next((name for name in declared if name not in {field.name for field in fields}), None)
    if unknown is not None:
        raise ProgramError(
            f"the rows have no field {unknown!r}",
            where="from_data_stream()",
            remedy=f"they have {', '.join(field.name for field in fields)}",
        )
    rows_ = [tuple(instants(list(value), whole.logical_type)) for value in values]
    held = embedded.inline_rows(rows_, whole)
    builder = Schema.new_builder()
    for field in fields:
        builder.column(field.name, field.data_type)
    full = builder.from_schema(schema.without_physical()).build()
    table = from_descriptor(context, TableDescriptor(full, tuple(held.options.items())), "from_data_stream")
    return table.select(*schema.columns) if schema.columns else table


def _fields_of(data_type: DataType) -> tuple[Field, ...]:
    type_ = data_type.logical_type
    assert isinstance(type_, FieldsType)
    return type_.fields


def from_descriptor(context: PlanningContext, descriptor: object, operation: str = "from_descriptor") -> Table:
    """The table of a descriptor, without an entry in the catalog."""
    with declared(context, descriptor, operation) as path:
        return Table(context, from_path(context, path)._rows)
