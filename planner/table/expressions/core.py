"""Base of all expressions: an immutable wrapper of an AST node of SQL, with its Python text for errors."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn, Self, TypeVar, overload

from compiled_plan.planner.sql import nodes as ast
from compiled_plan.planner.table.building.nodes import Wrapper, identifier, named
from compiled_plan.planner.table.building.python_literals import node_of
from compiled_plan.plans.errors import ProgramError


class Operand(Wrapper):
    """Base of `Expression`: the node, its text, and the creation of derived expressions."""

    __slots__ = ("_infix", "_property")

    _infix: bool
    _property: bool

    def __init__(self, node: ast.Expression, *, infix: bool = False, is_property: bool = False) -> None:
        object.__setattr__(self, "_node", node)
        object.__setattr__(self, "_infix", infix)
        object.__setattr__(self, "_property", is_property)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"an expression cannot be changed: {name} = {value!r}")

    if not TYPE_CHECKING:  # type checkers know the existing methods

        def __getattr__(self, name: str) -> NoReturn:
            from compiled_plan.planner.table.building.unfinished import no_method

            raise no_method(text_of(self), type(self), name)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __repr__(self) -> str:
        return text_of(self)

    def __call__(self) -> Self:
        """Return the expression itself, so that `col("a").sum()` is `col("a").sum`."""
        if not self._property:
            raise TypeError(f"{text_of(self)} is no function, so it cannot be called")
        return self

    def __bool__(self) -> NoReturn:
        raise TypeError(
            f"{text_of(self)} is an expression, which is neither true nor false: combine conditions with & and | and "
            "~ in place of and, or, not, with parentheses around comparisons"
        )

    def __iter__(self) -> NoReturn:
        raise TypeError(f"{text_of(self)} is one expression, which cannot be iterated over")

    # --- making

    def _new(self, node: ast.Expression, text: str, *, infix: bool = False) -> Self:
        return self._make(named(node, text), infix=infix)

    @classmethod
    def _make(cls, node: ast.Expression, **flags: bool) -> Self:
        """The expression of a node, of the class that methods return."""
        return cls(node, **flags)

    def _method(self, node: ast.Expression, name: str, *arguments: object) -> Self:
        """The expression returned by the method `name`."""
        shown = ", ".join(map(shown_of, arguments))
        return self._new(node, f"{_inner(self)}.{name}({shown})")

    def _call(self, name: str, function: str, *arguments: object) -> Self:
        """The call of an SQL function with this expression as its first argument, by the method `name`."""
        return self._method(call_node(function, self, *arguments), name, *arguments)

    def _binary(
        self,
        operator: str,
        operand: object,
        *,
        sign: str = "",
        swapped: bool = False,
        class_: type[ast.Binary] = ast.Binary,
    ) -> Self:
        """The expression of an SQL operator; `sign` is its Python symbol if that differs."""
        left, right = (operand, self) if swapped else (self, operand)
        node = class_(operator, node_of(left), node_of(right))
        return self._new(node, f"{_inner(left)} {sign or operator} {_inner(right)}", infix=True)


AnyOperand = TypeVar("AnyOperand", bound=Operand)


class FunctionProperty:
    """A property that calls an SQL function: `upper_case = FunctionProperty("UPPER", "...")`."""

    def __init__(self, function: str, doc: str) -> None:
        self._function = function
        self._name = function.lower()
        self.__doc__ = doc

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type) -> Self: ...

    @overload
    def __get__(self, instance: AnyOperand, owner: type) -> AnyOperand: ...

    def __get__(self, instance: AnyOperand | None, owner: type) -> AnyOperand | Self:
        if instance is None:
            return self  # Read from the class, as help() does.
        return as_property(instance, call_node(self._function, instance), self._name)


def as_property(operand: AnyOperand, node: ast.Expression, name: str) -> AnyOperand:
    """The expression returned by the property `name`, which also accepts `()`."""
    return operand._make(named(node, f"{_inner(operand)}.{name}"), is_property=True)


def call_node(function: str, *arguments: object) -> ast.Call:
    """The call of an SQL function; its name may have up to three parts, separated by dots."""
    return ast.Call(tuple(map(identifier, function.split("."))), tuple(map(node_of, arguments)))


def present(*values: object | None) -> tuple[object, ...]:
    """The arguments of a call without those that are None."""
    return tuple(value for value in values if value is not None)


def pairs_of(function: str, values: tuple[object, ...], fields: dict[str, object]) -> list[object]:
    """Alternating names and values, positional ones first, then keyword ones.

    Raises:
        ProgramError: a name without a value, or a name that is no text.
    """
    if len(values) % 2:
        raise refuse(
            f"{function}() takes names and values in turn, and the last name has no value", 'write "name", value'
        )
    for key in values[::2]:
        if not isinstance(key, str | Operand):
            raise refuse(f"{function}() takes names and values in turn, and {key!r} is no name", 'write "name", value')
    named_fields = [part for pair in fields.items() for part in pair]
    return [*values, *named_fields]


def text_of(value: Operand) -> str:
    """The Python text of an expression."""
    return value._node.python or type(value).__name__


def shown_of(value: object) -> str:
    """A value in Python syntax."""
    return text_of(value) if isinstance(value, Operand) else repr(value)


def _inner(value: object) -> str:
    """As `shown_of`, in parentheses if an operator around it requires them."""
    text = shown_of(value)
    return f"({text})" if isinstance(value, Operand) and value._infix else text


def refuse(problem: str, remedy: str) -> ProgramError:
    """The error for an invalid expression."""
    return ProgramError(problem, remedy=remedy)
