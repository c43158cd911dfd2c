"""Name resolution in a query.

A scope is the row of a query block's FROM: its relations by alias or table name, its columns in order. A name that is
unknown in a scope is resolved in the enclosing query's scope, as an `OuterRef`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import count

from compiled_plan.planner.algebra.rex import OuterRef
from compiled_plan.planner.diagnostics.foreign import BARE
from compiled_plan.planner.diagnostics.suggestions import did_you_mean
from compiled_plan.planner.functions.registry import resolve_call
from compiled_plan.planner.sql import nodes as ast
from compiled_plan.planner.sql.binding.source import SourceText
from compiled_plan.plans.rex import FieldAccess, InputRef, RexNode, transform, type_of
from compiled_plan.plans.types import FieldsType, RowType

#: A dotted name, outermost part first.
Parts = tuple[ast.Identifier, ...]


@dataclass(frozen=True, slots=True)
class ScopeColumn:
    """A resolvable column: an index in the row, or (for USING in an outer join) the merge of two columns."""

    name: str
    index: int
    merged_with: int | None = None

    def shifted(self, by: int) -> ScopeColumn:
        """The column with its index increased by `by`."""
        merged = None if self.merged_with is None else self.merged_with + by
        return replace(self, index=self.index + by, merged_with=merged)


@dataclass(frozen=True, slots=True)
class Relation:
    """A table, view or subquery in FROM. `path` is its name: one part for an alias, else catalog, database, name."""

    path: tuple[str, ...]
    columns: tuple[ScopeColumn, ...]

    @property
    def name(self) -> str:
        """The relation's name in the query; empty for a subquery without alias."""
        return self.path[-1] if self.path else ""

    def answers_to(self, qualifier: tuple[str, ...]) -> bool:
        """Return True if a qualifier of one to three parts names this relation."""
        return bool(self.path) and self.path[-len(qualifier) :] == qualifier

    def shifted(self, by: int) -> Relation:
        """The relation with its column indices increased by `by`."""
        return replace(self, columns=tuple(column.shifted(by) for column in self.columns))


@dataclass
class Scope:
    """The visible columns of a query block.

    Args:
        relations: the relations of FROM, in order.
        visible: the columns of `*`, in order; columns joined by USING appear once.
        row: the row that the indices refer to.
        parent: the scope of the enclosing query, or None.
        correlation: the name of this row in `OuterRef`s of queries inside.
    """

    relations: tuple[Relation, ...]
    visible: tuple[ScopeColumn, ...]
    row: RowType
    parent: Scope | None
    correlation: str

    def reference(self, column: ScopeColumn) -> RexNode:
        """The expression that reads a column of this scope."""
        if column.merged_with is not None:
            return resolve_call("COALESCE", [self.at(column.index), self.at(column.merged_with)])
        return self.at(column.index)

    def at(self, index: int) -> InputRef:
        """A reference to column `index` of the row."""
        return InputRef(index, self.row.fields[index].type)

    def chain(self) -> Iterator[Scope]:
        """This scope and those around it, innermost first."""
        scope: Scope | None = self
        while scope is not None:
            yield scope
            scope = scope.parent


class Names:
    """Generator of correlation names, unique in a program."""

    def __init__(self) -> None:
        self._numbers = count()

    def correlation(self) -> str:
        """The next name: `$cor0`, `$cor1`, ..."""
        return f"$cor{next(self._numbers)}"


def columns_of(names: Iterable[str], start: int = 0) -> tuple[ScopeColumn, ...]:
    """Columns with these names, from index `start`."""
    return tuple(ScopeColumn(name, index) for index, name in enumerate(names, start))


def resolve(parts: Parts, scope: Scope, source: SourceText, node: ast.Node) -> RexNode:
    """Resolve a dotted name to a column, or a field of one.

    A prefix that names a relation has precedence over a column of that name, as in Flink; the longest prefix first.

    Raises:
        ProgramError: unknown or ambiguous, with the nearest name.
    """
    names = tuple(part.name for part in parts)
    for length in range(min(len(names) - 1, 3), 0, -1):
        for level in scope.chain():
            relation = _relation(names[:length], level, source, node)
            if relation is not None:
                return _in_relation(relation, parts, length, level, scope, source)
    for level in scope.chain():
        column = _unqualified(names[0], level, source, parts[0])
        if column is not None:
            return _fields(_from(level, scope, column), parts[1:], parts, source)
    raise _unknown(parts, scope, source, node)


def find_relation(parts: Parts, scope: Scope, source: SourceText, node: ast.Node) -> Relation | None:
    """The relation named by a qualifier, in the innermost scope that has one; else None."""
    return _relation(tuple(part.name for part in parts), scope, source, node)


