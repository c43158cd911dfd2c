"""Type inference from the arguments' types or literal values, beyond what hints can express.

Source: FLIP-65, "Manual Definition"; the names are those of Flink's `TypeInference`, in Python's spelling.

    def get_type_inference(self) -> TypeInference:
        return TypeInference(
            input=InputTypeStrategies.sequence("INT", InputTypeStrategies.ANY),
            output=lambda call: call.argument_data_types[1],
        )
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

from compiled_plan.plans import types as t
from compiled_plan.plans.errors import ProgramError
from compiled_plan.plans.types.python.bridge import Bridged
from compiled_plan.plans.types.python.extraction import from_data_type

#: A type: its SQL text, a logical type, or a data type with its class.
TypeLike = Any


@dataclass(frozen=True, slots=True)
class ArgumentInfo:
    """An argument of a call: its type, and its value if it is a literal (`is_literal`)."""

    type: t.LogicalType
    is_literal: bool = False
    value: Any = None


@dataclass(frozen=True, slots=True)
class CallContext:
    """A call whose types are inferred.

    >>> import compiled_plan as cp
    >>> def output(call: cp.CallContext) -> object:
    ...     return "BIGINT" if call.get_argument_value(1) == "count" else call.argument_data_types[0]
    >>> class Fold(cp.ScalarFunction):
    ...     def eval(self, value, mode):
    ...         return 1 if mode == "count" else value
    ...     def get_type_inference(self) -> cp.TypeInference:
    ...         arguments = cp.InputTypeStrategies.sequence(cp.InputTypeStrategies.ANY, cp.InputTypeStrategies.LITERAL)
    ...         return cp.TypeInference(output, arguments)
    >>> items = cp.TableEnvironment().from_values([("nut", 3)], ["item", "price"])
    >>> items.select(cp.call(Fold, cp.col("item"), "count"), cp.call(Fold, cp.col("item"), "same"))
    Table(`EXPR$0` BIGINT, `EXPR$1` CHAR(3) NOT NULL)

    Args:
        name: the function's name.
        arguments: the arguments; after input inference, with the types they are cast to.
        fits: decides if a value of a type may be passed for another, with a cast if necessary.
    """

    name: str
    arguments: tuple[ArgumentInfo, ...]
    fits: Callable[[t.LogicalType, t.LogicalType], bool] = field(default=lambda actual, wanted: actual == wanted)

    @property
    def argument_data_types(self) -> tuple[t.LogicalType, ...]:
        """The types of the arguments."""
        return tuple(item.type for item in self.arguments)

    def get_argument_data_types(self) -> tuple[t.LogicalType, ...]:
        """The types of the arguments, by the name of Flink's method."""
        return self.argument_data_types

    def is_argument_literal(self, at: int) -> bool:
        """Return True if an argument is a literal, including NULL."""
        return self.arguments[at].is_literal

    def is_argument_null(self, at: int) -> bool:
        """Return True if an argument is the literal NULL."""
        return self.arguments[at].is_literal and self.arguments[at].value is None

    def get_argument_value(self, at: int, class_: type | None = None) -> object:
        """The value of a literal argument, converted to `class_` if set; None for others."""
        value = self.arguments[at].value
        return value if value is None or class_ is None or isinstance(value, class_) else class_(value)

    def fail(self, message: str) -> NoReturn:
        """Refuse the call.

        Raises:
            ProgramError: always, with the message.
        """
        raise ProgramError(f"invalid call of function {self.name}: {message}")


TypeStrategy = Callable[[CallContext], TypeLike]


