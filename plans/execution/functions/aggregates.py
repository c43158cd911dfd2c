"""Aggregate functions in Python: their accumulators are state of the kernel's, computed in a Python process beside it.

The kernel's operator keeps the pickled accumulator as it keeps those of built-in functions: with the plan's TTL, under
retraction, in windows, in any stage. It sends the rows of a key together with the accumulator, and gets both the new
one and the value back, in one exchange for a key and micro-batch.
"""

from __future__ import annotations

import base64
import hashlib
import pickle
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from plans.errors import UnsupportedError
from plans.execution.functions.codec import Adapt, Reader, Write, adapt, write_var, writer
from plans.execution.functions.columns import PythonFunctions, plain
from plans.execution.functions.runtime import FunctionFailure, Payload, failure, make_picklable
from plans.execution.functions.shipping import classes_beside, pickled
from plans.functions.bridge import Bridged
from plans.functions.conversions import from_python, to_python
from plans.functions.definitions import FunctionContext, FunctionKind
from plans.functions.inference import ArgumentInfo
from plans.nodes import AggregateCall
from plans.types import LogicalType

_ADD, _RETRACT, _MERGE = 1, 2, 3
_PROGRAM = Path(__file__).with_name("aggregate_worker.py")


@dataclass(frozen=True, slots=True)
class AggregatePayload:
    """An aggregate function, as it travels to the process that computes it."""

    call: Payload
    adapts: tuple[Adapt | None, ...]
    write: Write

    def start(self) -> Callable[[bytes], bytes]:
        """Open the function; the function that answers requests.

        Raises:
            FunctionFailure: the function could not be opened.
        """
        function: Any = self.call.function
        make_picklable(self.call.classes)
        try:
            function.open(FunctionContext(self.call.name))
        except Exception as fault:
            raise failure(self.call, fault) from fault
        return lambda request: self._answer(function, request)

    def _answer(self, function: Any, request: bytes) -> bytes:
        try:
            return self._computed(function, Reader(request))
        except FunctionFailure:
            raise
        except Exception as fault:
            raise failure(self.call, fault) from fault

    def _computed(self, function: Any, reader: Reader) -> bytes:
        wanted = reader.byte() == 1
        given = reader.bytes(reader.var())
        accumulator = pickle.loads(given) if given else function.create_accumulator()
        changes = {_ADD: getattr(function, self.call.method), _RETRACT: getattr(function, "retract", None)}
        while not reader.done:
            kind = reader.byte()
            if kind == _MERGE:
                found = function.merge(accumulator, [pickle.loads(reader.bytes(reader.var()))])
            else:
                found = changes[kind](accumulator, *self._arguments(reader))
            if found is not None:
                accumulator = found
        data = pickle.dumps(accumulator, pickle.HIGHEST_PROTOCOL)
        out = bytearray()
        write_var(len(data), out)
        out += data
        if wanted:
            value = function.get_value(accumulator)
            convert = self.call.result
            self.write(value if convert is None or value is None else convert(value), out)
        return bytes(out)

    def _arguments(self, reader: Reader) -> list[Any]:
        values = reader.row()
        values += [None] * (len(self.adapts) - len(values))
        adapted = (value if to is None else to(value) for to, value in zip(self.adapts, values, strict=True))
        return [
            value if convert is None else convert(value)
            for convert, value in zip(self.call.arguments, adapted, strict=True)
        ]


def kernel_call(
    call: AggregateCall,
    types: Sequence[LogicalType],
    functions: PythonFunctions | None,
    where: str,
    needs: Sequence[str],
) -> dict[str, Any] | None:
    """What the kernel is told of an aggregate function in Python; None for all others.

    Args:
        call: a call of an aggregate.
        types: of its arguments.
        functions: the plan's functions.
        where: the node, for errors.
        needs: the methods that it must have here, beside those that all have: "retract", "merge".

    Raises:
        UnsupportedError: the function lacks one of them.
    """
    reference = call.python
    if reference is None or functions is None:
        return None
    path = call.catalog_name or call.system_name or reference.class_
    name = path.rpartition(".")[2].strip("`")
    plain_types = [plain(type_) for type_ in types]
    bound = functions.bind(reference, name, [ArgumentInfo(type_) for type_ in plain_types], where)
    function = functions.callables(reference, where).function
    for method in needs:
        if not callable(getattr(function, method, None)):
            raise UnsupportedError(
                f"the aggregate function {reference.path} has no method `{method}`, which this operator needs",
                where=where,
                remedy=f"define `def {method}(self, accumulator, {'...' if method == 'retract' else 'others'})`",
            )
    assert function.KIND is FunctionKind.AGGREGATE
    bridged = [item or Bridged(type_) for item, type_ in zip(bound.arguments, plain_types, strict=True)]
    payload = AggregatePayload(
        Payload(
            function,
            bound.method,
            name,
            ", ".join(map(str, plain_types)),
            tuple(map(to_python, bridged)),
            from_python(bound.output),
            None,
            bound.skips,
            False,
            False,
            classes_beside(type(function)),
        ),
        tuple(map(adapt, plain_types)),
        writer(call.type),
    )
    blob = pickled(payload, type(function))
    return {
        "executable": _python(),
        "program": _PROGRAM.read_text(encoding="utf-8"),
        "payload": base64.b64encode(blob).decode(),
        "token": hashlib.sha1(blob, usedforsecurity=False).hexdigest(),
        "skips": list(bound.skips),
    }


def _python() -> str:
    from pyspark import SparkContext

    context = SparkContext._active_spark_context
    assert context is not None
    return str(context.pythonExec)
