package org.compiledplan.kernel.operators.changelog;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import org.compiledplan.kernel.operators.base.BatchContext;
import org.compiledplan.kernel.operators.base.EntryOperator;
import org.compiledplan.kernel.operators.base.InputRow;
import org.compiledplan.kernel.operators.base.KeyedState;
import org.compiledplan.kernel.operators.base.OperatorSpec;
import org.compiledplan.kernel.operators.base.Out;
import org.compiledplan.kernel.operators.base.Outcome;
import org.compiledplan.kernel.operators.base.SingleEntry;
import org.compiledplan.kernel.operators.base.StateKind;
import org.compiledplan.kernel.operators.base.TimeMath;
import org.compiledplan.kernel.state.serialization.Columns;
import org.compiledplan.kernel.state.serialization.Fields;
import org.compiledplan.kernel.state.serialization.Stored;
import org.compiledplan.kernel.values.RowKinds;
import org.compiledplan.kernel.values.Values;

/**
 * Before an upsert sink with {@code ON CONFLICT DO NOTHING} or {@code DO ERROR}: the changes of a
 * primary key that arrive at one watermark wait until it advances, because a row and its
 * replacement may arrive in any order. The remainder is one row, no row, or a conflict. Follows
 * Flink's WatermarkCompactingSinkMaterializer.
 *
 * <p>Timers are in event time, so an expired entry is removed when its key arrives again.
 */
public final class SinkCompactor extends EntryOperator<SinkCompactor.Waiting> {
  private final Columns columns;

  /** Null: rows are identified by all their columns. */
  private final int[] upsertKey;

  private final int[] primaryKey;
  private final String[] keyNames;
  private final String table;
  private final boolean fails;

  public SinkCompactor(OperatorSpec spec) {
    columns = Columns.ofInput(0, spec.inputs()[0]);
    upsertKey = spec.has("upsertKey") ? spec.columns("upsertKey") : null;
    primaryKey = spec.columns("primaryKey");
    keyNames = new String[primaryKey.length];
    for (int i = 0; i < keyNames.length; i++) keyNames[i] = spec.get("keyNames").get(i).asText();
    table = spec.text("table");
    fails = spec.text("conflict").equals("ERROR");
    long ttl = spec.ttl(0);
    define(spec, StateKind.SINK_COMPACTOR, () -> new Waiting(ttl), Work::new);
  }

  private final class Change implements Stored {
    private byte kind;
    private Object[] row;

    @Override
    public void fields(Fields io) {
      kind = (byte) io.code("kind", kind);
      row = io.row("row", columns, row);
    }
  }

  /** Changes that arrived at one watermark. */
  private final class Bucket implements Stored {
    private long watermark;
    private final List<Change> changes = new ArrayList<>();

    @Override
    public void fields(Fields io) {
      watermark = io.time("watermark", watermark);
      io.list("changes", changes, Change::new);
    }
  }

  /** The row shown by the sink, and the waiting changes. */
  final class Waiting extends SingleEntry {
    /** The row shown by the sink. */
    private Object[] current;

    private final ArrayDeque<Bucket> buckets = new ArrayDeque<>();

    Waiting(long ttl) {
      super(ttl);
    }

    @Override
    public void content(Fields io) {
      current = io.maybeRow("current", columns, current);
      io.list("buckets", buckets, Bucket::new);
    }

    @Override
    public OptionalLong nextDue(BatchContext context) {
      if (buckets.isEmpty()) return OptionalLong.empty();
      return OptionalLong.of(TimeMath.plus(buckets.peekFirst().watermark, 1));
    }
  }

  @Override
  public void onTimer(KeyedState state, BatchContext context, Out out) {
    if (!state.isThere()) return;
    Work work = new Work(state, context);
    if (work.isDue(context.watermark())) account.used(0, work.entry.age(context));
    while (work.isDue(context.watermark())) {
      out.at(TimeMath.plus(work.buckets.peekFirst().watermark, 1));
      work.compact(out);
    }
    work.changed = true;
    work.close(out);
  }

  private final class Work extends EntryWork {
    private final ArrayDeque<Bucket> buckets;
    private boolean changed;

    Work(KeyedState state, BatchContext context) {
      super(state, context);
      changed = stored && entry == null;
      if (entry == null) entry = format.fresh();
      buckets = entry.buckets;
    }

    boolean isDue(long watermark) {
      return !buckets.isEmpty() && buckets.peekFirst().watermark < watermark;
    }

    @Override
    public Outcome process(InputRow row, Out out) {
      if (entry.current != null || !buckets.isEmpty()) renewed(1);
      while (isDue(row.watermark())) compact(out);
      // A row of an upstream timer has no watermark; it is not older than the buckets here.
      if (buckets.isEmpty() || buckets.peekLast().watermark < row.watermark()) {
        Bucket bucket = new Bucket();
        bucket.watermark = row.watermark();
        buckets.add(bucket);
      }
      Change change = new Change();
      change.kind = row.kind();
      change.row = row.values();
      add(buckets.peekLast().changes, change);
      changed = true;
      return Outcome.HELD;
    }

    /** A row and its retraction at the same watermark cancel out, in either order. */
    private void add(List<Change> changes, Change next) {
      boolean adds = RowKinds.isAdd(next.kind);
      for (int i = 0; i < changes.size(); i++) {
        Change earlier = changes.get(i);
        if (RowKinds.isAdd(earlier.kind) != adds && Values.equalRows(earlier.row, next.row)) {
          changes.remove(i);
          return;
        }
      }
      changes.add(next);
    }

    private void compact(Out out) {
      List<Object[]> rows = new ArrayList<>();
      if (entry.current != null) rows.add(entry.current);
      for (Change change : buckets.removeFirst().changes) apply(rows, change);
      changed = true;
      if (rows.size() > 1) {
        conflict(rows, out);
      } else if (rows.isEmpty()) {
        if (entry.current != null) out.emit(RowKinds.DELETE, entry.current);
        entry.current = null;
      } else if (entry.current == null || !Values.equalRows(entry.current, rows.get(0))) {
        show(rows.get(0), out);
      }
    }

    private void apply(List<Object[]> rows, Change change) {
      int index =
          RowKinds.isAdd(change.kind) && upsertKey == null
              ? -1
              : Values.indexOf(rows, change.row, upsertKey);
      if (RowKinds.isAdd(change.kind)) {
        if (index < 0) rows.add(change.row);
        else rows.set(index, change.row);
      } else if (index >= 0) {
        rows.remove(index);
      }
    }

    private void conflict(List<Object[]> rows, Out out) {
      if (!fails) {
        if (entry.current == null) show(rows.get(0), out);
        return;
      }
      String[] key = new String[primaryKey.length];
      for (int i = 0; i < key.length; i++) key[i] = keyNames[i] + "=" + rows.get(0)[primaryKey[i]];
      throw new IllegalStateException(
          ("primary key conflict in %s: %s rows have the key %s; ON CONFLICT DO NOTHING keeps "
                  + "the first of them, DO DEDUPLICATE the last")
              .formatted(table, rows.size(), Arrays.toString(key)));
    }

    private void show(Object[] row, Out out) {
      out.emit(entry.current == null ? RowKinds.INSERT : RowKinds.UPDATE_AFTER, row);
      entry.current = row;
    }

    @Override
    public void close(Out out) {
      if (!changed) return;
      if (entry.current == null && buckets.isEmpty()) entry = null;
      save();
    }
  }
}
