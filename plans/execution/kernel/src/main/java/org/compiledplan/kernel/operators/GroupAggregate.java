package org.compiledplan.kernel.operators;

import org.compiledplan.kernel.aggregates.Accumulator;
import org.compiledplan.kernel.values.ByteReader;
import org.compiledplan.kernel.values.ByteWriter;
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
  private final AggregateCalls calls;
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
    calls = new AggregateCalls(spec, grouping.length, needRetraction);
    orderInsensitive = coalesce && !needRetraction && !calls.isOrderSensitive();
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
        accumulators = calls.read(in);
      }
    }

    @Override
    public void process(InputRow row, Out out) {
      boolean add = RowKinds.isAdd(row.kind);
      if (accumulators == null && !add) return;
      if (lastRow == null && accumulators != null) emitted = result(row.values);
      lastRow = row.values;
      if (accumulators == null) {
        rows = 0;
        accumulators = calls.fresh();
      }
      calls.process(accumulators, row.values, add);
      rows += add ? 1 : -1;
      if (needRetraction && rows == 0) accumulators = null;
      if (!coalesce) emitChange(out);
    }

    private Object[] result(Object[] row) {
      Object[] values = new Object[grouping.length + accumulators.length];
      for (int i = 0; i < grouping.length; i++) values[i] = row[grouping[i]];
      AggregateCalls.values(accumulators, values, grouping.length);
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
          AggregateCalls.write(accumulators, writer);
          entry.put(state, now, !stored);
          return;
        }
      }
      if (stored && accumulators == null) state.remove(-1);
    }
  }
}
