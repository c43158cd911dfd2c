"""Functions of plans that name them only by the catalog, as Flink's plans do.

Source: Flink 2.3's plans: a temporary function has `catalogName` or `systemName`, and nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache

from compiled_plan.plans.errors import ProgramError, UnsupportedError
from compiled_plan.plans.functions.declared import Declared
from compiled_plan.plans.functions.definitions import UserDefinedFunction
from compiled_plan.plans.functions.loading import AllowedModules, import_function, reference_to
from compiled_plan.plans.nodes.python import PythonNode, function_names, with_functions
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.rex import PythonFunction

#: The function of a name's parts (catalog, database, name; of a system function the name alone), and True if it was
#: registered as an object; None: unknown.
Find = Callable[[Sequence[str]], tuple[UserDefinedFunction, bool] | None]


def resolved(plan: CompiledPlan, find: Find) -> CompiledPlan:
    """The plan with the functions that `find` knows; a node with all its functions becomes the general node."""

    @cache
    def lookup(name: str) -> PythonFunction | None:
        known = find(parts_of(name))
        if known is None:
            return None
        function, is_instance = known
        return reference_to(function, is_instance=is_instance, method=function.KIND.method, signature="")

    nodes = []
    for node in plan.nodes:
        changed = with_functions(node, lookup)
        is_whole = isinstance(changed, PythonNode) and not function_names((changed,))
        nodes.append(changed.general(lookup) if is_whole else changed)
    return plan.with_nodes(nodes)


def unresolved(plan: CompiledPlan) -> list[str]:
    """The names of functions in nodes that Flink planned for Python, which the plan does not name themselves."""
    return function_names(tuple(node for node in plan.nodes if isinstance(node, PythonNode)))


def check_resolved(plan: CompiledPlan) -> None:
    """Raise UnsupportedError if the plan calls Python functions only by their names."""
    names = unresolved(plan)
    if names:
        shown = ", ".join(dict.fromkeys(parts_of(name)[-1] for name in names))
        raise UnsupportedError(
            f"the plan calls Python functions by the names that a catalog of Flink had for them: {shown}",
            where=next(f"node {node.id} ({node.type})" for node in plan.nodes if isinstance(node, PythonNode)),
            remedy="declare them in a file, CREATE TEMPORARY FUNCTION name AS 'module.name' LANGUAGE PYTHON, and add "
            "--init FILE.sql; or, if a module has functions of these names, add --functions-from MODULE",
        )


def with_module_functions(plan: CompiledPlan, allowed: Sequence[str]) -> CompiledPlan:
    """The plan with the functions that allowed modules (`module`, `module=folders`) have under the names in its calls.

    Raises:
        ProgramError: Python would import such a module from another place.
    """
    if not any(isinstance(node, PythonNode) for node in plan.nodes):
        return plan
    modules = AllowedModules.parse(allowed if unresolved(plan) else ())
    with modules.importing():
        return resolved(plan, in_modules(modules.names))


def in_modules(modules: Sequence[str]) -> Find:
    """Functions of modules by their names there; the modules are imported at the first name."""

    def find(parts: Sequence[str]) -> tuple[UserDefinedFunction, bool] | None:
        for module in modules:
            if not parts[-1].isidentifier():
                continue
            try:
                function = import_function(f"{module}.{parts[-1]}")
            except ProgramError:
                continue
            return (function, False) if isinstance(function, Declared) else (function(), False)
        return None

    return find


def parts_of(name: str) -> tuple[str, ...]:
    """The parts of a name in a plan, quoted in backticks if it is in a catalog."""
    if not name.startswith("`"):
        return (name,)
    return tuple(part.replace("``", "`") for part in re.findall(r"`((?:[^`]|``)*)`", name))
