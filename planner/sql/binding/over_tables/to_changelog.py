"""TO_CHANGELOG and FROM_CHANGELOG in FROM."""

from __future__ import annotations

from compiled_plan.planner.algebra.changelogs import ChangelogFunction
from compiled_plan.planner.diagnostics.suggestions import did_you_mean
from compiled_plan.planner.sql import nodes as ast
from compiled_plan.planner.sql.binding.core import Binder, Bound, Context
from compiled_plan.planner.sql.binding.expressions import bind
from compiled_plan.planner.sql.binding.window_tables import BindTable, not_a_time_attribute
from compiled_plan.plans.nodes.process_table_function import Direction, MappingError, codes_of, is_uid, may_be_on_time
from compiled_plan.plans.rex import Call, Literal, RexNode
from compiled_plan.plans.types import CharacterType
from compiled_plan.plans.types.temporal import is_attribute

_ARGUMENTS = ("input", "op", "op_mapping", "on_time", "uid")


def bind_call(binder: Binder, call: ast.Call, context: Context, bind_table: BindTable) -> Bound:
    """The rows of a call.

    Raises:
        ProgramError: wrong arguments; an operation code column that is missing (FROM) or exists already (TO); a bad
        mapping; a column `on_time` that is no time attribute.
    """
    direction: Direction = "TO" if call.name == "TO_CHANGELOG" else "FROM"
    source = binder.source
    arguments = _by_name(binder, call)
    table: ast.Node | None = arguments.get("input")
    if isinstance(table, ast.TableArgument):
        if table.partition_by or table.order is not None:
            raise source.error(table, f"the table of {call.name} takes no PARTITION BY and no ORDER BY", "leave it out")
        table = table.table
    if not isinstance(table, ast.TableRef | ast.Subquery):
        raise source.error(table or call, f"{call.name} needs a table", "write input => TABLE name")
    data = bind_table(table)
    node = arguments.get("op")
    column = None if node is None else _column(binder, call, "op", node)
    on_time = _on_time(binder, call, arguments.get("on_time"), data)
    mapping = None if "op_mapping" not in arguments else bind(binder, arguments["op_mapping"], context)
    if mapping is not None:
        _check_mapping(binder, arguments["op_mapping"], direction, mapping)
    uid = _uid(binder, arguments.get("uid"), context)
    function = ChangelogFunction(data.rel, direction, column, mapping, on_time, uid)
    at, names = node or call, data.names
    if direction == "TO":
        if function.code_column in names:
            raise source.error(
                at, f"the table has a column {function.code_column!r} already", "name another: op => DESCRIPTOR(code)"
            )
        return Bound(function, function.row_type.names)
    if function.code_column not in names:
        near = did_you_mean(function.code_column, names) or "name its column of codes: op => DESCRIPTOR(code)"
        raise source.error(at, f"the table has no column {function.code_column!r}", near)
    type_ = data.types[names.index(function.code_column)]
    if not isinstance(type_, CharacterType):
        raise source.error(
            at, f"the column {function.code_column!r} must be a STRING, not {type_}", "cast it in a view"
        )
    if len(names) == 1:
        raise source.error(call, "the table has no columns besides the codes", "select further columns")
    return Bound(function, tuple(name for name in names if name != function.code_column))


def _by_name(binder: Binder, call: ast.Call) -> dict[str, ast.Expression]:
    """The arguments by name, without DEFAULT."""
    arguments: dict[str, ast.Expression] = {}
    named = [isinstance(item, ast.NamedArgument) for item in call.arguments]
    if any(named) and not all(named):
        raise binder.source.error(call, "arguments by name and by position cannot be mixed", "name all of them")
    if len(call.arguments) > len(_ARGUMENTS):
        raise binder.source.error(call, f"{call.name} takes {', '.join(_ARGUMENTS)}", "leave the others out")
    for position, item in enumerate(call.arguments):
        name = item.name.lower() if isinstance(item, ast.NamedArgument) else _ARGUMENTS[position]
        if name in arguments:
            raise binder.source.error(item, f"the argument {name!r} of {call.name} is there twice", "pass it once")
        if name not in _ARGUMENTS:
            near = did_you_mean(name, _ARGUMENTS) or f"the arguments are {', '.join(_ARGUMENTS)}"
            raise binder.source.error(item, f"{call.name} has no argument {name!r}", near)
        arguments[name] = item.value if isinstance(item, ast.NamedArgument) else item
    return {
        name: node for name, node in arguments.items() if not (isinstance(node, ast.Keyword) and node.word == "DEFAULT")
    }


def _column(binder: Binder, call: ast.Call, argument: str, node: ast.Expression) -> str:
    if not isinstance(node, ast.Descriptor) or len(node.columns) != 1:
        raise binder.source.error(
            node, f"the argument {argument} of {call.name} is a descriptor of one column", "write DESCRIPTOR(column)"
        )
    return node.columns[0].name


def _on_time(binder: Binder, call: ast.Call, node: ast.Expression | None, data: Bound) -> str | None:
    if node is None:
        return None
    name = _column(binder, call, "on_time", node)
    if name not in data.names:
        near = did_you_mean(name, data.names) or "name its time attribute"
        raise binder.source.error(node, f"the table has no column {name!r}", near)
    type_ = data.types[data.names.index(name)]
    if not may_be_on_time(type_):
        raise binder.source.error(
            node,
            f"the argument on_time takes a TIMESTAMP or TIMESTAMP_LTZ of up to 3 digits, and column {name!r} is "
            f"{type_}",
            "name the column with the WATERMARK",
        )
    if not is_attribute(type_):
        raise not_a_time_attribute(binder, node, "on_time", str(type_))
    return name


def _check_mapping(binder: Binder, node: ast.Expression, direction: Direction, mapping: RexNode) -> None:
    operands = mapping.operands if isinstance(mapping, Call) and mapping.name == "$MAP$1" else ()
    texts = [item.value for item in operands if isinstance(item, Literal) and isinstance(item.value, str)]
    if not operands or len(texts) != len(operands):
        raise binder.source.error(node, "op_mapping must be a MAP of text constants", "write MAP['code', 'INSERT']")
    try:
        codes_of(direction, dict(zip(texts[::2], texts[1::2], strict=True)))
    except MappingError as fault:
        raise binder.source.error(node, f"op_mapping: {fault}", "correct the mapping") from None


def _uid(binder: Binder, node: ast.Expression | None, context: Context) -> str | None:
    if node is None:
        return None
    rex = bind(binder, node, context)
    if not isinstance(rex, Literal) or not isinstance(rex.value, str):
        raise binder.source.error(node, "the uid must be a text constant", "write uid => 'name'")
    if not is_uid(rex.value):
        raise binder.source.error(
            node,
            f"{rex.value!r} is no uid: a letter or _, then letters, digits, _ and -",
            "write uid => 'name'",
        )
    return rex.value
