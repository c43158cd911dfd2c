"""The Python process of an aggregate function, as the kernel starts it: this file's text is its program.

Uses only the standard library, and pyspark's cloudpickle to read the function. The kernel's `PythonAccumulator`
documents the protocol; values have the form of its `ValueCodec`.
"""

from __future__ import annotations

import os
import struct
import sys

#: Frames are written to standard output; output of the user's code goes to stderr.
_OUT = os.fdopen(os.dup(1), "wb")
_IN = os.fdopen(os.dup(0), "rb")
os.dup2(2, 1)


def _find_cloudpickle() -> None:
    """Make `pyspark.cloudpickle` importable without loading all of pyspark."""
    import importlib.util
    import types
    from glob import glob

    if importlib.util.find_spec("pyspark") is None:
        sys.path += glob(os.path.join(os.environ.get("SPARK_HOME", ""), "python", "lib", "*.zip"))  # noqa: PTH118, PTH207
    spec = importlib.util.find_spec("pyspark")
    if spec is None or spec.submodule_search_locations is None:
        raise ImportError("pyspark is not there for the Python of the executors; set PYSPARK_PYTHON or SPARK_HOME")
    stub = types.ModuleType("pyspark")
    stub.__path__ = list(spec.submodule_search_locations)
    sys.modules["pyspark"] = stub
    import pyspark.cloudpickle  # noqa: F401

    del sys.modules["pyspark"]


def _answer(status: int, body: bytes) -> None:
    _OUT.write(struct.pack(">bi", status, len(body)))
    _OUT.write(body)
    _OUT.flush()


def _request() -> bytes:
    head = _IN.read(4)
    if len(head) < 4:
        sys.exit(0)
    return _IN.read(struct.unpack(">i", head)[0])


def main() -> None:
    """Answer requests until the input ends."""
    import pickle

    try:
        _find_cloudpickle()
        compute = pickle.loads(_request()).start()
        _answer(0, b"")
    except Exception as fault:
        _answer(1, str(fault).encode())
        sys.exit(1)
    while True:
        request = _request()
        try:
            answer = compute(request)
        except Exception as fault:
            _answer(1, str(fault).encode())
        else:
            _answer(0, answer)


if __name__ == "__main__":
    main()
