package org.compiledplan.kernel.operators;

import java.util.ArrayList;
import java.util.List;
import org.compiledplan.kernel.values.ByteReader;
import org.compiledplan.kernel.values.ByteWriter;
import org.compiledplan.kernel.values.ValueCodec;
import org.compiledplan.kernel.values.ValueType;
import org.compiledplan.kernel.values.Values;

/**
 * Before an upsert sink whose primary key is not the query's upsert key: knows all rows that stand for one
 * primary key and shows the last one. Follows Flink's SinkUpsertMaterializer.
 */
final class SinkUpsertMaterializer implements Operator {
  private final ValueType[] types;
  /** Null: rows are told apart by all their columns. */
  private final int[] upsertKey;
  private final SingleEntry entry;

  SinkUpsertMaterializer(OperatorSpec spec) {
    types = spec.inputs[0];
    upsertKey = spec.has("upsertKey") ? spec.columns("upsertKey") : null;
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
    private final List<Object[]> rows = new ArrayList<>();
    private boolean changed;

    Work(KeyedState state, long now) {
      this.state = state;
      this.now = now;
      byte[] bytes = state.get();
      stored = bytes != null;
      ByteReader in = entry.read(bytes, now);
      int count = in == null ? 0 : in.readVarInt();
      for (int i = 0; i < count; i++) rows.add(ValueCodec.readRow(in, types));
      changed = stored && in == null;
    }

    @Override
    public void process(InputRow row, Out out) {
      if (RowKinds.isAdd(row.kind)) add(row.values, out);
      else retract(row.values, out);
    }

    private void add(Object[] row, Out out) {
      byte kind = rows.isEmpty() ? RowKinds.INSERT : RowKinds.UPDATE_AFTER;
      int index = upsertKey == null ? -1 : indexOf(row);
      if (index >= 0) rows.set(index, row);
      else rows.add(row);
      changed = true;
      out.emit(kind, row);
    }

    private void retract(Object[] row, Out out) {
      int index = indexOf(row);
      if (index < 0) return;
      rows.remove(index);
      changed = true;
      if (rows.isEmpty()) out.emit(RowKinds.DELETE, row);
      else if (index == rows.size()) out.emit(RowKinds.UPDATE_AFTER, rows.get(index - 1));
    }

    private int indexOf(Object[] row) {
      for (int i = 0; i < rows.size(); i++) {
        boolean same = upsertKey == null
            ? Values.equalRows(rows.get(i), row) : Values.equalFields(rows.get(i), row, upsertKey);
        if (same) return i;
      }
      return -1;
    }

    @Override
    public void close(Out out) {
      if (!changed) return;
      if (rows.isEmpty()) {
        if (stored) state.remove(-1);
        return;
      }
      ByteWriter writer = entry.start(now);
      writer.writeVarLong(rows.size());
      for (Object[] row : rows) ValueCodec.writeRow(row, writer);
      entry.put(state, now, !stored);
    }
  }
}
