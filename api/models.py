"""Models of machine learning, which are refused: a mixin of `TableEnvironment`.

Source: Flink's `TableEnvironment`.
"""

from __future__ import annotations

from compiled_plan.planner.diagnostics.refusing import refused_method
from compiled_plan.plans.errors import ProgramError

#: Reason and remedy of all refusals of models.
MODELS = (
    "models are called by Flink's operators alone",
    "call the model in a Python function, from its HTTP interface or a library, and apply the function to the rows",
)


class ModelMethods:
    """Methods that declare models, and list those declared, of which there are none."""

    create_model = refused_method("create_model()", *MODELS)
    create_temporary_model = refused_method("create_temporary_model()", *MODELS)

    def drop_model(self, model_path: str, ignore_if_not_exists: bool = True) -> bool:
        """Return False: there are no models.

        Raises:
            ProgramError: `ignore_if_not_exists` is False.
        """
        if not ignore_if_not_exists:
            raise ProgramError(f"there is no model {model_path!r}", where="drop_model()", remedy="leave the call out")
        return False

    def drop_temporary_model(self, model_path: str) -> bool:
        """Return False: there are no models."""
        return False

    def list_models(self) -> list[str]:
        """An empty list: there are no models."""
        return []

    def list_temporary_models(self) -> list[str]:
        """An empty list: there are no models."""
        return []
