"""Java types in class files: descriptors, and signatures, which have type arguments.

Source: the Java Virtual Machine Specification, 4.3 and 4.7.9.1. Malformed texts raise IndexError, ValueError or, if
they are deeply nested, RecursionError.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Type:
    """A type: a primitive by its letter, `[` for an array of its argument, `T` for a variable, or a class.

    Names of classes have slashes.
    """

    name: str
    arguments: tuple[Type, ...] = ()


def type_of(descriptor: str) -> Type:
    """The type of a descriptor, `[Ljava/lang/String;`."""
    return _type(descriptor, 0)[0]


def superclass_of(signature: str) -> Type:
    """The superclass in the signature of a class."""
    return _type(signature, _behind_variables(signature))[0]


def method_types(text: str) -> tuple[tuple[Type, ...], Type]:
    """The types of the parameters and of the result in the descriptor or signature of a method."""
    at = _behind_variables(text) + 1
    parameters = []
    while text[at] != ")":
        type_, at = _type(text, at)
        parameters.append(type_)
    return tuple(parameters), _type(text, at + 1)[0]


def _behind_variables(text: str) -> int:
    """The position behind declarations of type variables, `<T:Ljava/lang/Object;>`."""
    depth = at = 0
    while text[at] == "<" or depth:
        depth += (text[at] == "<") - (text[at] == ">")
        at += 1
    return at


def _type(text: str, at: int) -> tuple[Type, int]:
    match text[at]:
        case "[":
            element, end = _type(text, at + 1)
            return Type("[", (element,)), end
        case "T":
            end = text.index(";", at)
            return Type("T", (Type(text[at + 1 : end]),)), end + 1
        case "L":
            return _class_type(text, at + 1)
    return Type(text[at]), at + 1


def _class_type(text: str, at: int) -> tuple[Type, int]:
    name = ""
    arguments: tuple[Type, ...] = ()
    while text[at] != ";":
        if text[at] == "<":
            arguments, at = _arguments(text, at + 1)
            continue
        # A class inside of a generic one follows a dot.
        name += "$" if text[at] == "." else text[at]
        at += 1
    return Type(name, arguments), at + 1


def _arguments(text: str, at: int) -> tuple[tuple[Type, ...], int]:
    arguments = []
    while text[at] != ">":
        if text[at] == "*":
            arguments.append(Type("*"))
            at += 1
            continue
        argument, at = _type(text, at + (text[at] in "+-"))
        arguments.append(argument)
    return tuple(arguments), at + 1
