"""Functions of models and vector indexes, which need a service that a plan does not name."""

from __future__ import annotations

_PREDICT = "call the model in a Python function, CREATE FUNCTION ... LANGUAGE PYTHON, and select that function's result"
_EVALUATE = "call the model in a Python function, and aggregate over its results and the expected ones in SQL"
_SEARCH = (
    "join the tables, compute the distance of the vectors in a Python function, and keep the rows with "
    "ROW_NUMBER() OVER (PARTITION BY key ORDER BY distance) <= k"
)

#: Remedies for statements on models.
MODEL_REMEDY = _PREDICT

#: Functions that are refused, by name, with their remedies.
REFUSED = {
    "ML_PREDICT": _PREDICT,
    "ML_EVALUATE": _EVALUATE,
    "VECTOR_SEARCH": _SEARCH,
}
