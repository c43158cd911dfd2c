"""SQL text of expressions, which plans store for computed columns and watermarks.

Source: the `serializableString`s of Flink 2.3's plans: identifiers in backquotes, keywords and functions in capitals,
parentheses only where operator precedence requires them.
"""

from __future__ import annotations

from collections.abc import Iterable

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

#: Precedences, the higher the tighter; all other expressions need no parentheses.
_ATOM, _UNARY, _PRODUCT, _SUM, _RANGE, _COMPARISON, _POSTFIX, _NOT, _AND, _OR = 100, 80, 60, 40, 32, 30, 28, 26, 24, 22

_INFIX = {
    "OR": _OR,
    "AND": _AND,
    **dict.fromkeys(("=", "<>", "<", "<=", ">", ">=", "IS DISTINCT FROM", "IS NOT DISTINCT FROM"), _COMPARISON),
    **dict.fromkeys(("+", "-"), _SUM),
    **dict.fromkeys(("*", "/", "%", "||"), _PRODUCT),
}

#: Functions with keywords instead of commas between arguments.
_WORDS: dict[str, tuple[str, ...]] = {
    "EXTRACT": (" FROM ",),
    "FLOOR": (" TO ",),
    "CEIL": (" TO ",),
    "POSITION": (" IN ",),
    "TRIM": (" ", " FROM "),
    "OVERLAY": (" PLACING ", " FROM ", " FOR "),
}


def unparse(node: ast.Expression, source: SourceText) -> str:
    """The SQL text of an expression."""
    return _Text(source).write(node)


class _Text:
    def __init__(self, source: SourceText) -> None:
        self._source = source

    def write(self, node: ast.Expression, above: int = 0) -> str:
        """The text, in parentheses if the enclosing operator of precedence `above` requires them."""
        text, precedence = self._written(node)
        return f"({text})" if precedence < above else text

    def _list(self, nodes: Iterable[ast.Expression]) -> str:
        return ", ".join(self.write(node) for node in nodes)

    def _written(self, node: ast.Expression) -> tuple[str, int]:
        """The text, and the precedence of its outermost operator."""
        match node:
            case ast.Binary(operator, left, right) if operator in _INFIX:
                precedence = _INFIX[operator]
                # Left-associative: equal precedence only needs parentheses on the right.
                return f"{self.write(left, precedence)} {operator} {self.write(right, precedence + 1)}", precedence
            case ast.Unary("NOT", ast.Like() | ast.Between() | ast.In() as predicate):
                return self._range(predicate, "NOT ")
            case ast.Unary("NOT", operand):
                return f"NOT {self.write(operand, _NOT)}", _NOT
            case ast.Unary("-", ast.Constant() as constant):
                return f"-{self.write(constant)}", _ATOM
            case ast.Unary(sign, operand):
                return f"{sign} {self.write(operand, _UNARY)}", _UNARY
            case ast.IsPredicate(operand, kind, negated):
                return f"{self.write(operand, _POSTFIX)} IS {'NOT ' if negated else ''}{kind}", _POSTFIX
            case ast.Like() | ast.Between() | ast.In():
                return self._range(node, "")
        return self._atom(node), _ATOM

    def _range(self, node: ast.Like | ast.Between | ast.In, word: str) -> tuple[str, int]:
        match node:
            case ast.Like():
                escape = "" if node.escape is None else f" ESCAPE {self.write(node.escape)}"
                text = f"{node.kind} {self.write(node.pattern, _RANGE)}{escape}"
            case ast.Between():
                kind = "SYMMETRIC" if node.symmetric else "ASYMMETRIC"
                text = f"BETWEEN {kind} {self.write(node.low, _RANGE)} AND {self.write(node.high, _RANGE)}"
            case ast.In():
                text = f"IN ({self._list(node.items)})"
        return f"{self.write(node.operand, _RANGE)} {word}{text}", _RANGE

    def _atom(self, node: ast.Expression) -> str:
        """The text of an expression that never needs parentheses; copied from the script if possible."""
        match node:
            case ast.ColumnRef():
                return ".".join(map(quote_identifier, node.names))
            case ast.Constant():
                return _string(node.text) if node.is_string else node.text.upper()
            case ast.TruthValue(bool(truth)):
                return str(truth).upper()
            case ast.Null():
                return "NULL"
            case ast.TypedLiteral():
                return f"{node.kind} '{node.value}'"
            case ast.BinaryLiteral():
                return f"X'{node.value.upper()}'"
            case ast.IntervalLiteral(amount):
                value = f"'{amount}'" if isinstance(amount, str) else self.write(amount, _ATOM)
                return f"INTERVAL {'-' if node.negative else ''}{value} {qualifier_text(node.unit)}"
            case ast.Difference():
                return f"({self.write(node.left, _ATOM)} - {self.write(node.right, _ATOM)}) {qualifier_text(node.unit)}"
            case ast.Keyword():
                return node.word
            case ast.Case():
                return self._case(node)
            case ast.Cast():
                word = "TRY_CAST" if node.safe else "CAST"
                return f"{word}({self.write(node.operand)} AS {_type(bind_type(node.type, self._source))})"
            case ast.RowValue():
                return f"ROW({self._list(node.items)})"
            case ast.Collection():
                return f"{node.kind}[{self._list(node.items)}]"
            case ast.ItemAccess():
                return f"{self.write(node.operand, _ATOM)}[{self.write(node.item)}]"
            case ast.FieldAccess(operand, ast.Identifier(name)):
                return f"{self.write(operand, _ATOM)}.{quote_identifier(name)}"
            case ast.Call():
                return self._call(node)
        assert node.span is not None
        return self._source.text[node.span.start : node.span.end]

    def _case(self, node: ast.Case) -> str:
        parts = [f"WHEN {self.write(branch.condition)} THEN {self.write(branch.result)}" for branch in node.branches]
        default = "NULL" if node.default is None else self.write(node.default)
        return " ".join(["CASE", *parts, f"ELSE {default} END"])

    def _call(self, node: ast.Call) -> str:
        if node.bare:
            return node.name
        words = _WORDS.get(node.name, ())
        texts = [self.write(argument) for argument in node.arguments]
        spoken = len(texts) > 1 and (node.name not in ("FLOOR", "CEIL") or isinstance(node.arguments[1], ast.Keyword))
        if not words or not spoken:
            return f"{node.name}({', '.join(texts)})"
        text = texts[0] + "".join(word + part for word, part in zip(words, texts[1:], strict=False))
        return f"{node.name}({text})"


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
