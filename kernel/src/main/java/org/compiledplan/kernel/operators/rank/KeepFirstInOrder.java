package org.compiledplan.kernel.operators.rank;

import java.util.OptionalLong;
import org.compiledplan.kernel.operators.base.BatchContext;
import org.compiledplan.kernel.operators.base.EntryOperator;
import org.compiledplan.kernel.operators.base.InputRow;
import org.compiledplan.kernel.operators.base.KeyedState;
import org.compiledplan.kernel.operators.base.OperatorSpec;
import org.compiledplan.kernel.operators.base.Out;
import org.compiledplan.kernel.operators.base.Outcome;
import org.compiledplan.kernel.operators.base.Rowtime;
import org.compiledplan.kernel.operators.base.SingleEntry;
import org.compiledplan.kernel.operators.base.StateKind;
import org.compiledplan.kernel.operators.base.WaitingRows;
import org.compiledplan.kernel.state.serialization.Columns;
import org.compiledplan.kernel.state.serialization.Fields;
import org.compiledplan.kernel.values.RowKinds;
import org.compiledplan.kernel.values.ValueType;

/**
 * Keeps the first row of a key by a time column and emits it once, when the watermark reaches its
 * time. Follows Flink's RowTimeDeduplicateKeepFirstRowFunction, which drops rows behind the
 * watermark. Of rows with equal times the earlier arrival is kept.
 *
 * <p>Timers are in event time, so an expired entry is removed when its key arrives again.
 */
public final class KeepFirstInOrder extends EntryOperator<KeepFirstInOrder.First> {
  private final int rowtime;
  private final Columns columns;
  private final int[] keyColumns;
  private final Columns key;

  public KeepFirstInOrder(OperatorSpec spec) {
    ValueType[] types = spec.inputs()[0];
    rowtime = spec.column("rowtime");
    columns = Columns.ofInput(0, types);
    keyColumns = spec.key(0);
    key = Columns.ofInput(0, types, keyColumns);
    long ttl = spec.ttl(0);
    define(spec, StateKind.KEEP_FIRST_IN_ORDER, () -> new First(ttl), Work::new);
  }

  /** The waiting row, or the fact that it has been emitted. */
  final class First extends SingleEntry {
    private Object[] keyValues;

    /** The time at which the row is emitted, and the row; empty and null after the emission. */
    private OptionalLong due = OptionalLong.empty();

    private Object[] row;

    First(long ttl) {
      super(ttl);
    }

    @Override
    public void content(Fields io) {
      keyValues = io.row("key", key, keyValues);
      due = io.maybeTime("due", due);
      row = io.maybeRow("row", columns, row);
    }

    @Override
    public OptionalLong nextDue(BatchContext context) {
      return due;
    }
  }

  @Override
  public void onTimer(KeyedState state, BatchContext context, Out out) {
    First first = live(state, context);
    if (first == null) {
      if (state.isThere()) expire(state);
      return;
    }
    if (first.due.isEmpty()) return;
    if (first.due.getAsLong() > context.watermark()) {
      state.reschedule(first.due);
      return;
    }
    account.used(0, first.age(context));
    out.at(first.due.getAsLong());
    out.emit(RowKinds.INSERT, first.row);
    first.due = OptionalLong.empty();
    first.row = null;
    put(state, first, context, false);
  }

  private final class Work extends EntryWork {
    private boolean changed;

    Work(KeyedState state, BatchContext context) {
      super(state, context);
    }

    @Override
    public Outcome process(InputRow row, Out out) {
      if (!RowKinds.isAdd(row.kind())) {
        throw new IllegalStateException("deduplicate takes insert-only input, it got a retraction");
      }
      if (entry != null && entry.row == null) return duplicate();
      long time = Rowtime.of(row.values(), rowtime);
      if (time < row.watermark()) return Outcome.LATE;
      if (entry != null && time >= Rowtime.of(entry.row, rowtime)) return duplicate();
      if (entry == null) entry = format.fresh();
      else renewed(1);
      entry.keyValues = OperatorSpec.values(row.values(), keyColumns);
      entry.due = OptionalLong.of(WaitingRows.due(time, row.watermark()));
      entry.row = row.values();
      changed = true;
      return Outcome.HELD;
    }

    private Outcome duplicate() {
      used();
      return Outcome.DUPLICATE;
    }

    @Override
    public void close(Out out) {
      if (changed) save();
    }
  }
}
