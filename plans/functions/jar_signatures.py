"""Signatures of Java functions from the class files of a jar, in the notation of `declarations`.

Source: Flink 2.3's documentation, "User-defined Functions", "Type Inference". Types that only Flink's reflection could
extract (value classes, RAW, `getTypeInference`) are refused; a run infers all types again with Flink's own classes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from compiled_plan.plans.errors import ProgramError
from compiled_plan.plans.functions.class_files import Annotation, ClassFile, Method, read_class
from compiled_plan.plans.functions.definitions import FunctionKind
from compiled_plan.plans.functions.jars import JarError, open_jar, read_class_file
from compiled_plan.plans.functions.java_types import Type
from compiled_plan.plans.nodes.process_table_function import INSTEAD
from compiled_plan.plans.types import quote_identifier

_TABLE = "org/apache/flink/table"
_KINDS = {
    f"{_TABLE}/functions/ScalarFunction": (FunctionKind.SCALAR, "eval", 0),
    f"{_TABLE}/functions/AsyncScalarFunction": (FunctionKind.SCALAR, "eval", 1),
    f"{_TABLE}/functions/TableFunction": (FunctionKind.TABLE, "eval", 0),
    f"{_TABLE}/functions/AsyncTableFunction": (FunctionKind.TABLE, "eval", 1),
    f"{_TABLE}/functions/AggregateFunction": (FunctionKind.AGGREGATE, "accumulate", 1),
}
_ASYNC = f"{_TABLE}/functions/Async"
_FUTURE = "java/util/concurrent/CompletableFuture"
#: Types without arguments; primitives, by their letters, are never NULL.
_TYPES = {
    "Z": "BOOLEAN NOT NULL",
    "B": "TINYINT NOT NULL",
    "S": "SMALLINT NOT NULL",
    "I": "INT NOT NULL",
    "J": "BIGINT NOT NULL",
    "F": "FLOAT NOT NULL",
    "D": "DOUBLE NOT NULL",
    "java/lang/String": "STRING",
    "java/lang/Boolean": "BOOLEAN",
    "java/lang/Byte": "TINYINT",
    "java/lang/Short": "SMALLINT",
    "java/lang/Integer": "INT",
    "java/lang/Long": "BIGINT",
    "java/lang/Float": "FLOAT",
    "java/lang/Double": "DOUBLE",
    "java/sql/Date": "DATE",
    "java/time/LocalDate": "DATE",
    "java/sql/Time": "TIME(0)",
    "java/time/LocalTime": "TIME(9)",
    "java/sql/Timestamp": "TIMESTAMP(9)",
    "java/time/LocalDateTime": "TIMESTAMP(9)",
    "java/time/Instant": "TIMESTAMP_LTZ(9)",
    "java/time/Duration": "INTERVAL SECOND(9)",
    "java/time/Period": "INTERVAL YEAR(4) TO MONTH",
    "org/apache/flink/types/variant/Variant": "VARIANT",
}
_LISTS = ("java/util/List", "java/util/Collection")
#: Superclasses of a function at most: in a malformed jar, a class may derive from itself.
_MAX_SUPERCLASSES = 100
_RETURNS_FALSE = b"\x03\xac"  # iconst_0, ireturn
_RETURNS_TRUE = b"\x04\xac"


@dataclass(frozen=True, slots=True)
class JarFunction:
    """The declaration of a function in a jar."""

    kind: FunctionKind
    signature: str
    deterministic: bool


def function_in(class_: str, jars: Sequence[Path]) -> JarFunction | None:
    """The declaration of a Java function; None if no jar has its class.

    Raises:
        ProgramError: its types cannot be read from the class file.
    """
    with ExitStack() as stack:
        try:
            opened = [stack.enter_context(open_jar(jar)) for jar in jars]
        except JarError as fault:
            raise ProgramError(str(fault), remedy="name a jar") from None

        def load(name: str) -> ClassFile | None:
            data = next((data for jar in opened if (data := read_class_file(jar, name)) is not None), None)
            return None if data is None else read_class(data)

        try:
            first = load(class_)
            return None if first is None else _declared(class_, first, load)
        except (JarError, ValueError, LookupError, TypeError, AttributeError, RecursionError) as fault:
            # Annotations that no compiler writes: without a value, or with one of another type.
            raise _unread(class_, str(fault)) from None


def _unread(class_: str, reason: str) -> ProgramError:
    return ProgramError(
        f"the types of the Java function {class_} cannot be read from its class file: {reason}",
        remedy="declare them in WITH, which Flink accepts, too: WITH ('signature' = '(INT, STRING) -> BIGINT')",
    )


def _declared(class_: str, first: ClassFile, load: Callable[[str], ClassFile | None]) -> JarFunction:
    classes, base = [first], first.superclass
    while base.name not in _KINDS:
        if base.name == f"{_TABLE}/functions/ProcessTableFunction":
            raise ProgramError(f"{class_} is a process table function, and cannot run here", remedy=INSTEAD)
        above = load(base.name) if len(classes) < _MAX_SUPERCLASSES else None
        if above is None:
            parent = base.name.replace("/", ".")
            raise _unread(class_, f"it derives from {parent}, which is no kind of function that runs here")
        classes.append(above)
        base = above.superclass
    kind, name, dropped = _KINDS[base.name]
    # A method of a subclass overrides those with the same types above it.
    methods = {(method.name, method.descriptor): method for item in reversed(classes) for method in item.methods}
    if any(method == "getTypeInference" for method, _ in methods):
        raise _unread(class_, "it has a method `getTypeInference`")
    hints = [hint for item in classes for hint in _hints(item.annotations)]
    reader = _Signatures(class_, kind, base, dropped, hints)
    own = [method for (own_name, _), method in methods.items() if own_name == name]
    texts = list(dict.fromkeys(reader.texts(own)))
    if not texts:
        raise _unread(class_, f"it has no public method `{name}`")
    return JarFunction(kind, "; ".join(texts), _is_deterministic(class_, methods.get(("isDeterministic", "()Z"))))


def _is_deterministic(class_: str, method: Method | None) -> bool:
    if method is None or method.code == _RETURNS_TRUE:
        return True
    if method.code == _RETURNS_FALSE:
        return False
    raise _unread(class_, "`isDeterministic` computes its result")


def _hints(annotations: Sequence[Annotation]) -> Iterator[Annotation]:
    """The annotations FunctionHint, which may be repeated."""
    for annotation in annotations:
        if annotation.name.endswith("/FunctionHints"):
            yield from annotation.values["value"]
        elif annotation.name.endswith("/FunctionHint"):
            yield annotation


def _hint(annotations: Sequence[Annotation], name: str) -> Annotation | None:
    return next((item for item in annotations if item.name == f"{_TABLE}/annotation/{name}"), None)


@dataclass(frozen=True, slots=True)
class _Signatures:
    """The signatures of a function.

    Args:
        class_: its class.
        kind: its kind.
        base: the class of Flink that it derives from, with type arguments.
        dropped: the number of parameters in front of the arguments.
        hints: the annotations of the class.
    """

    class_: str
    kind: FunctionKind
    base: Type
    dropped: int
    hints: Sequence[Annotation]

    def texts(self, methods: Sequence[Method]) -> Iterator[str]:
        """The signatures, in the notation of declarations."""
        shared = next((hint.values["output"] for hint in self.hints if self._is_output(hint)), None)
        for hint in self.hints:
            if self._arguments(hint) is not None:
                yield self._text(self._arguments(hint) or [], self._output(hint, shared, methods[0]))
        if any(self._arguments(hint) is not None for hint in self.hints):
            return
        for method in methods:
            hints = list(_hints(method.annotations)) or [Annotation("", {})]
            for hint in hints:
                arguments = self._arguments(hint)
                yield self._text(
                    self._parameters(method) if arguments is None else arguments, self._output(hint, shared, method)
                )

    def _is_output(self, hint: Annotation) -> bool:
        return "output" in hint.values and self._arguments(hint) is None

    def _text(self, arguments: Sequence[str], output: str) -> str:
        return f"({', '.join(arguments)}) -> {output}"

    def _arguments(self, hint: Annotation) -> list[str] | None:
        """The arguments of a FunctionHint; None if it has none."""
        values = hint.values
        types = values.get("input")
        if types is not None:
            names = values.get("argumentNames") or [""] * len(types)
            arguments = [self._argument(name, self._hinted(type_)) for name, type_ in zip(names, types, strict=True)]
        elif "arguments" in values:
            arguments = [self._argument_hint(item, "") for item in values["arguments"]]
        else:
            return None
        return [*arguments[:-1], f"{arguments[-1]}..."] if values.get("isVarArgs") and arguments else arguments

    def _argument(self, name: str, type_: str) -> str:
        return f"{quote_identifier(name)} => {type_}" if name else type_

    def _argument_hint(self, hint: Annotation, extracted: str) -> str:
        if hint.values.get("isOptional"):
            raise _unread(self.class_, f"the argument {hint.values.get('name', '')} is optional")
        type_ = self._hinted(hint.values["type"]) if "type" in hint.values else extracted
        if not type_:
            raise _unread(self.class_, "an ArgumentHint has no type")
        return self._argument(str(hint.values.get("name", "")), type_)

    def _parameters(self, method: Method) -> list[str]:
        """The arguments of a method."""
        arguments = []
        for at, type_ in enumerate(method.parameters):
            if at < self.dropped:
                continue
            repeated = method.varargs and at == len(method.parameters) - 1
            annotations = method.of_parameters[at] if at < len(method.of_parameters) else ()
            name = method.names[at] if at < len(method.names) else ""
            hint = _hint(annotations, "ArgumentHint")
            declared = _hint(annotations, "DataTypeHint")
            if hint is not None:
                extracted = "" if "type" in hint.values else self._extracted(type_.arguments[0] if repeated else type_)
                text = self._argument_hint(Annotation(hint.name, {"name": name, **hint.values}), extracted)
            elif declared is not None:
                text = self._argument(name, self._hinted(declared))
            else:
                text = self._argument(name, self._extracted(type_.arguments[0] if repeated else type_))
            arguments.append(f"{text}..." if repeated else text)
        return arguments

    def _output(self, hint: Annotation, shared: Annotation | None, method: Method) -> str:
        declared = hint.values.get("output") or _hint(method.annotations, "DataTypeHint") or shared
        if declared is not None:
            return self._hinted(declared)
        if self.base.name.startswith(_ASYNC):
            future = next(iter(method.parameters), None)
            if future is None or future.name != _FUTURE or not future.arguments:
                raise _unread(self.class_, "the first parameter is no CompletableFuture of a type")
            type_ = future.arguments[0]
            if self.kind is FunctionKind.TABLE:
                type_ = type_.arguments[0] if type_.arguments else Type("*")
            return self._extracted(type_)
        if self.kind is FunctionKind.SCALAR:
            return self._extracted(method.result)
        if not self.base.arguments:
            raise _unread(self.class_, f"{self.base.name.rpartition('/')[2]} has no type argument")
        return self._extracted(self.base.arguments[0])

    def _hinted(self, hint: Annotation) -> str:
        values: dict[str, Any] = dict(hint.values)
        text, bridge = str(values.pop("value", "")), values.pop("bridgedTo", None)
        if values:
            raise _unread(self.class_, f"a DataTypeHint has {', '.join(values)}")
        if text.strip().upper().startswith("RAW"):
            raise _unread(self.class_, "a value is RAW")
        if text:
            return text
        if bridge is None:
            raise _unread(self.class_, "a DataTypeHint is empty")
        return self._extracted(bridge)

    def _extracted(self, type_: Type) -> str:
        """The type of a class, as Flink extracts it without hints."""
        known = _TYPES.get(type_.name)
        if known is not None:
            return known
        arguments = type_.arguments
        if type_.name == "[":
            element = arguments[0]
            return "BYTES" if element.name == "B" else f"ARRAY<{self._extracted(element)}>"
        if type_.name in _LISTS and arguments:
            return f"ARRAY<{self._extracted(arguments[0])}>"
        if type_.name == "java/util/Map" and arguments:
            key, value = map(self._extracted, arguments)
            return f"MAP<{key}, {value}>"
        name = "a type variable" if type_.name == "T" else type_.name.replace("/", ".")
        raise _unread(self.class_, f"{name} has no SQL type without a DataTypeHint")
