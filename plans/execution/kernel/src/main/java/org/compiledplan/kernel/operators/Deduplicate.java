package org.compiledplan.kernel.operators;

import org.compiledplan.kernel.values.ByteReader;
import org.compiledplan.kernel.values.ValueCodec;
import org.compiledplan.kernel.values.ValueType;
import org.compiledplan.kernel.values.Values;

/**
 * Keeps one row of a key: the first or the last by arrival or by a time column. Follows Flink's
 * ProcTimeDeduplicateKeepFirstRowFunction, ProcTimeDeduplicateKeepLastRowFunction and
 * RowTimeDeduplicateFunction. Of equal times keep-last takes the later arrival, keep-first the earlier.
 */
final class Deduplicate implements Operator {
  private final ValueType[] types;
  private final boolean keepLast;
  private final int rowtime;
  private final boolean generateUpdateBefore;
  private final boolean generateInsert;
  private final SingleEntry entry;

  Deduplicate(OperatorSpec spec) {
    types = spec.inputs[0];
    keepLast = spec.flag("keepLast", true);
    rowtime = spec.column("rowtime");
    generateUpdateBefore = spec.flag("generateUpdateBefore", true);
    generateInsert = spec.flag("generateInsert", true);
    entry = new SingleEntry(spec.ttl(0));
  }

  @Override
  public Session open(KeyedState state, BatchContext context) {
    return new Work(state, context.processingTime);
  }

  @Override
  public void onTimer(KeyedState state, BatchContext context, Out out) {
    entry.onTimer(state, context.processingTime);
  }

  private final class Work implements Session {
    private final KeyedState state;
    private final long now;
    private final boolean stored;
    private Object[] kept;
    private boolean changed;

    Work(KeyedState state, long now) {
      this.state = state;
      this.now = now;
      byte[] bytes = state.get();
      stored = bytes != null;
      ByteReader in = entry.read(bytes, now);
      if (in != null) kept = ValueCodec.readRow(in, types);
    }

    @Override
    public void process(InputRow row, Out out) {
      if (!RowKinds.isAdd(row.kind)) {
        throw new IllegalStateException("deduplicate takes insert-only input, it got a retraction");
      }
      if (kept != null && !replaces(row.values)) return;
      if (kept == null) {
        out.emit(generateInsert || !keepLast ? RowKinds.INSERT : RowKinds.UPDATE_AFTER, row.values);
      } else {
        if (generateUpdateBefore) out.emit(RowKinds.UPDATE_BEFORE, kept);
        out.emit(RowKinds.UPDATE_AFTER, row.values);
      }
      kept = row.values;
      changed = true;
    }

    private boolean replaces(Object[] row) {
      if (rowtime < 0) return keepLast;
      int order = Values.compare(row[rowtime], kept[rowtime]);
      return keepLast ? order >= 0 : order < 0;
    }

    @Override
    public void close(Out out) {
      if (changed) {
        // Keep-first by arrival needs to know only that there was a row.
        boolean rowNeeded = keepLast || rowtime >= 0;
        ValueCodec.writeRow(rowNeeded ? kept : new Object[0], entry.start(now));
        entry.put(state, now, !stored);
      } else if (stored && kept == null) {
        state.remove(-1);
      }
    }
  }
}
