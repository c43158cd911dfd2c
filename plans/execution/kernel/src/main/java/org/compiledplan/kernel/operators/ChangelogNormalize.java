package org.compiledplan.kernel.operators;

import java.util.Arrays;
import org.compiledplan.kernel.values.ByteReader;
import org.compiledplan.kernel.values.ValueCodec;
import org.compiledplan.kernel.values.ValueType;
import org.compiledplan.kernel.values.Values;

/**
 * Makes a complete changelog of an upsert one: knows the last row of a key, drops updates that change
 * nothing (unless there is a TTL) and deletions of what is not there, and completes deletions. Follows
 * Flink's ProcTimeDeduplicateKeepLastRowFunction over changelog input. A filter that was pushed into it
 * lets a row that fails it count as deleted.
 */
final class ChangelogNormalize implements Operator {
  private final ValueType[] types;
  private final int filterColumn;
  private final boolean generateUpdateBefore;
  private final long ttl;
  private final SingleEntry entry;

  ChangelogNormalize(OperatorSpec spec) {
    filterColumn = spec.column("filterColumn");
    types = filterColumn < 0 ? spec.inputs[0] : without(spec.inputs[0], filterColumn);
    generateUpdateBefore = spec.flag("generateUpdateBefore", true);
    ttl = spec.ttl(0);
    entry = new SingleEntry(ttl);
  }

  private static <T> T[] without(T[] values, int column) {
    T[] fewer = Arrays.copyOf(values, values.length - 1);
    System.arraycopy(values, column + 1, fewer, column, fewer.length - column);
    return fewer;
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
    private boolean written;

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
      boolean passes = filterColumn < 0 || Boolean.TRUE.equals(row.values[filterColumn]);
      if (RowKinds.isAdd(row.kind) && passes) {
        update(filterColumn < 0 ? row.values : without(row.values, filterColumn), out);
      } else if (kept != null) {
        // The row that is known, for a deletion may come with its key only.
        out.emit(RowKinds.DELETE, kept);
        kept = null;
      }
    }

    private void update(Object[] next, Out out) {
      if (kept == null) {
        out.emit(RowKinds.INSERT, next);
      } else {
        if (ttl <= 0 && Values.equalRows(kept, next)) return;
        if (generateUpdateBefore) out.emit(RowKinds.UPDATE_BEFORE, kept);
        out.emit(RowKinds.UPDATE_AFTER, next);
      }
      kept = next;
      written = true;
    }

    @Override
    public void close(Out out) {
      if (kept == null) {
        if (stored) state.remove(-1);
      } else if (written) {
        ValueCodec.writeRow(kept, entry.start(now));
        entry.put(state, now, !stored);
      }
    }
  }
}
