package org.compiledplan.kernel.operators;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import org.compiledplan.kernel.values.ByteReader;
import org.compiledplan.kernel.values.ByteWriter;
import org.compiledplan.kernel.values.ValueCodec;
import org.compiledplan.kernel.values.ValueType;
import org.compiledplan.kernel.values.Values;

/**
 * Before an upsert sink with {@code ON CONFLICT DO NOTHING} or {@code DO ERROR}: the changes of a primary key that
 * come at one watermark wait until it moves on, for a row and the one that replaces it may come in any order. What
 * is left then is one row, none, or a conflict. Follows Flink's WatermarkCompactingSinkMaterializer.
 *
 * <p>Timers here are in event time, so what has expired goes when its key is seen again.
 */
final class SinkCompactor implements Operator {
  private final ValueType[] types;
  /** Null: rows are told apart by all their columns. */
  private final int[] upsertKey;
  private final int[] primaryKey;
  private final String[] keyNames;
  private final String table;
  private final boolean fails;
  private final SingleEntry entry;

  SinkCompactor(OperatorSpec spec) {
    types = spec.inputs[0];
    upsertKey = spec.has("upsertKey") ? spec.columns("upsertKey") : null;
    primaryKey = spec.columns("primaryKey");
    keyNames = new String[primaryKey.length];
    for (int i = 0; i < keyNames.length; i++) keyNames[i] = spec.get("keyNames").get(i).asText();
    table = spec.text("table");
    fails = spec.text("conflict").equals("ERROR");
    entry = new SingleEntry(spec.ttl(0));
  }

  /** A change that waits. */
  private record Change(byte kind, Object[] row) {}

  /** The changes that came at one watermark. */
  private record Bucket(long watermark, List<Change> changes) {}

  @Override
  public Session open(KeyedState state, BatchContext context) {
    return new Work(state, context.processingTime);
  }

  @Override
  public void onTimer(KeyedState state, BatchContext context, Out out) {
    if (state.get() == null) return;
    Work work = new Work(state, context.processingTime);
    while (work.isDue(context.watermark)) {
      out.at(Times.plus(work.buckets.peekFirst().watermark, 1));
      work.compact(out);
    }
    work.changed = true;
    work.close(out);
  }

  private final class Work implements Session {
    private final KeyedState state;
    private final long now;
    private final boolean stored;
    /** The row that the sink shows. */
    private Object[] current;
    private final ArrayDeque<Bucket> buckets = new ArrayDeque<>();
    private boolean changed;

    Work(KeyedState state, long now) {
      this.state = state;
      this.now = now;
      byte[] bytes = state.get();
      stored = bytes != null;
      ByteReader in = entry.read(bytes, now);
      changed = stored && in == null;
      if (in == null) return;
      if (in.readByte() == 1) current = ValueCodec.readRow(in, types);
      int count = in.readVarInt();
      for (int i = 0; i < count; i++) {
        Bucket bucket = new Bucket(in.readFixedLong(), new ArrayList<>());
        int size = in.readVarInt();
        for (int k = 0; k < size; k++) {
          bucket.changes.add(new Change((byte) in.readByte(), ValueCodec.readRow(in, types)));
        }
        buckets.add(bucket);
      }
    }

    boolean isDue(long watermark) {
      return !buckets.isEmpty() && buckets.peekFirst().watermark < watermark;
    }

    @Override
    public void process(InputRow row, Out out) {
      while (isDue(row.watermark)) compact(out);
      // A row that a timer upstream made knows no watermark; it comes no earlier than what is here.
      if (buckets.isEmpty() || buckets.peekLast().watermark < row.watermark) {
        buckets.add(new Bucket(row.watermark, new ArrayList<>()));
      }
      add(buckets.peekLast().changes, new Change(row.kind, row.values));
      changed = true;
    }

    /** A row and its retraction at the same watermark leave nothing, in either order. */
    private void add(List<Change> changes, Change next) {
      boolean adds = RowKinds.isAdd(next.kind);
      for (int i = 0; i < changes.size(); i++) {
        Change other = changes.get(i);
        if (RowKinds.isAdd(other.kind) != adds && Values.equalRows(other.row, next.row)) {
          changes.remove(i);
          return;
        }
      }
      changes.add(next);
    }

    private void compact(Out out) {
      List<Object[]> rows = new ArrayList<>();
      if (current != null) rows.add(current);
      for (Change change : buckets.removeFirst().changes) apply(rows, change);
      changed = true;
      if (rows.size() > 1) {
        conflict(rows, out);
      } else if (rows.isEmpty()) {
        if (current != null) out.emit(RowKinds.DELETE, current);
        current = null;
      } else if (current == null || !Values.equalRows(current, rows.get(0))) {
        show(rows.get(0), out);
      }
    }

    private void apply(List<Object[]> rows, Change change) {
      int index = RowKinds.isAdd(change.kind) && upsertKey == null ? -1 : indexOf(rows, change.row);
      if (RowKinds.isAdd(change.kind)) {
        if (index < 0) rows.add(change.row);
        else rows.set(index, change.row);
      } else if (index >= 0) {
        rows.remove(index);
      }
    }

    private int indexOf(List<Object[]> rows, Object[] row) {
      for (int i = 0; i < rows.size(); i++) {
        boolean same = upsertKey == null
            ? Values.equalRows(rows.get(i), row) : Values.equalFields(rows.get(i), row, upsertKey);
        if (same) return i;
      }
      return -1;
    }

    private void conflict(List<Object[]> rows, Out out) {
      if (!fails) {
        if (current == null) show(rows.get(0), out);
        return;
      }
      String[] key = new String[primaryKey.length];
      for (int i = 0; i < key.length; i++) key[i] = keyNames[i] + "=" + rows.get(0)[primaryKey[i]];
      throw new IllegalStateException("primary key conflict in " + table + ": " + rows.size() + " rows have the key "
          + Arrays.toString(key) + "; ON CONFLICT DO NOTHING keeps the first of them, DO DEDUPLICATE the last");
    }

    private void show(Object[] row, Out out) {
      out.emit(current == null ? RowKinds.INSERT : RowKinds.UPDATE_AFTER, row);
      current = row;
    }

    @Override
    public void close(Out out) {
      if (!changed) return;
      if (current == null && buckets.isEmpty()) {
        if (stored) state.remove(-1);
        return;
      }
      ByteWriter writer = entry.start(now);
      writer.writeByte(current == null ? 0 : 1);
      if (current != null) ValueCodec.writeRow(current, writer);
      writer.writeVarLong(buckets.size());
      for (Bucket bucket : buckets) {
        writer.writeFixedLong(bucket.watermark);
        writer.writeVarLong(bucket.changes.size());
        for (Change change : bucket.changes) {
          writer.writeByte(change.kind);
          ValueCodec.writeRow(change.row, writer);
        }
      }
      OptionalLong due =
          buckets.isEmpty() ? OptionalLong.empty() : OptionalLong.of(Times.plus(buckets.peekFirst().watermark, 1));
      entry.putUntil(state, due, !stored);
    }
  }
}
