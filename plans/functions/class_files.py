"""Java class files: methods with their types, names and annotations, read without a JVM.

Source: the Java Virtual Machine Specification, chapter 4.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from compiled_plan.plans.functions.java_types import Type, method_types, superclass_of, type_of

_PUBLIC, _STATIC, _VARARGS = 0x0001, 0x0008, 0x0080
_SYNTHETIC = 0x1040  # synthetic methods, and bridges
#: Sizes of the constants without a value of interest, by tag.
_SIZES = {4: 4, 5: 8, 6: 8, 9: 4, 10: 4, 11: 4, 12: 4, 15: 3, 17: 4, 18: 4, 19: 2, 20: 2}
_WIDE = (5, 6)  # long and double take two places
_LOADS = {"J": 2, "D": 2}


@dataclass(frozen=True, slots=True)
class Annotation:
    """An annotation: its class, with slashes, and its values."""

    name: str
    values: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Method:
    """A public method.

    Args:
        name: its name.
        descriptor: its types without type arguments, which identify it.
        parameters: the types of its parameters.
        result: the type of its result.
        names: the names of its parameters; empty if the class file has none.
        varargs: True if the last parameter takes any number of values.
        annotations: its annotations.
        of_parameters: the annotations of each parameter.
        code: its bytecode.
    """

    name: str
    descriptor: str
    parameters: tuple[Type, ...]
    result: Type
    names: tuple[str, ...]
    varargs: bool
    annotations: tuple[Annotation, ...]
    of_parameters: tuple[tuple[Annotation, ...], ...]
    code: bytes


@dataclass(frozen=True, slots=True)
class ClassFile:
    """A class: its superclass, with type arguments, its public methods and its annotations."""

    superclass: Type
    methods: tuple[Method, ...]
    annotations: tuple[Annotation, ...]


def read_class(data: bytes) -> ClassFile:
    """Read a class file.

    Raises:
        ValueError: it is none.
    """
    try:
        return _Reader(data).read()
    except (struct.error, LookupError, TypeError, ValueError, RecursionError) as fault:
        raise ValueError(f"no class file: {fault}") from None


@dataclass
class _Reader:
    data: bytes
    at: int = 0
    constants: list[Any] = field(default_factory=list)

    def number(self, form: str) -> int:
        (value,) = struct.unpack_from(f">{form}", self.data, self.at)
        self.at += struct.calcsize(f">{form}")
        return int(value)

    def skip(self, size: int) -> None:
        """Move on; a method, as `at += number(...)` would lose the move of `number`."""
        self.at += size

    def text(self) -> str:
        """The text at the next index of a constant."""
        return str(self.constants[self.number("H")])

    def read(self) -> ClassFile:
        if self.number("I") != 0xCAFEBABE:
            raise ValueError("another magic number")
        self.at = 8
        self._read_constants()
        self.at += 4
        superclass = Type(self._class(self.number("H")))
        self.skip(2 * self.number("H"))
        for _ in range(self.number("H")):
            self.at += 6
            self._attributes()
        methods = [method for _ in range(self.number("H")) if (method := self._method()) is not None]
        attributes = self._attributes()
        if "Signature" in attributes:
            superclass = superclass_of(attributes["Signature"].text())
        return ClassFile(superclass, tuple(methods), attributes.annotations())

    def _read_constants(self) -> None:
        count = self.number("H")
        self.constants = [None] * count
        place = 1
        while place < count:
            tag = self.number("B")
            if tag == 1:
                size = self.number("H")
                self.constants[place] = _decoded(self.data[self.at : self.at + size])
                self.at += size
            elif tag in (7, 8, 16):
                self.constants[place] = self.number("H")
            elif tag == 3:
                self.constants[place] = self.number("i")
            else:
                self.at += _SIZES[tag]
            place += 2 if tag in _WIDE else 1

    def _class(self, place: int) -> str:
        return str(self.constants[self.constants[place]]) if place else ""

    def _method(self) -> Method | None:
        flags, name, descriptor = self.number("H"), self.text(), self.text()
        attributes = self._attributes()
        if not flags & _PUBLIC or flags & _SYNTHETIC:
            return None
        parameters, result = method_types(descriptor)
        if "Signature" in attributes:
            generic = method_types(attributes["Signature"].text())
            parameters, result = generic if len(generic[0]) == len(parameters) else (parameters, result)
        return Method(
            name,
            descriptor,
            parameters,
            result,
            attributes.names(descriptor, is_static=bool(flags & _STATIC)),
            bool(flags & _VARARGS),
            attributes.annotations(),
            attributes.of_parameters(),
            attributes.code(),
        )

    def _attributes(self) -> _Attributes:
        attributes = _Attributes()
        for _ in range(self.number("H")):
            name, size = self.text(), self.number("I")
            attributes[name] = _Reader(self.data[self.at : self.at + size], 0, self.constants)
            self.at += size
        return attributes

    def annotation(self) -> Annotation:
        name = self.text()[1:-1]
        return Annotation(name, {self.text(): self._value() for _ in range(self.number("H"))})

    def _value(self) -> object:
        tag = chr(self.number("B"))
        match tag:
            case "@":
                return self.annotation()
            case "[":
                return [self._value() for _ in range(self.number("H"))]
            case "e":
                self.at += 2
                return self.text()
            case "c":
                return type_of(self.text())
        value = self.constants[self.number("H")]
        return bool(value) if tag == "Z" else value


def _decoded(data: bytes) -> str:
    """A text in modified UTF-8: NUL has two bytes, and a supplementary character is a pair of surrogates."""
    text = data.replace(b"\xc0\x80", b"\x00").decode("utf-8", "surrogatepass")
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


class _Attributes(dict[str, _Reader]):
    """The attributes of a class, a method or its code, each at its start."""

    def annotations(self) -> tuple[Annotation, ...]:
        reader = self.get("RuntimeVisibleAnnotations")
        return () if reader is None else tuple(reader.annotation() for _ in range(reader.number("H")))

    def of_parameters(self) -> tuple[tuple[Annotation, ...], ...]:
        reader = self.get("RuntimeVisibleParameterAnnotations")
        if reader is None:
            return ()
        return tuple(tuple(reader.annotation() for _ in range(reader.number("H"))) for _ in range(reader.number("B")))

    def code(self) -> bytes:
        reader = self._code()
        if reader is None:
            return b""
        size = reader.number("I")
        return reader.data[reader.at : reader.at + size]

    def _code(self) -> _Reader | None:
        """The code's length and what follows it."""
        reader = self.get("Code")
        return None if reader is None else _Reader(reader.data, reader.at + 4, reader.constants)

    def names(self, descriptor: str, *, is_static: bool) -> tuple[str, ...]:
        """The names of a method's parameters: declared ones, else those of its local variables."""
        reader = self.get("MethodParameters")
        if reader is not None:
            names = []
            for _ in range(reader.number("B")):
                names.append(str(reader.constants[reader.number("H")] or ""))
                reader.at += 2
            return tuple(names)
        return self._local_names(descriptor, is_static)

    def _local_names(self, descriptor: str, is_static: bool) -> tuple[str, ...]:
        code = self._code()
        if code is None:
            return ()
        code.skip(code.number("I"))
        code.skip(8 * code.number("H"))
        table = code._attributes().get("LocalVariableTable")
        if table is None:
            return ()
        by_slot: dict[int, str] = {}
        for _ in range(table.number("H")):
            start = table.number("H")
            table.at += 2
            name = table.text()
            table.at += 2
            if start == 0:
                by_slot.setdefault(table.number("H"), name)
            else:
                table.at += 2
        slot, names = 0 if is_static else 1, []
        for type_ in method_types(descriptor)[0]:
            names.append(by_slot.get(slot, ""))
            slot += _LOADS.get(type_.name, 1)
        return tuple(names) if all(names) else ()
