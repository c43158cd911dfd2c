"""Options as typed values: `Configuration`, and the declaration of single options.

Source: PyFlink's `Configuration`, `ConfigOption` and `ConfigOptions`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableMapping
from dataclasses import dataclass
from typing import Self, TypeVar

from compiled_plan.plans.errors import ProgramError

Value = TypeVar("Value")


class Configuration:
    """Options by key, read and written in types.

    Args:
        other: a configuration to copy.
    """

    def __init__(self, other: Configuration | None = None) -> None:
        self._values: MutableMapping[str, str] = {} if other is None else other.to_dict()

    @classmethod
    def view(cls, values: MutableMapping[str, str]) -> Self:
        """A configuration that reads and writes this mapping."""
        configuration = cls()
        configuration._values = values
        return configuration

    @classmethod
    def from_dict(cls, map: Mapping[str, str]) -> Self:
        """A configuration with these options."""
        return cls.view({str(key): option_text(value) for key, value in map.items()})

    def get_string(self, key: str, default_value: str) -> str:
        """The text of an option, or the default value."""
        return self._values.get(key, default_value)

    def get_integer(self, key: str, default_value: int) -> int:
        """The integer of an option, or the default value.

        Raises:
            ProgramError: the option's value is not an integer. The other typed methods raise likewise.
        """
        return self._read(key, default_value, int)

    def get_boolean(self, key: str, default_value: bool) -> bool:
        """The truth value of an option, or the default value."""
        return self._read(key, default_value, _boolean)

    def get_float(self, key: str, default_value: float) -> float:
        """The number of an option, or the default value."""
        return self._read(key, default_value, float)

    def get_bytearray(self, key: str, default_value: bytearray) -> bytearray:
        """The bytes of an option, or the default value."""
        return self._read(key, default_value, bytearray.fromhex)

    def set_string(self, key: str, value: str) -> Self:
        """Set an option to a text."""
        return self._put(key, value)

    def set_integer(self, key: str, value: int) -> Self:
        """Set an option to an integer."""
        return self._put(key, value)

    def set_boolean(self, key: str, value: bool) -> Self:
        """Set an option to true or false."""
        return self._put(key, value)

    def set_float(self, key: str, value: float) -> Self:
        """Set an option to a number."""
        return self._put(key, value)

    def set_bytearray(self, key: str, value: bytearray) -> Self:
        """Set an option to bytes."""
        return self._put(key, bytes(value).hex())

    def key_set(self) -> set[str]:
        """The keys of all options that are set."""
        return set(self._values)

    def contains_key(self, key: str) -> bool:
        """Return True if the option is set."""
        return key in self._values

    def remove_config(self, key: str) -> bool:
        """Unset an option; return False if it was not set."""
        return self._values.pop(key, None) is not None

    def add_all(self, other: Configuration, prefix: str | None = None) -> Self:
        """Set all options of another configuration, with a prefix before their keys."""
        for key, value in other.to_dict().items():
            self._put((prefix or "") + key, value)
        return self

    def add_all_to_dict(self, target_dict: dict[str, str]) -> None:
        """Write all options into a dict."""
        target_dict.update(self._values)

    def to_dict(self) -> dict[str, str]:
        """All options that are set, by key."""
        return dict(self._values)

    @staticmethod
    def parse_list_value(value: str) -> list[str]:
        """The elements of a list: `[a, b]`, or texts separated by semicolons."""
        text = (value or "").strip()
        if text.startswith("[") and text.endswith("]"):
            return [part.strip().strip("'\"") for part in text[1:-1].split(",") if part.strip()]
        return text.split(";") if text else []

    def _read(self, key: str, default: Value, convert: Callable[[str], Value]) -> Value:
        if key not in self._values:
            return default
        try:
            return convert(self._values[key])
        except ValueError:
            raise ProgramError(
                f"the value of {key!r} is {self._values[key]!r}, which is no {type(default).__name__}",
                remedy="read it with get_string, or set another value",
            ) from None

    def _put(self, key: str, value: object) -> Self:
        self._values[key] = option_text(value)
        return self

    def __deepcopy__(self, memo: object) -> Configuration:
        return Configuration(self)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Configuration) and self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        return hash(frozenset(self._values.items()))

    def __str__(self) -> str:
        return "{" + ", ".join(f"{key}={value}" for key, value in self._values.items()) + "}"


def option_text(value: object) -> str:
    """The text of an option's value, as SET has it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _boolean(text: str) -> bool:
    truths = {"true": True, "false": False}
    if text.strip().lower() not in truths:
        raise ValueError(text)
    return truths[text.strip().lower()]


@dataclass(frozen=True)
class ConfigOption:
    """A declared option: its key and default, for `option(...)` of descriptors."""

    key: str
    default: object = None


@dataclass(frozen=True)
class OptionWithoutDefault:
    """A declaration that needs a default value."""

    key: str

    def default_value(self, value: object) -> ConfigOption:
        """The option with a default value."""
        return ConfigOption(self.key, value)

    def no_default_value(self) -> ConfigOption:
        """The option without a default value."""
        return ConfigOption(self.key)


@dataclass(frozen=True)
class UntypedOption:
    """A declaration that needs a type."""

    name: str

    def _typed(self) -> OptionWithoutDefault:
        return OptionWithoutDefault(self.name)

    def boolean_type(self) -> OptionWithoutDefault:
        """An option with true or false."""
        return self._typed()

    def int_type(self) -> OptionWithoutDefault:
        """An option with integers of 32 bits."""
        return self._typed()

    def long_type(self) -> OptionWithoutDefault:
        """An option with integers of 64 bits."""
        return self._typed()

    def float_type(self) -> OptionWithoutDefault:
        """An option with numbers of 32 bits."""
        return self._typed()

    def double_type(self) -> OptionWithoutDefault:
        """An option with numbers of 64 bits."""
        return self._typed()

    def string_type(self) -> OptionWithoutDefault:
        return self._typed()


class ConfigOptions:
    OptionBuilder = UntypedOption
    TypedConfigOptionBuilder = OptionWithoutDefault

    @staticmethod
    def key(key: str) -> UntypedOption:
        """Begin the declaration of an option."""
        return UntypedOption(key)
