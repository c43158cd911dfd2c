"""Calls of Python functions as Spark columns."""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F
from pyspark.sql import types as s

from compiled_plan.plans.errors import PlanError, ProgramError
from compiled_plan.plans.execution.functions import bootstrap, runtime
from compiled_plan.plans.execution.functions.shipping import classes_beside, for_spark, pickled
from compiled_plan.plans.execution.spark.types import to_spark
from compiled_plan.plans.execution.spark.versions import arrow_type
from compiled_plan.plans.functions.calls import Bound, Callables
from compiled_plan.plans.functions.code import code_digest
from compiled_plan.plans.functions.conversions import fields_in, from_python, inward, outward
from compiled_plan.plans.functions.converted import Converted
from compiled_plan.plans.functions.declared import Declared
from compiled_plan.plans.functions.definitions import FunctionKind, UserDefinedFunction, overrides
from compiled_plan.plans.functions.inference import ArgumentInfo
from compiled_plan.plans.functions.loading import AllowedModules, load
from compiled_plan.plans.functions.pickles import trusting
from compiled_plan.plans.functions.signature import table_fields
from compiled_plan.plans.rex import Call, JavaFunction, Literal, RexNode, UserFunction, python_function, type_of
from compiled_plan.plans.rex.literals import literal_value
from compiled_plan.plans.rex.python import PythonFunction, user_name
from compiled_plan.plans.types import LogicalType, RawType
from compiled_plan.plans.types.classes import Permission
from compiled_plan.plans.types.python.bridge import Bridged

if TYPE_CHECKING:
    from pyspark.sql import Column

    from compiled_plan.plans.execution.functions.java import JavaFunctions


class PythonFunctions:
    """The Python functions of a plan, loaded once.

    Args:
        allowed: modules that may be imported, beside those of this process's own programs: `module`, or
            `module=folders`, which must then be in one of these folders.
        trusts_pickles: True if pickled values may be of any class, see `plans.functions.pickles`.
        parameters: job parameters for `open`.
        allows_pickled: True if functions pickled in the plan may run, see `plans.functions.code_pickles`.
        java: the Java functions of the plan.

    Raises:
        ProgramError: Python would import such a module from another place.
    """

    def __init__(
        self,
        allowed: Sequence[str] = (),
        *,
        trusts_pickles: bool = False,
        allows_pickled: bool = False,
        java: JavaFunctions | None = None,
        parameters: Mapping[str, str] | None = None,
    ) -> None:
        self.java = java
        self.parameters = dict(parameters or {})
        self._trusts_pickles, self._allows_pickled = trusts_pickles, allows_pickled
        self._allowed = AllowedModules.parse(allowed)
        self._permission = Permission(tuple(prefix.rstrip(".") for prefix in self._allowed.names))
        self._loaded: dict[PythonFunction, Callables] = {}

    @contextmanager
    def permitted(self) -> Iterator[None]:
        """A context in which names of structured types resolve to classes of the plan's allowed modules, and pickled
        values to the classes that the run allows.
        """
        with self._permission.granted(), trusting(self._trusts_pickles):
            yield

    def callables(self, reference: PythonFunction, where: str) -> Callables:
        """Load a function.

        Raises:
            UnsupportedError: its module is not allowed, or it is pickled in the plan.
            ExecutionError: it cannot be imported or constructed.
            PlanError: it is of another kind than in the plan.
        """
        callables = self._loaded.get(reference)
        if callables is None:
            with self.permitted(), self._allowed.importing():
                function = load(reference, self._allowed.names, where, allows_pickled=self._allows_pickled)
            if function.KIND.value != reference.kind:
                raise PlanError(
                    f"{reference.path} is a function of kind {function.KIND.value}, and the plan says {reference.kind}",
                    where=where,
                    remedy="compile the plan again",
                )
            with self.permitted():
                callables = self._loaded[reference] = Callables(function)
        return callables

    def code(self, reference: UserFunction) -> str:
        """A digest of a function's code."""
        if isinstance(reference, JavaFunction):
            return "" if self.java is None else self.java.code(reference)
        return code_digest(*self.callables(reference, "").function.sources)

    def accumulator(self, reference: UserFunction) -> str:
        """The accumulator type of an aggregate function; empty if it has none, or one that depends on the call."""
        if isinstance(reference, JavaFunction):
            return "" if self.java is None else self.java.accumulator(reference)
        signatures = self.callables(reference, "").signatures
        types = {item.accumulator and item.accumulator.type for item in signatures if item.method == reference.method}
        [type_] = types if len(types) == 1 else [None]
        return "" if type_ is None else str(type_)

    def bind(
        self, reference: PythonFunction, name: str, infos: Sequence[ArgumentInfo], output: LogicalType, where: str
    ) -> Bound:
        """The signature that matches a call in a plan.

        Args:
            reference: the function.
            name: its name in the program.
            infos: the operands' types, and literals.
            output: the result's type.
            where: the node, for errors.

        Raises:
            PlanError: the function has changed since the plan was compiled.
        """
        callables = self.callables(reference, where)
        try:
            with self.permitted():
                return callables.recorded(name, reference.method, reference.signature, infos, output)
        except ProgramError as fault:
            raise PlanError(
                f"{reference.path} has changed since the plan was compiled: {fault.message}",
                where=where,
                remedy=f"{fault.remedy}; or compile the plan again" if fault.remedy else "compile the plan again",
            ) from None

    def bound(self, call: Call, where: str) -> tuple[PythonFunction, str, Bound]:
        """The function of a call, its name in the program, and the matching signature; raises like `bind`."""
        reference = python_function(call)
        assert reference is not None
        name = user_name(call) or reference.class_
        return reference, name, self.bind(reference, name, list(map(_info, call.operands)), call.type, where)

    def column(self, call: Call, arguments: Sequence[Column], guard: Column | None, where: str) -> Column:
        """The column of a call; of a table function, an array of structs `v0`, `v1`, ....

        Args:
            call: a call of a Python function.
            arguments: its operands as columns.
            guard: selects the rows; None for all.
            where: the node, for errors.
        """
        reference, name, bound = self.bound(call, where)
        function = self.callables(reference, where).function
        with self.permitted():
            payload, result = _payload(function, bound, call, name, self.parameters)
        blob = pickled(payload, function, name, where)
        inputs = [*([] if guard is None else [guard]), *arguments]
        # A function without arguments is called once per row: a column supplies the number of rows.
        inputs = inputs or [F.lit(0)]
        spark_function = _spark_function(payload, blob, guard is not None, result)
        if not reference.deterministic:
            spark_function = spark_function.asNondeterministic()
        with for_spark():
            column: Column = spark_function(*inputs)
        return column