@dataclass(frozen=True)
class ArgumentCount:
    """The number of arguments of a function; `most` is None if unlimited.

    >>> import compiled_plan as cp
    >>> print(cp.ArgumentCount.between(1, 2))
    1 to 2
    >>> cp.ArgumentCount.from_(2).takes(1)
    False
    """

    least: int = 0
    most: int | None = None

    def takes(self, count: int) -> bool:
        """Return True if a call may have `count` arguments."""
        return self.least <= count and (self.most is None or count <= self.most)

    def __str__(self) -> str:
        if self.most is None:
            return f"at least {self.least}"
        return str(self.least) if self.least == self.most else f"{self.least} to {self.most}"

    @classmethod
    def of(cls, count: int) -> ArgumentCount:
        """The call has exactly `count` arguments."""
        return cls(count, count)

    @classmethod
    def between(cls, least: int, most: int) -> ArgumentCount:
        """The call has `least` to `most` arguments."""
        return cls(least, most)

    @classmethod
    def from_(cls, least: int) -> ArgumentCount:
        """The call has at least `least` arguments."""
        return cls(least)

    @classmethod
    def any(cls) -> ArgumentCount:
        """The call has any number of arguments."""
        return cls()


@dataclass(frozen=True)
class InputTypeStrategy:
    """The arguments that a function accepts.

    Args:
        count: their number.
        infer: the types to cast them to (None: no cast), or None if they do not match.
        text: the signature's arguments, for errors.
        names: argument names, for calls by name.
    """

    count: ArgumentCount
    infer: Callable[[CallContext], Sequence[TypeLike | None] | None]
    text: str = "..."
    names: tuple[str, ...] = ()


@dataclass(frozen=True)
class ArgumentTypeStrategy:
    """A strategy for one argument: the type to cast it to, the argument's own type, or None if it does not match."""

    infer: Callable[[CallContext, int], TypeLike | None]
    text: str


def _argument(value: Any) -> ArgumentTypeStrategy:
    if isinstance(value, ArgumentTypeStrategy):
        return value
    if isinstance(value, TypedArgument):
        return _argument(value.type)
    wanted = from_data_type(value)

    def infer(call: CallContext, at: int) -> TypeLike | None:
        return wanted if call.fits(call.arguments[at].type, wanted.type) else None

    return ArgumentTypeStrategy(infer, str(wanted.type))


@dataclass(frozen=True)
class TypedArgument:
    """An argument with a name."""

    name: str
    type: Any


