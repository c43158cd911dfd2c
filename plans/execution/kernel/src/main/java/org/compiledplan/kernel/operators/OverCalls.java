package org.compiledplan.kernel.operators;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.compiledplan.kernel.aggregates.Accumulator;
import org.compiledplan.kernel.aggregates.AggregateCall;
import org.compiledplan.kernel.aggregates.AggregateFunctions;
import org.compiledplan.kernel.values.ByteReader;
import org.compiledplan.kernel.values.ByteWriter;
import org.compiledplan.kernel.values.ValueType;

/** The aggregate calls of an OVER window, and the rows they make of input rows. */
final class OverCalls {
  /** Columns of an input row that are part of the output; constants follow them. */
  private final int width;
  private final int[] filters;
  private final List<Supplier<Accumulator>> functions = new ArrayList<>();

  /** @param retract whether rows leave the window */
  OverCalls(OperatorSpec spec, boolean retract) {
    JsonNode aggs = spec.get("aggs");
    filters = new int[aggs.size()];
    width = spec.output.length - filters.length;
    for (int i = 0; i < filters.length; i++) {
      JsonNode agg = aggs.get(i);
      int[] args = OperatorSpec.ints(agg.path("args"));
      ValueType[] argTypes = new ValueType[args.length];
      for (int j = 0; j < args.length; j++) argTypes[j] = spec.inputs[0][args[j]];
      functions.add(AggregateFunctions.of(new AggregateCall(
          agg.path("function").asText(), args, argTypes, spec.output[width + i],
          agg.path("distinct").asBoolean(false), retract, agg.path("ignoreNulls").asBoolean(false), null)));
      filters[i] = agg.path("filter").asInt(-1);
    }
  }

  Accumulator[] fresh() {
    Accumulator[] made = new Accumulator[functions.size()];
    for (int i = 0; i < made.length; i++) made[i] = functions.get(i).get();
    return made;
  }

  void add(Accumulator[] accumulators, Object[] row) {
    for (int i = 0; i < accumulators.length; i++) {
      if (counts(i, row)) accumulators[i].add(row);
    }
  }

  void retract(Accumulator[] accumulators, Object[] row) {
    for (int i = 0; i < accumulators.length; i++) {
      if (counts(i, row)) accumulators[i].retract(row);
    }
  }

  private boolean counts(int call, Object[] row) {
    return filters[call] < 0 || Boolean.TRUE.equals(row[filters[call]]);
  }

  Object[] values(Accumulator[] accumulators) {
    Object[] values = new Object[accumulators.length];
    for (int i = 0; i < values.length; i++) values[i] = accumulators[i].value();
    return values;
  }

  /** The row with what the aggregates gave. */
  Object[] result(Object[] row, Object[] values) {
    Object[] result = new Object[width + values.length];
    System.arraycopy(row, 0, result, 0, width);
    System.arraycopy(values, 0, result, width, values.length);
    return result;
  }

  static void write(Accumulator[] accumulators, ByteWriter out) {
    for (Accumulator accumulator : accumulators) accumulator.write(out);
  }

  Accumulator[] read(ByteReader in) {
    Accumulator[] made = fresh();
    for (Accumulator accumulator : made) accumulator.read(in);
    return made;
  }
}