def _relation(qualifier: tuple[str, ...], scope: Scope, source: SourceText, node: ast.Node) -> Relation | None:
    relations = [relation for relation in scope.relations if relation.answers_to(qualifier)]
    if len(relations) > 1:
        raise source.error(node, f"table name {'.'.join(qualifier)!r} is ambiguous", "give the tables aliases")
    return relations[0] if relations else None


def _in_relation(
    relation: Relation, parts: Parts, length: int, level: Scope, scope: Scope, source: SourceText
) -> RexNode:
    part = parts[length]
    columns = [column for column in relation.columns if column.name == part.name]
    if len(columns) > 1:
        raise source.error(part, f"column {part.name!r} is ambiguous in {relation.name!r}", "give the columns aliases")
    if columns:
        rex: RexNode = level.at(columns[0].index)
    else:
        nested = _nested(part.name, relation.columns, level)
        if nested is None:
            known = [column.name for column in relation.columns]
            raise source.error(
                part,
                f"column {part.name!r} not found in table {relation.name!r}",
                did_you_mean(part.name, known),
            )
        rex = nested
    return _fields(_from(level, scope, rex), parts[length + 1 :], parts, source)


def _unqualified(name: str, scope: Scope, source: SourceText, node: ast.Node) -> RexNode | None:
    columns = [column for column in scope.visible if column.name == name]
    if len(columns) > 1:
        tables = sorted({relation.name or "a subquery" for relation in scope.relations if _has(relation, name)})
        hint = f"qualify it: {' or '.join(f'{table}.{name}' for table in tables)}" if len(tables) > 1 else ""
        raise source.error(node, f"column {name!r} is ambiguous", hint or "give the columns aliases")
    if columns:
        return scope.reference(columns[0])
    return _nested(name, scope.visible, scope)


def _has(relation: Relation, name: str) -> bool:
    return any(column.name == name for column in relation.columns)


def _nested(name: str, columns: tuple[ScopeColumn, ...], scope: Scope) -> RexNode | None:
    """A field of a row column, resolved by its name alone, as in Flink; None unless it is the only one."""
    level: list[RexNode] = [scope.at(column.index) for column in columns]
    while level:
        rows = [rex for rex in level if isinstance(type_of(rex), FieldsType)]
        fields = [FieldAccess(rex, name) for rex in rows if _row(rex).field_named(name) is not None]
        if fields:
            return fields[0] if len(fields) == 1 else None
        level = [FieldAccess(rex, child) for rex in rows for child in _row(rex).names]
    return None


def _row(rex: RexNode) -> FieldsType:
    type_ = type_of(rex)
    assert isinstance(type_, FieldsType)
    return type_


def _from(level: Scope, scope: Scope, rex: RexNode) -> RexNode:
    """`rex` over the row of `level`, as an expression of a query in `scope`."""
    return rex if level is scope else outer(rex, level.correlation)


def outer(rex: RexNode, correlation: str) -> RexNode:
    """The expression with its input references replaced by references to the enclosing row."""
    return transform(
        rex, lambda node: OuterRef(correlation, node.index, node.type) if isinstance(node, InputRef) else node
    )


def _fields(rex: RexNode, rest: Parts, parts: Parts, source: SourceText) -> RexNode:
    for part in rest:
        rex = field_of(rex, part, source)
    return rex


def field_of(rex: RexNode, part: ast.Identifier, source: SourceText) -> RexNode:
    """Field `part` of a row-valued expression.

    Raises:
        ProgramError: the expression is no row, or has no such field.
    """
    row = type_of(rex)
    if not isinstance(row, FieldsType):
        raise source.error(part, f"{row} has no fields, so {part.name!r} cannot be one of them")
    if row.field_named(part.name) is None:
        raise source.error(part, f"field {part.name!r} not found in {row}", did_you_mean(part.name, row.names))
    return FieldAccess(rex, part.name)


def _unknown(parts: Parts, scope: Scope, source: SourceText, node: ast.Node) -> Exception:
    head = parts[0].name
    columns = [column.name for level in scope.chain() for column in level.visible]
    if len(parts) > 1:
        tables = [relation.name for level in scope.chain() for relation in level.relations if relation.name]
        return source.error(parts[0], f"table {head!r} not found", did_you_mean(head, tables + columns))
    if not columns:
        return source.error(node, f"column {head!r} not found: there is no table to take columns from")
    form = BARE.get(head.upper())
    remedy = f"write {form}" if form else did_you_mean(head, columns)
    return source.error(parts[0], f"column {head!r} not found in any table", remedy)