#: The name of the result in errors of converters.
RESULT = "the result"


def argument(at: int) -> str:
    """The name of an argument in errors of converters."""
    return f"argument {at + 1}"


def _info(rex: RexNode) -> ArgumentInfo:
    type_ = type_of(rex).as_regular()
    if isinstance(rex, Call) and rex.name == "$CAST$1":
        # An operand that the planner cast was a literal when the function's types were inferred.
        rex = rex.operands[0]
    return ArgumentInfo(type_, True, literal_value(rex)) if isinstance(rex, Literal) else ArgumentInfo(type_)


def _payload(
    function: UserDefinedFunction, bound: Bound, call: Call, name: str, parameters: Mapping[str, str] | None = None
) -> tuple[runtime.Payload, s.DataType]:
    types = [type_of(operand).as_regular() for operand in call.operands]
    arguments = [item or Bridged(type_) for item, type_ in zip(bound.arguments, types, strict=True)]
    result: Any
    if function.KIND is FunctionKind.TABLE:
        fields = table_fields(bound.output)
        structs = s.StructType([s.StructField(f"v{at}", to_spark(part.type)) for at, (_, part) in enumerate(fields)])
        spark_type: s.DataType = s.ArrayType(structs)
        if fields[0][0] == "EXPR$0":
            result = (
                runtime.never_none(runtime.single(from_python(fields[0][1], RESULT)))
                if not fields[0][1].type.nullable
                else runtime.single(from_python(fields[0][1], RESULT))
            )
        else:
            row = fields_in([field for field, _ in fields], [part for _, part in fields], str(bound.output.type))
            if bound.output.converter is not None:
                inner, convert = row, Converted(bound.output, False, RESULT)
                row = lambda value: inner(convert(value))  # noqa: E731
            result = runtime.never_none(runtime.renamed(row))
    else:
        spark_type = to_spark(call.type)
        result = inward(bound.output, RESULT)
    converts = [outward(item, argument(at)) for at, item in enumerate(arguments)]
    style = function.STYLE if isinstance(function, Declared) else "rows"
    if style == "pandas":
        converts = [
            None if runtime.in_pandas(item.type) else convert for item, convert in zip(arguments, converts, strict=True)
        ]
        result = None if runtime.in_pandas(bound.output.type) else result
    payload = runtime.Payload(
        function,
        bound.method,
        name,
        ", ".join(map(str, types)),
        tuple(converts),
        result,
        arrow_type(spark_type),
        bound.skips,
        function.KIND is FunctionKind.TABLE,
        overrides(function, "close"),
        classes_beside(function) if _has_raw([*(item.type for item in arguments), bound.output.type]) else (),
        style,
        dict(parameters or {}),
    )
    return payload, spark_type


def _has_raw(types: Iterable[LogicalType]) -> bool:
    return any(isinstance(type_, RawType) or _has_raw(type_.children()) for type_ in types)


def _spark_function(payload: runtime.Payload, blob: bytes, guarded: bool, result: s.DataType) -> Any:
    from pyspark.sql.pandas.functions import ArrowUDFType, arrow_udf

    token = hashlib.sha1(blob, usedforsecurity=False).hexdigest()
    make = bootstrap.iterated if payload.reopens else bootstrap.scalar
    kind: Any = ArrowUDFType.SCALAR_ITER if payload.reopens else ArrowUDFType.SCALAR
    with for_spark(), warnings.catch_warnings():
        # Spark would otherwise infer the kind from annotations.
        warnings.simplefilter("ignore", UserWarning)
        return arrow_udf(make(blob, token, guarded), result, kind)