class InputTypeStrategies:
    """The standard input strategies. An argument is a type, or one of the strategies in capitals.

    >>> import compiled_plan as cp
    >>> strategy = cp.InputTypeStrategies.sequence("INT", cp.InputTypeStrategies.ANY)
    >>> strategy.text, str(strategy.count)
    ('INT, ANY', '2')
    """

    #: Any argument, without a cast.
    ANY = ArgumentTypeStrategy(lambda call, at: call.arguments[at].type, "ANY")
    #: An argument that is a literal other than NULL.
    LITERAL = ArgumentTypeStrategy(
        lambda call, at: (
            call.arguments[at].type if call.is_argument_literal(at) and not call.is_argument_null(at) else None
        ),
        "<LITERAL NOT NULL>",
    )
    #: No arguments.
    NO_ARGS = InputTypeStrategy(ArgumentCount.of(0), lambda call: (), "")
    #: Any number of arguments of any types.
    WILDCARD = InputTypeStrategy(ArgumentCount.any(), lambda call: (None,) * len(call.arguments), "*")

    @staticmethod
    def sequence(*arguments: object, names: Sequence[str] = ()) -> InputTypeStrategy:
        """These arguments, in this order."""
        parts = [_argument(argument) for argument in arguments]
        named = tuple(names) or tuple(item.name for item in arguments if isinstance(item, TypedArgument))

        def infer(call: CallContext) -> list[object] | None:
            inferred = [part.infer(call, at) for at, part in enumerate(parts)]
            return None if any(item is None for item in inferred) else inferred

        text = ", ".join(part.text for part in parts)
        return InputTypeStrategy(ArgumentCount.of(len(parts)), infer, text, named)

    explicit_sequence = sequence

    @staticmethod
    def varying_sequence(*arguments: object) -> InputTypeStrategy:
        """These arguments, the last of them any number of times, or not at all."""
        parts = [_argument(argument) for argument in arguments]

        def infer(call: CallContext) -> list[object] | None:
            inferred = [parts[min(at, len(parts) - 1)].infer(call, at) for at in range(len(call.arguments))]
            return None if any(item is None for item in inferred) else inferred

        text = ", ".join(part.text for part in parts) + "..."
        return InputTypeStrategy(ArgumentCount.from_(len(parts) - 1), infer, text)

    @staticmethod
    def or_(*strategies: InputTypeStrategy) -> InputTypeStrategy:
        """The first strategy that accepts the arguments."""
        least = min(item.count.least for item in strategies)
        open_ = any(item.count.most is None for item in strategies)
        most = None if open_ else max(item.count.most or 0 for item in strategies)

        def infer(call: CallContext) -> Sequence[object] | None:
            for item in strategies:
                inferred = item.infer(call) if item.count.takes(len(call.arguments)) else None
                if inferred is not None:
                    return inferred
            return None

        return InputTypeStrategy(ArgumentCount(least, most), infer, " | ".join(item.text for item in strategies))

    @staticmethod
    def explicit(type_: TypeLike) -> ArgumentTypeStrategy:
        """An argument of a type, with a cast if necessary."""
        return _argument(type_)

    @staticmethod
    def logical(*classes: type[t.LogicalType], text: str = "") -> ArgumentTypeStrategy:
        """An argument whose type is of one of these classes (`plans.types.logical.NumericType`), without a cast."""
        shown = text or " or ".join(class_.ROOT or class_.__name__ for class_ in classes)
        return ArgumentTypeStrategy(
            lambda call, at: call.arguments[at].type if isinstance(call.arguments[at].type, classes) else None,
            f"<{shown}>",
        )


class TypeStrategies:
    """The standard output strategies: functions from a call to a type.

    >>> import compiled_plan as cp
    >>> class Same(cp.ScalarFunction):
    ...     def eval(self, value):
    ...         return value
    ...     def get_type_inference(self) -> cp.TypeInference:
    ...         any_value = cp.InputTypeStrategies.sequence(cp.InputTypeStrategies.ANY)
    ...         output = cp.TypeStrategies.force_nullable(cp.TypeStrategies.argument(0))
    ...         return cp.TypeInference(output, any_value)
    >>> items = cp.TableEnvironment().from_values([("nut", 3)], ["item", "price"])
    >>> items.select(cp.call(Same, cp.col("price")).alias("x"))
    Table(x INT)
    """

    @staticmethod
    def explicit(type_: TypeLike) -> TypeStrategy:
        """The result has this type, whatever the arguments are."""
        bridged = from_data_type(type_)
        return lambda call: bridged

    @staticmethod
    def argument(at: int) -> TypeStrategy:
        """The type of an argument."""
        return lambda call: call.argument_data_types[at]

    @staticmethod
    def nullable_if_args(strategy: TypeStrategy) -> TypeStrategy:
        """The type of `strategy`, nullable if and only if an argument is."""
        return lambda call: from_data_type(strategy(call)).with_nullability(
            any(item.nullable for item in call.argument_data_types)
        )

    @staticmethod
    def force_nullable(strategy: TypeStrategy) -> TypeStrategy:
        """The type of `strategy`, nullable."""
        return lambda call: from_data_type(strategy(call)).with_nullability(True)

    @staticmethod
    def first(*strategies: TypeStrategy) -> TypeStrategy:
        """The first type that is not None."""
        return lambda call: next((type_ for item in strategies if (type_ := item(call)) is not None), None)


