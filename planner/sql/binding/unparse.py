"""Expressions as the SQL text that a plan keeps of computed columns and watermarks.

Source: the `serializableString`s of Flink 2.3's plans: identifiers in backquotes, keywords and functions in capitals,
parentheses only where the precedence of operators needs them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from sqlglot import exp

from compiled_plan.planner.sql import nodes as ast
from compiled_plan.planner.sql.binding.source import SourceText
from compiled_plan.planner.sql.binding.types import bind_type, qualifier_text
from compiled_plan.plans.types import (
    MAX_LENGTH,
    LogicalType,
    TimestampLtzType,
    VarBinaryType,
    VarCharType,
    quote_identifier,
)

#: Precedences, the higher the tighter; what is not here needs no parentheses.
_ATOM, _UNARY, _PRODUCT, _SUM, _RANGE, _COMPARISON, _POSTFIX, _NOT, _AND, _OR = 100, 80, 60, 40, 32, 30, 28, 26, 24, 22

_INFIX: dict[type[exp.Expr], tuple[str, int]] = {
    exp.Or: ("OR", _OR),
    exp.And: ("AND", _AND),
    exp.EQ: ("=", _COMPARISON),
    exp.NEQ: ("<>", _COMPARISON),
    exp.LT: ("<", _COMPARISON),
    exp.LTE: ("<=", _COMPARISON),
    exp.GT: (">", _COMPARISON),
    exp.GTE: (">=", _COMPARISON),
    exp.Add: ("+", _SUM),
    exp.Sub: ("-", _SUM),
    exp.Mul: ("*", _PRODUCT),
    exp.Div: ("/", _PRODUCT),
    exp.Mod: ("%", _PRODUCT),
    exp.DPipe: ("||", _PRODUCT),
}

#: Functions whose arguments are joined by words, not by commas.
_WORDS: dict[str, tuple[str, ...]] = {
    "EXTRACT": (" FROM ",),
    "FLOOR": (" TO ",),
    "CEIL": (" TO ",),
    "POSITION": (" IN ",),
    "TRIM": (" ", " FROM "),
    "OVERLAY": (" PLACING ", " FROM ", " FOR "),
}

_Writer = Callable[["_Text", exp.Expr], tuple[str, int]]


def unparse(node: exp.Expr, source: SourceText) -> str:
    """The SQL text of an expression."""
    return _Text(source).write(node)


class _Text:
    def __init__(self, source: SourceText) -> None:
        self._source = source

    def write(self, node: exp.Expr, above: int = 0) -> str:
        """The text, in parentheses where an operator of precedence `above` stands around it."""
        writer = _WRITERS.get(type(node))
        text, precedence = writer(self, node) if writer is not None else (self._as_written(node), _ATOM)
        return f"({text})" if precedence < above else text

    def list(self, nodes: Iterable[exp.Expr]) -> str:
        return ", ".join(self.write(node) for node in nodes)

    def _as_written(self, node: exp.Expr) -> str:
        return self._source.text[node.meta["start"] : node.meta["end"]]

    # --- names and literals

    def column(self, node: exp.Expr) -> tuple[str, int]:
        return ".".join(quote_identifier(part.name) for part in node.args["parts"]), _ATOM

    def literal(self, node: exp.Expr) -> tuple[str, int]:
        text = str(node.this)
        if not node.is_string:
            return text.upper(), _ATOM
        return _string(text), _ATOM

    def boolean(self, node: exp.Expr) -> tuple[str, int]:
        return str(bool(node.this)).upper(), _ATOM

    def null(self, node: exp.Expr) -> tuple[str, int]:
        return "NULL", _ATOM

    def typed(self, node: exp.Expr) -> tuple[str, int]:
        assert isinstance(node, ast.TypedLiteral)
        return f"{node.kind} '{node.value}'", _ATOM

    def binary(self, node: exp.Expr) -> tuple[str, int]:
        assert isinstance(node, ast.BinaryLiteral)
        return f"X'{node.value.upper()}'", _ATOM

    def interval(self, node: exp.Expr) -> tuple[str, int]:
        assert isinstance(node, ast.IntervalLiteral)
        unit = qualifier_text(node.unit)
        operand = node.args.get("expression")
        sign = "-" if node.negative else ""
        value = f"'{node.value}'" if operand is None else self.write(operand, _ATOM)
        return f"INTERVAL {sign}{value} {unit}", _ATOM

    def keyword(self, node: exp.Expr) -> tuple[str, int]:
        return str(node.this), _ATOM

    # --- operators

    def infix(self, node: exp.Expr) -> tuple[str, int]:
        sign, precedence = _INFIX[type(node)]
        # Left-associative: the same precedence needs parentheses on the right only.
        return f"{self.write(node.this, precedence)} {sign} {self.write(node.expression, precedence + 1)}", precedence

    def negative(self, node: exp.Expr) -> tuple[str, int]:
        if isinstance(node.this, exp.Literal):
            return f"-{self.write(node.this)}", _ATOM
        return f"- {self.write(node.this, _UNARY)}", _UNARY

    def plus(self, node: exp.Expr) -> tuple[str, int]:
        return f"+ {self.write(node.this, _UNARY)}", _UNARY

    def negation(self, node: exp.Expr) -> tuple[str, int]:
        inner = node.this
        if isinstance(inner, ast.Like):
            return self._like(inner, "NOT ")
        if isinstance(inner, exp.Between):
            return self._between(inner, "NOT ")
        if isinstance(inner, exp.In):
            return self._in(inner, "NOT ")
        return f"NOT {self.write(inner, _NOT)}", _NOT

    def is_predicate(self, node: exp.Expr) -> tuple[str, int]:
        assert isinstance(node, ast.IsPredicate)
        return f"{self.write(node.this, _POSTFIX)} IS {'NOT ' if node.negated else ''}{node.kind}", _POSTFIX

    def distinct(self, node: exp.Expr) -> tuple[str, int]:
        assert isinstance(node, ast.IsDistinctFrom)
        word = "IS NOT DISTINCT FROM" if node.negated else "IS DISTINCT FROM"
        sides = self.write(node.this, _COMPARISON), self.write(node.expression, _COMPARISON + 1)
        return f"{sides[0]} {word} {sides[1]}", _COMPARISON

    def like(self, node: exp.Expr) -> tuple[str, int]:
        assert isinstance(node, ast.Like)
        return self._like(node, "")

    def _like(self, node: ast.Like, word: str) -> tuple[str, int]:
        escape = "" if node.escape is None else f" ESCAPE {self.write(node.escape)}"
        return f"{self.write(node.this, _RANGE)} {word}{node.kind} {self.write(node.pattern, _RANGE)}{escape}", _RANGE

    def between(self, node: exp.Expr) -> tuple[str, int]:
        return self._between(node, "")

    def _between(self, node: exp.Expr, word: str) -> tuple[str, int]:
        kind = "SYMMETRIC" if node.args.get("symmetric") else "ASYMMETRIC"
        low, high = self.write(node.args["low"], _RANGE), self.write(node.args["high"], _RANGE)
        return f"{self.write(node.this, _RANGE)} {word}BETWEEN {kind} {low} AND {high}", _RANGE

    def in_(self, node: exp.Expr) -> tuple[str, int]:
        return self._in(node, "")

    def _in(self, node: exp.Expr, word: str) -> tuple[str, int]:
        return f"{self.write(node.this, _RANGE)} {word}IN ({self.list(node.expressions)})", _RANGE

    # --- values and calls

    def case(self, node: exp.Expr) -> tuple[str, int]:
        parts = ["CASE"]
        for branch in node.args["ifs"]:
            when = self.write(branch.this, _COMPARISON + 1 if node.this is not None else 0)
            if node.this is not None:
                when = f"{self.write(node.this, _COMPARISON)} = {when}"
            parts.append(f"WHEN {when} THEN {self.write(branch.args['true'])}")
        default = node.args.get("default")
        parts.append(f"ELSE {'NULL' if default is None else self.write(default)} END")
        return " ".join(parts), _ATOM

    def cast(self, node: exp.Expr) -> tuple[str, int]:
        word = "TRY_CAST" if isinstance(node, exp.TryCast) else "CAST"
        return f"{word}({self.write(node.this)} AS {_type(bind_type(node.args['to'], self._source))})", _ATOM

    def row(self, node: exp.Expr) -> tuple[str, int]:
        return f"ROW({self.list(node.expressions)})", _ATOM

    def array(self, node: exp.Expr) -> tuple[str, int]:
        return f"ARRAY[{self.list(node.expressions)}]", _ATOM

    def map(self, node: exp.Expr) -> tuple[str, int]:
        return f"MAP[{self.list(node.expressions)}]", _ATOM

    def item(self, node: exp.Expr) -> tuple[str, int]:
        assert isinstance(node, ast.ItemAccess)
        return f"{self.write(node.this, _ATOM)}[{self.write(node.item)}]", _ATOM

    def field(self, node: exp.Expr) -> tuple[str, int]:
        assert isinstance(node, ast.FieldAccess)
        return f"{self.write(node.this, _ATOM)}.{quote_identifier(node.field.name)}", _ATOM

    def call(self, node: exp.Expr) -> tuple[str, int]:
        assert isinstance(node, ast.Call)
        if node.args.get("bare"):
            return node.name, _ATOM
        words = _WORDS.get(node.name, ())
        texts = [self.write(argument) for argument in node.arguments]
        spoken = len(texts) > 1 and (node.name not in ("FLOOR", "CEIL") or isinstance(node.arguments[1], ast.Keyword))
        if not words or not spoken:
            return f"{node.name}({', '.join(texts)})", _ATOM
        text = texts[0] + "".join(word + part for word, part in zip(words, texts[1:], strict=False))
        return f"{node.name}({text})", _ATOM


def _string(text: str) -> str:
    doubled = text.replace("'", "''")
    return f"'{doubled}'" if doubled.isascii() else f"_UTF16'{doubled}'"


def _type(type_: LogicalType) -> str:
    match type_:
        case VarCharType(length=length) if length == MAX_LENGTH:
            text = "STRING"
        case VarBinaryType(length=length) if length == MAX_LENGTH:
            text = "BYTES"
        case TimestampLtzType():
            text = f"TIMESTAMP({type_.precision}) WITH LOCAL TIME ZONE"
        case _:
            text = type_.text()
    return text if type_.nullable else f"{text} NOT NULL"


_WRITERS: dict[type[exp.Expr], _Writer] = {
    **dict.fromkeys(_INFIX, _Text.infix),
    ast.ColumnRef: _Text.column,
    exp.Literal: _Text.literal,
    exp.Boolean: _Text.boolean,
    exp.Null: _Text.null,
    ast.TypedLiteral: _Text.typed,
    ast.BinaryLiteral: _Text.binary,
    ast.IntervalLiteral: _Text.interval,
    ast.Keyword: _Text.keyword,
    exp.Neg: _Text.negative,
    ast.Plus: _Text.plus,
    exp.Not: _Text.negation,
    ast.IsPredicate: _Text.is_predicate,
    ast.IsDistinctFrom: _Text.distinct,
    ast.Like: _Text.like,
    exp.Between: _Text.between,
    exp.In: _Text.in_,
    exp.Case: _Text.case,
    exp.Cast: _Text.cast,
    exp.TryCast: _Text.cast,
    ast.RowValue: _Text.row,
    ast.ArrayValue: _Text.array,
    ast.MapValue: _Text.map,
    ast.ItemAccess: _Text.item,
    ast.FieldAccess: _Text.field,
    ast.Call: _Text.call,
}
