"""JSON functions, whose arguments have keywords."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from compiled_plan.planner.sql.grammar.types import Types
from compiled_plan.planner.sql.nodes import (
    Call,
    JsonArray,
    JsonBehavior,
    JsonExists,
    JsonObject,
    JsonPair,
    JsonQuery,
    JsonValue,
)

if TYPE_CHECKING:
    from compiled_plan.planner.sql.nodes import Expression, Identifier


class JsonFunctions(Types):
    """Parser of JSON_VALUE, JSON_QUERY, JSON_EXISTS, JSON_OBJECT, JSON_ARRAY, JSON_OBJECTAGG."""

    def _json_head(self) -> dict[str, Any]:
        operand = self.parse_expression()
        if self.at("FORMAT", "JSON"):
            self.refuse("FORMAT JSON", remedy="leave it out")
        self.need_symbol(",")
        path = self.parse_expression()
        if self.take("PASSING"):
            # Flink parses variables and ignores them.
            self.listed(self._variable)
        return {"operand": operand, "path": path}

    def _variable(self) -> None:
        self.parse_expression()
        self.need("AS")
        self.name("a variable")

    def json_value(self, name: Identifier) -> Expression:
        """Parse JSON_VALUE after its parenthesis."""
        args = self._json_head()
        if self.take("RETURNING"):
            args["returning"] = self.parse_target_type()
        behaviors = []
        start = self.mark()
        while behaviour := self._json_value_behaviour():
            behaviors.append(self.node(JsonBehavior(behaviour, self._on_event()), start))
            start = self.mark()
        return JsonValue(**args, behaviors=tuple(behaviors))

    def _json_value_behaviour(self) -> str | Expression | None:
        if self.take("DEFAULT"):
            return self.parse_expression()
        return self.take_any(("NULL", "ERROR")) or None

    def _on_event(self) -> str:
        self.need("ON")
        event = self.take_any(("EMPTY", "ERROR"))
        if not event:
            self.fail_expected("EMPTY or ERROR")
        return event

    def json_query(self, name: Identifier) -> Expression:
        """Parse JSON_QUERY after its parenthesis."""
        args = self._json_head()
        if self.take("RETURNING"):
            args["returning"] = self.parse_target_type()
        if self.take("WITHOUT"):
            self.take("ARRAY")
            self.need("WRAPPER")
            args["wrapper"] = "WITHOUT ARRAY"
        elif self.take("WITH"):
            kind = self.take_any(("CONDITIONAL", "UNCONDITIONAL")) or "UNCONDITIONAL"
            self.take("ARRAY")
            self.need("WRAPPER")
            args["wrapper"] = f"WITH {kind} ARRAY"
        while behaviour := self._json_query_behaviour():
            args[f"on_{self._on_event().lower()}"] = behaviour
        return JsonQuery(**args)

    def _json_query_behaviour(self) -> str:
        if self.take("EMPTY"):
            kind = self.take_any(("ARRAY", "OBJECT"))
            if not kind:
                self.fail_expected("ARRAY or OBJECT")
            return f"EMPTY {kind}"
        return self.take_any(("NULL", "ERROR"))

    def json_exists(self, name: Identifier) -> Expression:
        """Parse JSON_EXISTS after its parenthesis."""
        args = self._json_head()
        if behaviour := self.take_any(("TRUE", "FALSE", "UNKNOWN", "ERROR")):
            self.need("ON", "ERROR")
            args["on_error"] = behaviour
        return JsonExists(**args)

    def json_object(self, name: Identifier) -> Expression:
        """Parse JSON_OBJECT after its parenthesis."""
        pairs: list[JsonPair] = []
        if not self.at_symbol(")") and not self._at_on_null():
            pairs = self.listed(self._json_pair)
        return JsonObject(tuple(pairs), self._on_null())

    def _json_pair(self) -> JsonPair:
        start = self.mark()
        if self.at("KEY") and self.following.kind not in (":", ",", "."):
            self.take("KEY")
        key = self.parse_expression()
        if not self.take("VALUE") and not self.take_symbol(":"):
            self.fail_expected("VALUE", remedy="write JSON_OBJECT(KEY 'k' VALUE v, ...)")
        value = self.parse_expression()
        if self.at("FORMAT", "JSON"):
            self.refuse("FORMAT JSON", remedy="write JSON(value)")
        return self.node(JsonPair(key, value), start)

    def _at_on_null(self) -> bool:
        return self.at("NULL", "ON", "NULL") or self.at("ABSENT", "ON", "NULL")

    def _on_null(self) -> str | None:
        if not self._at_on_null():
            return None
        word = self.word()
        self.advance(3)
        return word

    def json_array(self, name: Identifier) -> Expression:
        """Parse JSON_ARRAY after its parenthesis."""
        values: list[Expression] = []
        if not self.at_symbol(")") and not self._at_on_null():
            values = self.listed(self.parse_expression)
        return JsonArray(tuple(values), self._on_null())

    def json_objectagg(self, name: Identifier) -> Expression:
        """Parse JSON_OBJECTAGG after its parenthesis."""
        pair = self._json_pair()
        return Call((name,), (pair.key, pair.value), on_null=self._on_null())
