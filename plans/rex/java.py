"""Java functions in a plan: their class, or the name under which a program registered them.

Source: Flink 2.3's plans. A function of the catalog has `catalogName` and `class`, a temporary one only `catalogName`,
one of the system only `systemName`, an anonymous one only `class`. Plans compiled here add the field `java`, which
Flink ignores.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from compiled_plan.plans.errors import PlanError
from compiled_plan.plans.rex.nodes import Call, RexNode, walk
from compiled_plan.plans.rex.python import FIELD as PYTHON
from compiled_plan.plans.rex.python import PythonFunction

#: The field of a call, or of an aggregate call, that holds the function.
FIELD = "java"


@dataclass(frozen=True, slots=True)
class JavaFunction:
    """A user-defined Java function as a plan names it."""

    class_: str = ""  # full name of its class; empty if the plan has only its name
    name: str = ""  # name in the program; empty for an anonymous function
    jars: tuple[str, ...] = ()  # jars that the program names
    deterministic: bool = True  # True if equal arguments give equal results

    @property
    def path(self) -> str:
        """The class, or the name if the plan has no class."""
        return self.class_ or self.name

    @property
    def method(self) -> str:
        """Empty: the types of the arguments select the method."""
        return ""

    def to_dict(self) -> dict[str, object]:
        """The JSON form, without default values; the call has the name."""
        fields: dict[str, object] = {"class": self.class_}
        if self.jars:
            fields["jars"] = list(self.jars)
        if not self.deterministic:
            fields["deterministic"] = False
        return fields


#: A function of a user.
UserFunction = PythonFunction | JavaFunction


def java_function_from_json(value: object, pointer: str = "") -> JavaFunction:
    """Read the JSON form. Raises PlanError with the JSON pointer for a missing, unknown or wrong field."""
    if not isinstance(value, dict):
        raise PlanError("`java` must be an object that names a function", where=pointer)
    kinds: dict[str, type] = {"class": str, "jars": list, "deterministic": bool}
    for key, item in value.items():
        wanted = kinds.get(key)
        if wanted is None:
            raise PlanError(f"unknown field `{key}` of a Java function", where=f"{pointer}/{key}", remedy="remove it")
        if not isinstance(item, wanted) or (key == "jars" and not all(isinstance(jar, str) for jar in value["jars"])):
            raise PlanError(f"`{key}` of a Java function has the wrong type", where=f"{pointer}/{key}")
    if not value.get("class"):
        raise PlanError("a Java function lacks the field `class`", where=f"{pointer}/class", remedy="add `class`")
    return JavaFunction(
        value["class"], jars=tuple(value.get("jars", ())), deterministic=value.get("deterministic", True)
    )


def function_named(names: Mapping[str, object]) -> JavaFunction | None:
    """The Java function that the fields of a call, or their JSON, name; None for built-in functions and Python's."""
    if names.get("internalName") or names.get(PYTHON) is not None:
        return None
    catalog, system, class_ = (str(names.get(key) or "") for key in ("catalogName", "systemName", "class"))
    declared = names.get(FIELD)
    if not (catalog or system or class_ or declared):
        return None
    name = catalog.rpartition(".")[2].strip("`").replace("``", "`") or system
    match declared:
        case JavaFunction():
            return replace(declared, name=name)
        case {"class": str(declared_class)}:
            return JavaFunction(declared_class, name)
    return JavaFunction(class_, name)


def java_function(rex: RexNode) -> JavaFunction | None:
    """The Java function that a call invokes; None for any other expression."""
    if not isinstance(rex, Call) or not rex.extra:
        return None
    return function_named({"internalName": rex.name, **dict(rex.extra)})


def calls_java(rex: RexNode | None) -> bool:
    """Return True if an expression calls a Java function anywhere."""
    return rex is not None and any(java_function(node) is not None for node in walk(rex))
