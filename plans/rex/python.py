"""Python functions in a plan: their class and how it is called."""

from __future__ import annotations

import json
from dataclasses import dataclass

from compiled_plan.plans.errors import PlanError
from compiled_plan.plans.rex.nodes import Call, RexNode, walk

#: The field of a call, or of an aggregate call, that holds the function.
FIELD = "python"
_KINDS = ("SCALAR", "TABLE", "AGGREGATE")


@dataclass(frozen=True, slots=True)
class PythonFunction:
    """A user-defined Python function as a plan names it."""

    module: str  # importable module of the class
    class_: str  # name in the module; inner classes with dots
    kind: str  # SCALAR, TABLE or AGGREGATE
    method: str = "eval"  # the method that is called
    signature: str = ""  # the inferred signature, for information only
    file: str = ""  # the source file on the author's machine
    deterministic: bool = True  # True if equal arguments give equal results
    instance: str = ""  # attributes of a function registered as an object, as JSON text; empty for a class
    pickle: str = ""  # the function itself, if no other process can import it; see `plans.functions.code_pickles`

    @property
    def path(self) -> str:
        return f"{self.module}.{self.class_}"

    def to_dict(self) -> dict[str, object]:
        """The JSON form, without default values."""
        fields: dict[str, object] = {
            "module": self.module,
            "class": self.class_,
            "kind": self.kind,
            "method": self.method,
        }
        if self.signature:
            fields["signature"] = self.signature
        if self.file:
            fields["file"] = self.file
        if not self.deterministic:
            fields["deterministic"] = False
        if self.instance:
            fields["instance"] = json.loads(self.instance)
        if self.pickle:
            fields["pickle"] = self.pickle
        return fields


_TEXTS = ("module", "class", "kind", "method", "signature", "file", "pickle")


def python_function_from_json(value: object, pointer: str = "") -> PythonFunction:
    """Read the JSON form. Raises PlanError with the JSON pointer for a missing, unknown or wrong field."""
    if not isinstance(value, dict):
        raise PlanError("`python` must be an object that names a function", where=pointer)
    for key, item in value.items():
        wanted = str if key in _TEXTS else {"deterministic": bool, "instance": dict}.get(key)
        if wanted is None:
            raise PlanError(f"unknown field `{key}` of a Python function", where=f"{pointer}/{key}", remedy="remove it")
        if not isinstance(item, wanted):
            raise PlanError(f"`{key}` of a Python function must be a {wanted.__name__}", where=f"{pointer}/{key}")
    for key in ("module", "class", "kind"):
        if not value.get(key):
            raise PlanError(f"a Python function lacks the field `{key}`", where=f"{pointer}/{key}")
    if value["kind"] not in _KINDS:
        known = ", ".join(_KINDS)
        raise PlanError(f"unknown kind {value['kind']!r}", where=f"{pointer}/kind", remedy=f"known: {known}")
    instance = value.get("instance")
    return PythonFunction(
        value["module"],
        value["class"],
        value["kind"],
        value.get("method", "eval"),
        value.get("signature", ""),
        value.get("file", ""),
        value.get("deterministic", True),
        "" if instance is None else json.dumps(instance, sort_keys=True),
        value.get("pickle", ""),
    )


def python_function(rex: RexNode) -> PythonFunction | None:
    """The Python function that a call invokes; None for any other expression."""
    if not isinstance(rex, Call) or not rex.extra:
        return None
    return next((item for _, item in rex.extra if isinstance(item, PythonFunction)), None)


def calls_python(rex: RexNode | None) -> bool:
    """Return True if an expression calls a Python function anywhere."""
    return rex is not None and any(python_function(node) is not None for node in walk(rex))


def user_name(rex: RexNode) -> str:
    """The name of the user-defined function that a call invokes; empty for any other expression."""
    if not isinstance(rex, Call):
        return ""
    names = dict(rex.extra)
    path = names.get("catalogName") or names.get("systemName") or ""
    return str(path).rpartition(".")[2].strip("`").replace("``", "`") if names.get("catalogName") else str(path)


def called_name(call: Call) -> str:
    """The name of a call's function for messages: Flink's internal name, or the user's name or class."""
    extra = dict(call.extra)
    return call.name or user_name(call) or str(extra.get("class") or extra.get("sqlKind") or "without a name")