@dataclass(frozen=True)
class TypeInference:
    """The types of a function.

    >>> import compiled_plan as cp
    >>> class Same(cp.ScalarFunction):
    ...     def eval(self, value):
    ...         return value
    ...     def get_type_inference(self) -> cp.TypeInference:
    ...         any_value = cp.InputTypeStrategies.sequence(cp.InputTypeStrategies.ANY)
    ...         return cp.TypeInference(lambda call: call.argument_data_types[0], any_value)
    >>> items = cp.TableEnvironment().from_values([("nut", 3)], ["item", "price"])
    >>> items.select(cp.call(Same, cp.col("price")).alias("x"))
    Table(x INT NOT NULL)

    Args:
        output: the result's type: a type, or a function of the call after its arguments are cast.
        input: the accepted arguments; None: any.
        accumulator: of an aggregate, as `output`.
    """

    output: TypeStrategy | TypeLike
    input: InputTypeStrategy | None = None
    accumulator: TypeStrategy | TypeLike | None = None

    def __post_init__(self) -> None:
        if self.input is not None and not isinstance(self.input, InputTypeStrategy):
            raise ProgramError(
                f"TypeInference: the input is {self.input!r}, and no strategy",
                remedy='write InputTypeStrategies.sequence("INT", ...)',
            )

    @property
    def strategy(self) -> InputTypeStrategy:
        return self.input or InputTypeStrategies.WILDCARD

    def result(self, call: CallContext) -> Bridged:
        """The result's type.

        Raises:
            ProgramError: the strategy returns None.
        """
        type_ = _applied(self.output, call)
        if type_ is None:
            raise ProgramError(f"the result of function {call.name} has no type for these arguments")
        return from_data_type(type_, f"the result of function {call.name}")

    def state(self, call: CallContext) -> Bridged | None:
        """The accumulator's type; None if the strategy returns None."""
        type_ = _applied(self.accumulator, call)
        return None if type_ is None else from_data_type(type_, f"the accumulator of function {call.name}")

    @staticmethod
    def new_builder() -> TypeInferenceBuilder:
        """Create a builder, as in Flink."""
        return TypeInferenceBuilder()


def _applied(strategy: TypeStrategy | TypeLike, call: CallContext) -> TypeLike | None:
    is_type = isinstance(strategy, str | t.LogicalType | Bridged) or hasattr(strategy, "logical_type")
    return strategy if is_type or not callable(strategy) else strategy(call)


class TypeInferenceBuilder:
    """Builder of a TypeInference, as in Flink."""

    def __init__(self) -> None:
        self._input: InputTypeStrategy | None = None
        self._names: tuple[str, ...] = ()
        self._output: Any = None
        self._accumulator: object = None

    def named_arguments(self, *names: str) -> TypeInferenceBuilder:
        """Set the argument names, for calls by name."""
        self._names = names
        return self

    def typed_arguments(self, *types: TypeLike) -> TypeInferenceBuilder:
        """Set the arguments' types, in order."""
        return self.input_type_strategy(InputTypeStrategies.sequence(*types))

    def input_type_strategy(self, strategy: InputTypeStrategy) -> TypeInferenceBuilder:
        """Set the number and types of arguments that a call may have."""
        self._input = strategy
        return self

    def output_type_strategy(self, strategy: TypeStrategy | TypeLike) -> TypeInferenceBuilder:
        """Set the type of the result, or how the call determines it."""
        self._output = strategy
        return self

    def accumulator_type_strategy(self, strategy: TypeStrategy | TypeLike) -> TypeInferenceBuilder:
        """Set the type of an aggregate's accumulator."""
        self._accumulator = strategy
        return self

    def build(self) -> TypeInference:
        """Build the TypeInference.

        Raises:
            ProgramError: no output was set.
        """
        if self._output is None:
            raise ProgramError("a type inference needs an output", remedy="call output_type_strategy(...)")
        strategy = self._input
        if strategy is not None and self._names:
            strategy = InputTypeStrategy(strategy.count, strategy.infer, strategy.text, self._names)
        return TypeInference(self._output, strategy, self._accumulator)
