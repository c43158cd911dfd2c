"""The protocol of an aggregate function's Python process: requests of the kernel in, accumulators and values out.

Workers import this module, as they do `runtime`.
"""

from __future__ import annotations

import marshal
import pickle
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from compiled_plan.plans.execution.functions.bootstrap import FunctionFailure
from compiled_plan.plans.execution.functions.codec import Adapt, Reader, Write, write_var
from compiled_plan.plans.execution.functions.exact import Exact, UnfitError
from compiled_plan.plans.execution.functions.runtime import Payload, failure

_ADD, _RETRACT, _MERGE = 1, 2, 3
_FRESH, _TYPED, _PICKLED = range(3)
#: The version of marshal that the kernel reads and writes.
_MARSHAL = 2


@dataclass(frozen=True, slots=True)
class Accumulators:
    """The accumulators of a function as bytes: values of their type, or pickles of objects that are not exactly such.

    Args:
        typed: the codec of their type; None if they have none.
        unpickle: reads pickled accumulators.
        freeze: converts an accumulator to what is stored; None for the identity.
        thaw: converts what was stored to an accumulator; None for the identity.
    """

    typed: Exact | None
    unpickle: Callable[[bytes], object]
    freeze: Callable[[object], object] | None = None
    thaw: Callable[[object], object] | None = None

    def read(self, reader: Reader, fresh: Callable[[], object]) -> object:
        """The next accumulator of a request; `fresh` creates an empty one."""
        kind, data = reader.byte(), reader.bytes(reader.var())
        if kind == _FRESH:
            return fresh()
        if kind == _PICKLED:
            value = self.unpickle(data)
        else:
            assert self.typed is not None
            # The kernel created these bytes from a value; bytes of state never come here.
            value = self.typed.read(marshal.loads(data))
        return value if self.thaw is None else self.thaw(value)

    def write(self, accumulator: object, out: bytearray) -> None:
        """Append an accumulator to an answer."""
        kind, data = self._data(accumulator if self.freeze is None else self.freeze(accumulator))
        out.append(kind)
        write_var(len(data), out)
        out += data

    def _data(self, accumulator: object) -> tuple[int, bytes]:
        if self.typed is not None:
            try:
                return _TYPED, marshal.dumps(self.typed.write(accumulator), _MARSHAL)
            except UnfitError:
                pass
        return _PICKLED, pickle.dumps(accumulator, pickle.HIGHEST_PROTOCOL)


@dataclass(frozen=True, slots=True)
class AggregatePayload:
    """An aggregate function as it is sent to the process that computes it."""

    call: Payload
    adapts: tuple[Adapt | None, ...]
    write: Write
    accumulators: Accumulators

    def start(self) -> Callable[[bytes], bytes]:
        """Open the function; return the function that answers requests.

        Raises:
            FunctionFailure: the function could not be opened.
        """
        function: Any = self.call.function
        self.call.open()
        return lambda request: self._answer(function, request)

    def _answer(self, function: object, request: bytes) -> bytes:
        try:
            return self._computed(function, Reader(request))
        except FunctionFailure:
            raise
        except Exception as fault:
            raise failure(self.call, fault) from fault

    def _computed(self, function: Any, reader: Reader) -> bytes:
        wanted = reader.byte() == 1
        read = self.accumulators.read
        accumulator = read(reader, function.create_accumulator)
        changes = {_ADD: getattr(function, self.call.method), _RETRACT: getattr(function, "retract", None)}
        while not reader.done:
            kind = reader.byte()
            if kind == _MERGE:
                returned = function.merge(accumulator, [read(reader, function.create_accumulator)])
            else:
                returned = changes[kind](accumulator, *self._arguments(reader))
            if returned is not None:
                accumulator = returned
        out = bytearray()
        self.accumulators.write(accumulator, out)
        if wanted:
            value = function.get_value(accumulator)
            convert = self.call.result
            self.write(value if convert is None or value is None else convert(value), out)
        return bytes(out)

    def _arguments(self, reader: Reader) -> list[object]:
        values = reader.row()
        values += [None] * (len(self.adapts) - len(values))
        adapted = (value if to is None else to(value) for to, value in zip(self.adapts, values, strict=True))
        return [
            value if convert is None else convert(value)
            for convert, value in zip(self.call.arguments, adapted, strict=True)
        ]
