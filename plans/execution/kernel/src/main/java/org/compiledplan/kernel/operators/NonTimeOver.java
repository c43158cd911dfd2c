package org.compiledplan.kernel.operators;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.compiledplan.kernel.aggregates.Accumulator;
import org.compiledplan.kernel.values.ByteReader;
import org.compiledplan.kernel.values.ByteWriter;
import org.compiledplan.kernel.values.ValueCodec;
import org.compiledplan.kernel.values.ValueType;
import org.compiledplan.kernel.values.Values;

/**
 * Unbounded OVER windows ordered by any columns, over a changelog: a row that comes or goes changes those behind
 * it. Follows Flink's NonTimeRangeUnboundedPrecedingFunction and NonTimeRowsUnboundedPrecedingFunction, with one
 * net change of each row for a micro-batch. A retraction without its row is ignored.
 */
final class NonTimeOver implements Idle {
  private static final int VERSION = 1;

  /** A row with the results that consumers have seen, null if they have not seen it. */
  private static final class Entry {
    final Object[] row;
    final Object[] shown;

    Entry(Object[] row, Object[] shown) {
      this.row = row;
      this.shown = shown;
    }
  }

  private final ValueType[] types;
  private final ValueType[] results;
  private final OverCalls calls;
  private final SortOrder order;
  private final boolean rows;

  NonTimeOver(OperatorSpec spec) {
    types = spec.inputs[0];
    calls = new OverCalls(spec, false);
    int count = spec.get("aggs").size();
    results = java.util.Arrays.copyOfRange(spec.output, spec.output.length - count, spec.output.length);
    order = new SortOrder(spec.get("orderBy"));
    rows = spec.flag("rows", false);
    if (spec.number("preceding", -1) >= 0) throw spec.problem("is bounded but not ordered by time");
  }

  @Override
  public Session open(KeyedState state, BatchContext context) {
    return new Work(state);
  }

  @Override
  public void onTimer(KeyedState state, BatchContext context, Out out) {}

  @Override
  public int entries(byte[] state) {
    return read(state).size();
  }

  @Override
  public boolean staysAliveByAnyRow() {
    return false;
  }

  private List<Entry> read(byte[] bytes) {
    if (bytes == null) return new ArrayList<>();
    ByteReader in = new ByteReader(bytes);
    int version = in.readByte();
    if (version != VERSION) throw new IllegalStateException("unknown state version " + version);
    int count = in.readVarInt();
    List<Entry> entries = new ArrayList<>(count + 8);
    for (int i = 0; i < count; i++) {
      Object[] row = ValueCodec.readRow(in, types);
      entries.add(new Entry(row, ValueCodec.readRow(in, results)));
    }
    return entries;
  }

  private final class Work implements Session {
    private final KeyedState state;
    private final int before;
    private final List<Entry> entries;
    private final List<Entry> gone = new ArrayList<>();
    private boolean changed;

    Work(KeyedState state) {
      this.state = state;
      entries = read(state.get());
      before = entries.size();
    }

    @Override
    public void process(InputRow row, Out out) {
      int behind = behind(row.values);
      if (RowKinds.isAdd(row.kind)) {
        entries.add(behind, new Entry(row.values, null));
        changed = true;
        return;
      }
      for (int at = behind - 1; at >= 0 && order.compare(entries.get(at).row, row.values) == 0; at--) {
        if (!Values.equalRows(entries.get(at).row, row.values)) continue;
        Entry removed = entries.remove(at);
        if (removed.shown != null) gone.add(removed);
        changed = true;
        return;
      }
    }

    /** Where a row goes that comes last of its equals. */
    private int behind(Object[] row) {
      int low = 0;
      int high = entries.size();
      while (low < high) {
        int middle = (low + high) >>> 1;
        if (order.compare(entries.get(middle).row, row) <= 0) low = middle + 1;
        else high = middle;
      }
      return low;
    }

    @Override
    public void close(Out out) {
      if (!changed) return;
      for (Entry entry : gone) out.emit(RowKinds.DELETE, calls.result(entry.row, entry.shown));
      if (entries.isEmpty()) {
        if (before > 0) state.remove(-before);
        return;
      }
      ByteWriter writer = new ByteWriter(256);
      writer.writeByte(VERSION);
      writer.writeVarLong(entries.size());
      Accumulator[] accumulators = calls.fresh();
      for (int from = 0, to; from < entries.size(); from = to) {
        to = from;
        do {
          calls.add(accumulators, entries.get(to++).row);
        } while (!rows && to < entries.size()
            && order.compare(entries.get(to).row, entries.get(from).row) == 0);
        Object[] values = calls.values(accumulators);
        for (int at = from; at < to; at++) {
          show(entries.get(at), values, out);
          ValueCodec.writeRow(entries.get(at).row, writer);
          ValueCodec.writeRow(values, writer);
        }
      }
      state.put(writer.toBytes(), OptionalLong.empty(), entries.size() - before);
    }

    private void show(Entry entry, Object[] values, Out out) {
      if (entry.shown == null) {
        out.emit(RowKinds.INSERT, calls.result(entry.row, values));
      } else if (!Values.equalRows(entry.shown, values)) {
        out.emit(RowKinds.UPDATE_BEFORE, calls.result(entry.row, entry.shown));
        out.emit(RowKinds.UPDATE_AFTER, calls.result(entry.row, values));
      }
    }
  }
}
