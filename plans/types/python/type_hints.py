"""Type hints for facts that Python annotations cannot express: precision, row types, overloads.

Source: FLIP-65, "Annotation extraction"; its ANY is RAW here, and its `takeArbitraryInput` is `input_group=ANY`, as
in current Flink.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from enum import Enum
from typing import Any, TypeVar

from compiled_plan.plans.errors import ProgramError

Target = TypeVar("Target", bound=Any)

#: The only version of the extraction.
CURRENT_VERSION = 1
_ON_FUNCTION, ON_CLASS = "__function_hints__", "__data_type_hint__"


class InputGroup(Enum):
    """A group of types that an argument may have."""

    UNKNOWN = "UNKNOWN"
    ANY = "ANY"


ANY = InputGroup.ANY


@dataclass(frozen=True)
class DataTypeHint:
    """The type of a parameter, field, result or class, or options for its extraction.

    Used in `Annotated[...]`, in a `function_hint`, or as a decorator of a class (for its fields) or a method (for its
    result).

    >>> import compiled_plan as cp
    >>> class Half(cp.ScalarFunction):
    ...     @cp.DataTypeHint("DECIMAL(10, 2)")
    ...     def eval(self, number: int):
    ...         return number / 2
    >>> items = cp.TableEnvironment().from_values([("nut", 3)], ["item", "price"])
    >>> items.select(cp.call(Half, cp.col("price")).alias("half"))
    Table(half DECIMAL(10, 2))

    Args:
        value: the type in SQL (`"DECIMAL(5, 2)"`), a data type, a Python type to extract one from, or "RAW".
        bridged_to: the Python class of the values.
        version: of the extraction rules; the current one is 1.
        allow_raw_globally: accept objects of classes without an SQL type as RAW, instead of refusing them.
        allow_raw_pattern: the same for classes whose full names have one of these prefixes.
        force_raw_pattern: treat objects of these classes as RAW, even if they have another type.
        default_decimal_precision: of `Decimal`, which has no SQL type without it.
        default_decimal_scale: of `Decimal`; 0 if not set.
        default_year_precision: of year-month intervals; with 0 they are intervals of months.
        default_second_precision: digits of fractions of seconds, of timestamps, times and intervals.
        input_group: ANY accepts arguments of all types.
    """

    value: Any = ""
    bridged_to: type | None = None
    version: int | None = None
    allow_raw_globally: bool | None = None
    allow_raw_pattern: Sequence[str] | None = None
    force_raw_pattern: Sequence[str] | None = None
    default_decimal_precision: int | None = None
    default_decimal_scale: int | None = None
    default_year_precision: int | None = None
    default_second_precision: int | None = None
    input_group: InputGroup | str = InputGroup.UNKNOWN

    def __post_init__(self) -> None:
        if self.bridged_to is not None and not isinstance(self.bridged_to, type):
            raise ProgramError(f"DataTypeHint: bridged_to is {self.bridged_to!r}", remedy="give a class")
        if self.version not in (None, CURRENT_VERSION):
            raise ProgramError(
                f"DataTypeHint: there is no version {self.version} of the extraction",
                remedy=f"leave `version` out, or write version={CURRENT_VERSION}",
            )
        if self.allow_raw_globally and (self.allow_raw_pattern or self.force_raw_pattern):
            raise ProgramError(
                "DataTypeHint: patterns of RAW classes say nothing where allow_raw_globally is set",
                remedy="leave out allow_raw_globally, or the patterns",
            )
        for name in ("allow_raw_pattern", "force_raw_pattern"):
            value = getattr(self, name)
            patterns = (value,) if isinstance(value, str) else value and tuple(value)
            if patterns and not all(isinstance(item, str) and item for item in patterns):
                raise ProgramError(f"DataTypeHint: {name} is {value!r}", remedy="give the beginnings of class names")
            object.__setattr__(self, name, patterns)
        self._check_numbers()
        try:
            object.__setattr__(self, "input_group", InputGroup(getattr(self.input_group, "value", self.input_group)))
        except ValueError:
            raise ProgramError(
                f"DataTypeHint: unknown input group {self.input_group!r}", remedy="write input_group=ANY"
            ) from None

    def _check_numbers(self) -> None:
        limits = {"decimal_precision": (1, 38), "decimal_scale": (0, 38), "year_precision": (0, 4)}
        for name, (least, most) in (limits | {"second_precision": (0, 9)}).items():
            value = getattr(self, f"default_{name}")
            if value is not None and not (type(value) is int and least <= value <= most):
                raise ProgramError(
                    f"DataTypeHint: default_{name} is {value!r}", remedy=f"it must be from {least} to {most}"
                )

    @property
    def takes_any(self) -> bool:
        """True if arguments of all types are accepted."""
        return self.input_group is InputGroup.ANY

    @property
    def names_type(self) -> bool:
        """True if the hint names a type, not only options for its extraction."""
        return not (isinstance(self.value, str) and not self.value)

    def inside(self, outer: DataTypeHint) -> DataTypeHint:
        """This hint, with unset extraction options inherited from the enclosing hint."""
        inherited = {
            item.name: getattr(outer, item.name)
            for item in fields(DataTypeHint)
            if item.name not in ("value", "bridged_to", "input_group") and getattr(self, item.name) is None
        }
        return replace(self, **inherited) if any(value is not None for value in inherited.values()) else self

    def __reduce__(self) -> tuple[object, ...]:
        # Hints are read when a function is registered; workers do not need them.
        return DataTypeHint, ()

    def __call__(self, target: Target) -> Target:
        """Decorate a class or a method."""
        if isinstance(target, type):
            if self.takes_any or (self.bridged_to is not None and not self.names_type):
                option = "input_group" if self.takes_any else "bridged_to without a type"
                raise ProgramError(
                    f"the DataTypeHint above class {target.__qualname__} has {option}, which says nothing of a class",
                    remedy="leave it out, or write it at the parameter: Annotated[..., DataTypeHint(...)]",
                )
            setattr(target, ON_CLASS, self)
        else:
            _add(target, FunctionHint(output=self))
        return target


def class_hint(class_: type) -> DataTypeHint | None:
    """The hint that decorates a class, or its nearest decorated base class."""
    hint = next((vars(base)[ON_CLASS] for base in class_.__mro__ if ON_CLASS in vars(base)), None)
    return hint if isinstance(hint, DataTypeHint) else None


@dataclass(frozen=True)
class FunctionHint:
    """A full or partial signature; unset parts are extracted. See `function_hint`."""

    input: tuple[DataTypeHint, ...] | None = None
    is_varargs: bool | None = None
    accumulator: DataTypeHint | None = None
    output: DataTypeHint | None = None
    argument_names: tuple[str, ...] | None = None

    def __reduce__(self) -> tuple[object, ...]:
        return FunctionHint, ()

    def over(self, outer: FunctionHint) -> FunctionHint:
        """This hint, with unset parts inherited from the hint of the class."""
        own_input = self.input is not None
        return FunctionHint(
            self.input if own_input else outer.input,
            self.is_varargs if own_input or self.is_varargs is not None else outer.is_varargs,
            self.accumulator or outer.accumulator,
            self.output or outer.output,
            self.argument_names if own_input or self.argument_names else outer.argument_names,
        )


def function_hint(
    *,
    input: Any = None,
    is_varargs: bool | None = None,
    accumulator: object = None,
    output: object = None,
    argument_names: Sequence[str] | None = None,
) -> Callable[[Target], Target]:
    """Decorator that declares types of a function: on a class for all its methods, or on a method.

    Several decorators are overloads. Hints of a method take precedence over those of the class, which supply what they
    leave unset.

    >>> import compiled_plan as cp
    >>> @cp.function_hint(input=["INT"], output="DECIMAL(10, 2)")
    ... class Half(cp.ScalarFunction):
    ...     def eval(self, number):
    ...         return number / 2
    >>> items = cp.TableEnvironment().from_values([("nut", 3)], ["item", "price"])
    >>> items.select(cp.call(Half, cp.col("price").cast("INT")).alias("half"))
    Table(half DECIMAL(10, 2))

    Args:
        input: the types of the arguments: a list of hints, SQL types or data types.
        is_varargs: the last argument may be repeated any number of times, or omitted.
        accumulator: the type of an aggregate's accumulator.
        output: the type of the result.
        argument_names: for calls by name, `f(a => 1)`.

    Raises:
        ProgramError: an invalid type in `input`.
    """
    if is_varargs not in (None, True, False):
        raise ProgramError(
            f"function_hint: is_varargs is {is_varargs!r}", remedy="write True or False, or leave it out"
        )
    argument_names = [argument_names] if isinstance(argument_names, str) else argument_names
    listed = None if input is None else [input] if _is_one(input) else list(input)
    hint = FunctionHint(
        None if listed is None else tuple(map(_hint, listed)),
        is_varargs,
        None if accumulator is None else _hint(accumulator),
        None if output is None else _hint(output),
        None if argument_names is None else tuple(argument_names),
    )
    for at, item in enumerate(hint.input or (), start=1):
        if not (item.names_type or item.takes_any or item.bridged_to is not None):
            raise ProgramError(
                f"function_hint: argument {at} of the input names no type",
                remedy='write DataTypeHint("<type>"); how a type is found is said at the parameter: Annotated[...]',
            )
    if hint.is_varargs and hint.input == ():
        raise ProgramError("function_hint: is_varargs without an input", remedy="name the type that may be repeated")

    def decorate(target: Target) -> Target:
        return _add(target, hint)

    return decorate


def _add(target: Target, hint: FunctionHint) -> Target:
    # Decorators run bottom-up: the topmost is the first overload.
    setattr(target, _ON_FUNCTION, (hint, *vars(target).get(_ON_FUNCTION, ())))
    return target


def _is_one(value: object) -> bool:
    return isinstance(value, DataTypeHint | str | type) or not isinstance(value, Sequence)


def _hint(value: object) -> DataTypeHint:
    return value if isinstance(value, DataTypeHint) else DataTypeHint(value)


def function_hints(target: object) -> tuple[FunctionHint, ...]:
    """The hints of a method, or of a class: its own, else those of the nearest base class."""
    if not isinstance(target, type):
        return tuple(getattr(target, _ON_FUNCTION, ()))
    hint_lists = (vars(class_).get(_ON_FUNCTION) for class_ in target.__mro__)
    return next((tuple(hints) for hints in hint_lists if hints), ())
