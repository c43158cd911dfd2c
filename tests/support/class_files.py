"""References between Java classes, read from their files: what a jar uses of the jars beside it.

Source: The Java Virtual Machine Specification, chapter 4, "The class File Format".
"""

from __future__ import annotations

import struct
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

#: Tags of constants, and the number of bytes of those that this module skips.
_TEXT, _CLASS, _FIELD, _METHOD, _INTERFACE_METHOD, _NAME_AND_TYPE = 1, 7, 9, 10, 11, 12
_SKIPPED = {3: 4, 4: 4, 5: 8, 6: 8, 8: 2, 15: 3, 16: 2, 17: 4, 18: 4, 19: 2, 20: 2}
_WIDE = (5, 6)
_STATIC, _ABSTRACT, _INTERFACE = 0x8, 0x400, 0x200
_OF_JAVA = ("java/", "javax/", "jdk/", "sun/")
#: Types of Java that add no members which a class file could refer to through another class.
_EMPTY = {"java/lang/Object", "java/io/Serializable", "java/lang/Cloneable"}
_OF_OBJECT = {"clone", "equals", "getClass", "hashCode", "notify", "notifyAll", "toString", "wait"}

#: A name with a descriptor.
Member = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Missing:
    """A reference that does not resolve.

    Args:
        user: the class that has it.
        used: the missing class; or the class and its missing member, or an abstract one that `user` does not implement.
    """

    user: str
    used: str


class ClassFile:
    """A class: its supertypes, members and references."""

    def __init__(self, content: bytes) -> None:
        self._content, self._at = content, 8
        self._constants = self._read_constants()
        self.access = self._number()
        self.name = self._class(self._number())
        above = self._number()
        self.parents = [self._class(above)] if above else []
        self.parents += [self._class(self._number()) for _ in range(self._number())]
        self.fields, self.methods = self._members(), self._members()

    @property
    def is_concrete(self) -> bool:
        return not self.access & (_ABSTRACT | _INTERFACE)

    @property
    def classes(self) -> set[str]:
        """The classes that it names."""
        names = {self._class(at) for at, constant in enumerate(self._constants) if constant and constant[0] == _CLASS}
        parts = {name.lstrip("[") if name.startswith("[") else f"L{name};" for name in names}
        return {part[1:-1] for part in parts if part.startswith("L")}

    @property
    def references(self) -> Iterator[tuple[bool, str, Member]]:
        """The members that it names: True for fields, the class, the member."""
        for constant in self._constants:
            if constant and constant[0] in (_FIELD, _METHOD, _INTERFACE_METHOD):
                _, name, type_ = self._constants[constant[2]]
                yield constant[0] == _FIELD, self._class(constant[1]), (self._text(name), self._text(type_))

    def _read_constants(self) -> list[tuple[Any, ...]]:
        constants: list[tuple[Any, ...]] = [()]
        count = self._number()
        while len(constants) < count:
            tag = self._content[self._at]
            self._at += 1
            if tag == _TEXT:
                length = self._number()
                constants.append((tag, self._content[self._at : self._at + length].decode("utf-8", "replace")))
                self._at += length
            elif tag == _CLASS:
                constants.append((tag, self._number()))
            elif tag in (_FIELD, _METHOD, _INTERFACE_METHOD, _NAME_AND_TYPE):
                constants.append((tag, self._number(), self._number()))
            else:
                self._at += _SKIPPED[tag]
                constants += [()] * (2 if tag in _WIDE else 1)
        return constants

    def _members(self) -> dict[Member, int]:
        members = {}
        for _ in range(self._number()):
            access, name, type_ = self._number(), self._text(self._number()), self._text(self._number())
            members[name, type_] = access
            for _ in range(self._number()):
                self._at += 2
                (length,) = struct.unpack_from(">I", self._content, self._at)
                self._at += 4 + length
        return members

    def _number(self) -> int:
        (number,) = struct.unpack_from(">H", self._content, self._at)
        self._at += 2
        return int(number)

    def _text(self, at: int) -> str:
        return str(self._constants[at][1])

    def _class(self, at: int) -> str:
        return self._text(self._constants[at][1])


class ClassPath:
    """Jars, and the references of the first one.

    Args:
        jar: the jar whose references are checked.
        libraries: the jars that it uses.
        prefix: of the classes to which references are checked.
    """

    def __init__(self, jar: Path, libraries: Sequence[Path], prefix: str) -> None:
        self._prefix = prefix
        self._places: dict[str, zipfile.ZipFile] = {}
        self._known: dict[str, ClassFile | None] = {}
        self._own = self._index(jar)
        for library in libraries:
            self._index(library)

    def _index(self, jar: Path) -> list[str]:
        archive = zipfile.ZipFile(jar)
        names = [name[: -len(".class")] for name in archive.namelist() if name.endswith(".class")]
        for name in names:
            self._places.setdefault(name, archive)
        return names

    @cached_property
    def missing(self) -> set[Missing]:
        """The references that do not resolve."""
        return {Missing(name, used) for name in self._own for used in self._missing_of(self._file(name))}

    def _file(self, name: str) -> ClassFile:
        file = self._find(name)
        assert file is not None
        return file

    def _find(self, name: str) -> ClassFile | None:
        if name not in self._known:
            archive = self._places.get(name)
            self._known[name] = None if archive is None else ClassFile(archive.read(f"{name}.class"))
        return self._known[name]

    def _missing_of(self, file: ClassFile) -> Iterator[str]:
        for name in file.classes:
            if name.startswith(self._prefix) and name not in self._places:
                yield name
        for is_field, name, member in file.references:
            if name.startswith(self._prefix) and name in self._places and not self._has(name, member, is_field):
                yield f"{name}.{member[0]}{member[1]}"
        if file.is_concrete:
            yield from self._unimplemented(file)

    def _has(self, name: str, member: Member, is_field: bool) -> bool:
        types = list(self._types(name))
        if any(member in (file.fields if is_field else file.methods) for _, file in types if file is not None):
            return True
        # The members of Java's own types are not read.
        unknown = any(type_.startswith(_OF_JAVA) and type_ not in _EMPTY for type_, _ in types)
        return member[0] in _OF_OBJECT or (unknown and member[0] != "<init>")

    def _unimplemented(self, file: ClassFile) -> Iterator[str]:
        methods = [
            (member, access, type_)
            for type_, above in self._types(file.name)
            if above is not None
            for member, access in above.methods.items()
            if not access & _STATIC and "$$super$" not in member[0]
        ]
        implemented = {member for member, access, _ in methods if not access & _ABSTRACT}
        for member, _, type_ in methods:
            if member not in implemented and type_.startswith(self._prefix):
                yield f"{type_}.{member[0]}{member[1]}"

    def _types(self, name: str) -> Iterator[tuple[str, ClassFile | None]]:
        """A class and all its supertypes; None for those of Java."""
        waiting, seen = [name], set[str]()
        while waiting:
            type_ = waiting.pop()
            if type_ in seen:
                continue
            seen.add(type_)
            file = self._find(type_)
            yield type_, file
            waiting += file.parents if file else []
