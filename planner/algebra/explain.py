"""Text form of relational trees and row expressions, one node a line, for people and tests."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from compiled_plan.planner.algebra import nodes as n
from compiled_plan.planner.algebra.rex import OuterRef, Over, Subquery
from compiled_plan.planner.algebra.timed import IntervalJoin, Match, OverAggregate, TemporalJoin
from compiled_plan.plans.rex import Call, FieldAccess, InputRef, Literal, RexNode, Sarg, fold, walk


def explain(rel: n.RelNode) -> str:
    """Render the tree with inputs indented under their reader; repeat a shared subtree by name only."""
    seen: dict[int, int] = {}
    shared = _shared(rel)

    def lines(node: n.RelNode, depth: int) -> Iterator[str]:
        indent = "  " * depth
        if id(node) in seen:
            yield f"{indent}Again #{seen[id(node)]}"
            return
        mark = ""
        if id(node) in shared:
            seen[id(node)] = len(seen) + 1
            mark = f" #{seen[id(node)]}"
        yield f"{indent}{_line(node)}{mark}"
        for query in _subqueries(node):
            yield f"{indent}  {{{query.name}"
            yield from lines(query.rel, depth + 2)
            yield f"{indent}  }}"
        for child in node.inputs:
            yield from lines(child, depth + 1)

    return "\n".join(lines(rel, 0))


def rex_text(rex: RexNode) -> str:
    """Render an expression; `$1` is a column of the input, `$cor0.1` a column of an enclosing query's row."""
    return fold(rex, _rex_text)


def _rex_text(rex: RexNode, children: tuple[str, ...]) -> str:
    match rex:
        case InputRef():
            return f"${rex.index}"
        case OuterRef():
            return f"{rex.name}.{rex.index}"
        case Literal():
            return f"'{rex.value}'" if isinstance(rex.value, str) and rex.symbol is None else str(rex.value)
        case FieldAccess():
            return f"{children[0]}.{rex.name}"
        case Subquery():
            return f"{rex.kind.value}({', '.join([*children, rex.name])})"
        case Over():
            return _over(rex)
        case Sarg():
            return f"Sarg[{len(rex.ranges)}]"
        case Call() if rex.name == "$CAST$1":
            return f"CAST({children[0]} AS {rex.type})"
        case Call():
            return f"{_short(rex.name)}({', '.join(children)})"
    return f"{type(rex).__name__}({', '.join(children)})"


def _short(name: str) -> str:
    return name[1:-2] if name.startswith("$") and name.endswith("$1") else name


def _over(rex: Over) -> str:
    order = ", ".join(f"{rex_text(item)}{'' if up else ' DESC'}" for item, up, _ in rex.order)
    partition = ", ".join(map(rex_text, rex.partition))
    frame = f"{rex.unit.value} {rex.lower.kind} {rex.upper.kind}"
    operands = ", ".join(map(rex_text, rex.operands))
    return f"{_short(rex.name)}({operands}) OVER (PARTITION BY [{partition}] ORDER BY [{order}] {frame})"


def _subqueries(node: n.RelNode) -> list[Subquery]:
    from compiled_plan.planner.algebra.traverse import expressions

    return [part for rex in expressions(node) for part in walk(rex) if isinstance(part, Subquery)]


def _shared(rel: n.RelNode) -> set[int]:
    """Return the identities of nodes with more than one reader."""
    seen: set[int] = set()
    again: set[int] = set()

    def visit(node: n.RelNode) -> None:
        if id(node) in seen:
            again.add(id(node))
            return
        seen.add(id(node))
        for query in _subqueries(node):
            visit(query.rel)
        for child in node.inputs:
            visit(child)

    visit(rel)
    return again


def _line(node: n.RelNode) -> str:
    details = _details(node)
    return type(node).__name__ if details is None else f"{type(node).__name__}({details})"


def _details(node: n.RelNode) -> str | None:
    match node:
        case n.Scan():
            alias = f" AS {node.alias}" if node.alias and node.alias != node.table.identifier.name else ""
            return node.table.identifier.name + alias + _hints(node.hints)
        case n.Values():
            return ", ".join(f"({', '.join(map(rex_text, row))})" for row in node.rows)
        case n.Project():
            return _named(node.columns.names, node.exprs)
        case n.Filter():
            return rex_text(node.condition)
        case n.WatermarkAssigner():
            return f"{node.columns.names[node.index]}, {rex_text(node.watermark)}"
        case n.Join():
            return f"{node.kind.value}, {rex_text(node.condition)}{_hints(node.hints)}"
        case n.Correlate():
            condition = "" if node.condition is None else f", {rex_text(node.condition)}"
            return f"{node.kind.value}, {node.name}{condition}"
        case n.TableFunctionScan():
            return rex_text(node.call)
        case n.Aggregate():
            sets = f", sets={[list(key_set) for key_set in node.grouping_sets]}" if node.grouping_sets else ""
            calls = "".join(f", {call.column}={_call(call)}" for call in node.calls)
            return f"group={list(node.grouping)}{sets}{calls}{_hints(node.hints)}"
        case n.Sort():
            limits = [f"offset={node.offset}"] if node.offset else []
            limits += [f"fetch={node.fetch}"] if node.fetch is not None else []
            return ", ".join([part for part in (_keys(node.keys),) if part] + limits)
        case n.Rank():
            return f"partition={list(node.partition)}, {_keys(node.order)}, {node.start} to {node.end}"
        case n.SetOp():
            return node.kind.value + (" ALL" if node.all else "")
        case IntervalJoin():
            bounds = node.bounds
            return f"{node.kind.value}, {rex_text(node.condition)}, {bounds.lower} to {bounds.upper} ms"
        case OverAggregate():
            calls = "".join(f", {call.column}={_call(call)}" for call in node.calls)
            frame = f"{node.unit.value} {node.lower.kind} {node.upper.kind}"
            return f"partition={list(node.partition)}, {_keys(node.order)}, {frame}{calls}"
        case TemporalJoin():
            version = "" if node.version is None else f", version=${node.version}"
            return f"{node.kind.value}, {rex_text(node.condition)}, time=${node.time}{version}"
        case Match():
            measures = [name for name, _ in node.measures]
            return f"partition={list(node.partition)}, {_keys(node.order)}, measures={measures}"
        case n.Sink():
            target = "" if node.target is None else f", target={list(node.target)}"
            return f"{node.table.identifier.name}{target}{_hints(node.hints)}"
    return None


def _named(names: Sequence[str], exprs: Sequence[RexNode]) -> str:
    return ", ".join(f"{name}={rex_text(rex)}" for name, rex in zip(names, exprs, strict=True))


def _hints(hints: Sequence[n.Hint]) -> str:
    if not hints:
        return ""
    texts = [f"{hint.name}({', '.join(f'{key}={value}' for key, value in hint.options)})" for hint in hints]
    return f", hints=[{', '.join(texts)}]"


def _call(call: n.AggregateCall) -> str:
    args = ", ".join(f"${index}" for index in call.args)
    condition = "" if call.filter is None else f" FILTER ${call.filter}"
    return f"{_short(call.name)}({'DISTINCT ' if call.distinct else ''}{args}){condition}"


def _keys(keys: Sequence[n.SortKey]) -> str:
    return ", ".join(
        f"${key.index} {'ASC' if key.ascending else 'DESC'} NULLS {'LAST' if key.nulls_last else 'FIRST'}"
        for key in keys
    )
