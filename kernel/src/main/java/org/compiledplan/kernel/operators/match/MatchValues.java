package org.compiledplan.kernel.operators.match;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.compiledplan.kernel.aggregates.Accumulator;
import org.compiledplan.kernel.aggregates.AggregateCall;
import org.compiledplan.kernel.aggregates.AggregateFunctions;
import org.compiledplan.kernel.operators.aggregate.AggregateCalls;
import org.compiledplan.kernel.operators.base.OperatorSpec;
import org.compiledplan.kernel.operators.match.PartialMatch.Event;
import org.compiledplan.kernel.values.ValueType;

/** Values read from the rows of a match, the inputs of a pattern's conditions and measures. */
final class MatchValues {
  private interface Value {
    Object of(PartialMatch match, Event current);
  }

  private final List<Value> values = new ArrayList<>();

  MatchValues(JsonNode slots, OperatorSpec spec) {
    for (JsonNode slot : slots) values.add(value(slot, spec));
  }

  private static Value value(JsonNode slot, OperatorSpec spec) {
    String kind = slot.path("kind").asText();
    return switch (kind) {
      case "current" -> current(slot.path("column").asInt());
      case "first" ->
          first(
              slot.path("variable").asInt(),
              slot.path("offset").asInt(),
              slot.path("column").asInt());
      case "last" ->
          last(
              slot.path("variable").asInt(),
              slot.path("offset").asInt(),
              slot.path("column").asInt());
      case "aggregate" -> aggregate(slot, spec, slot.path("variable").asInt());
      default -> throw spec.problem("has a value of unknown kind " + kind);
    };
  }

  private static Value current(int column) {
    return (match, current) -> current.row()[column];
  }

  private static Value first(int variable, int offset, int column) {
    return (match, current) -> at(match.rows(variable), offset, column);
  }

  private static Value last(int variable, int offset, int column) {
    return (match, current) -> last(match, variable, offset, column);
  }

  private static Object at(List<Event> rows, int place, int column) {
    return place < 0 || place >= rows.size() ? null : rows.get(place).row()[column];
  }

  private static Object last(PartialMatch match, int variable, int offset, int column) {
    int left = offset;
    for (PartialMatch at = match; at.event != null; at = at.before) {
      if ((variable < 0 || at.variable == variable) && left-- == 0) return at.event.row()[column];
    }
    return null;
  }

  private static Value aggregate(JsonNode slot, OperatorSpec spec, int variable) {
    int[] args = OperatorSpec.ints(slot.path("args"));
    ValueType[] argTypes = new ValueType[args.length];
    for (int i = 0; i < args.length; i++) argTypes[i] = spec.inputs()[0][args[i]];
    Supplier<Accumulator> function =
        AggregateFunctions.of(
            new AggregateCall(
                slot.path("function").asText(),
                args,
                argTypes,
                spec.inputs()[0][slot.path("typeOf").asInt()],
                false,
                false,
                false,
                null,
                AggregateCalls.java(slot)));
    return (match, current) -> {
      Accumulator accumulator = function.get();
      for (Event event : match.rows(variable)) accumulator.add(event.row());
      return accumulator.value();
    };
  }

  int count() {
    return values.size();
  }

  /** Writes the values of a match into a row; {@code current} is the row being evaluated. */
  void put(PartialMatch match, Event current, Object[] row, int at) {
    for (int i = 0; i < values.size(); i++) row[at + i] = values.get(i).of(match, current);
  }
}
