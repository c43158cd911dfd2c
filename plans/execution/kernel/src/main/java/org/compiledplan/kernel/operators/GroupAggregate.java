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
import org.compiledplan.kernel.values.Values;

/**
 * Aggregates by key, without windows. Follows Flink's GroupAggFunction, and MiniBatchGroupAggFunction when
 * changes are coalesced: one net change for a key and micro-batch.
 *
 * <p>A retraction for a key without state is ignored. A group that empties gives {@code -D}. An update that
 * changes nothing is suppressed, unless there is a TTL: then consumers must hear of it to stay alive.
 */
final class GroupAggregate implements Operator {
  private final int[] grouping;
  private final int[] filters;
  private final List<Supplier<Accumulator>> functions = new ArrayList<>();
  private final boolean generateUpdateBefore;
  private final boolean needRetraction;
  private final boolean coalesce;
  private final long ttl;
  private final SingleEntry entry;
  private final boolean orderInsensitive;

  GroupAggregate(OperatorSpec spec) {
    grouping = spec.columns("grouping");
    generateUpdateBefore = spec.flag("generateUpdateBefore", true);
    needRetraction = spec.flag("needRetraction", false);
    coalesce = spec.flag("coalesce", true);
    ttl = spec.ttl(0);
    entry = new SingleEntry(ttl);
    JsonNode aggs = spec.get("aggs");
    filters = new int[aggs.size()];
    boolean anyOrder = coalesce && !needRetraction;
    for (int i = 0; i < filters.length; i++) {
      AggregateCall call = call(spec, aggs.get(i), spec.output[grouping.length + i]);
      filters[i] = aggs.get(i).path("filter").asInt(-1);
      functions.add(AggregateFunctions.of(call));
      anyOrder &= !AggregateFunctions.isOrderSensitive(call);
    }
    orderInsensitive = anyOrder;
  }

  private AggregateCall call(OperatorSpec spec, JsonNode agg, ValueType resultType) {
    int[] args = OperatorSpec.ints(agg.path("args"));
    ValueType[] argTypes = new ValueType[args.length];
    for (int i = 0; i < args.length; i++) argTypes[i] = spec.inputs[0][args[i]];
    return new AggregateCall(
        agg.path("function").asText(), args, argTypes, resultType,
        agg.path("distinct").asBoolean(false),
        agg.path("needRetract").asBoolean(needRetraction),
        agg.path("ignoreNulls").asBoolean(false),
        agg.hasNonNull("delimiter") ? agg.get("delimiter").asText() : null);
  }

  @Override
  public boolean isOrderInsensitive() {
    return orderInsensitive;
  }

  @Override
  public Session open(KeyedState state, BatchContext context) {
    return new Work(state, context);
  }

  @Override
  public void onTimer(KeyedState state, BatchContext context, Out out) {
    entry.onTimer(state, context.processingTime);
  }

  private final class Work implements Session {
    private final KeyedState state;
    private final long now;
    private final boolean stored;
    /** Rows in the group; counts only when rows may be retracted. */
    private long rows;
    /** Null while the group is empty. */
    private Accumulator[] accumulators;
    private Object[] emitted;
    private Object[] lastRow;

    Work(KeyedState state, BatchContext context) {
      this.state = state;
      this.now = context.processingTime;
      byte[] bytes = state.get();
      stored = bytes != null;
      ByteReader in = entry.read(bytes, now);
      if (in != null) {
        rows = in.readSigned();
        accumulators = fresh();
        for (Accumulator accumulator : accumulators) accumulator.read(in);
      }
    }

    private Accumulator[] fresh() {
      Accumulator[] made = new Accumulator[functions.size()];
      for (int i = 0; i < made.length; i++) made[i] = functions.get(i).get();
      return made;
    }

    @Override
    public void process(InputRow row, Out out) {
      boolean add = RowKinds.isAdd(row.kind);
      if (accumulators == null && !add) return;
      if (lastRow == null && accumulators != null) emitted = result(row.values);
      lastRow = row.values;
      if (accumulators == null) {
        rows = 0;
        accumulators = fresh();
      }
      for (int i = 0; i < accumulators.length; i++) {
        if (filters[i] >= 0 && !Boolean.TRUE.equals(row.values[filters[i]])) continue;
        if (add) accumulators[i].add(row.values);
        else accumulators[i].retract(row.values);
      }
      rows += add ? 1 : -1;
      if (needRetraction && rows == 0) accumulators = null;
      if (!coalesce) emitChange(out);
    }

    private Object[] result(Object[] row) {
      Object[] values = new Object[grouping.length + accumulators.length];
      for (int i = 0; i < grouping.length; i++) values[i] = row[grouping[i]];
      for (int i = 0; i < accumulators.length; i++) {
        values[grouping.length + i] = accumulators[i].value();
      }
      return values;
    }

    private void emitChange(Out out) {
      Object[] next = accumulators == null ? null : result(lastRow);
      if (emitted == null) {
        if (next != null) out.emit(RowKinds.INSERT, next);
      } else if (next == null) {
        out.emit(RowKinds.DELETE, emitted);
      } else if (ttl > 0 || !Values.equalRows(emitted, next)) {
        if (generateUpdateBefore) out.emit(RowKinds.UPDATE_BEFORE, emitted);
        out.emit(RowKinds.UPDATE_AFTER, next);
      }
      emitted = next;
    }

    @Override
    public void close(Out out) {
      if (lastRow != null) {
        if (coalesce) emitChange(out);
        if (accumulators != null) {
          ByteWriter writer = entry.start(now);
          writer.writeSigned(rows);
          for (Accumulator accumulator : accumulators) accumulator.write(writer);
          entry.put(state, now, !stored);
          return;
        }
      }
      if (stored && accumulators == null) state.remove(-1);
    }
  }
}
