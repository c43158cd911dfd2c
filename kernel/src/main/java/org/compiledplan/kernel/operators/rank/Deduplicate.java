package org.compiledplan.kernel.operators.rank;

import org.compiledplan.kernel.operators.base.BatchContext;
import org.compiledplan.kernel.operators.base.EntryOperator;
import org.compiledplan.kernel.operators.base.ExpiringRow;
import org.compiledplan.kernel.operators.base.InputRow;
import org.compiledplan.kernel.operators.base.KeyedState;
import org.compiledplan.kernel.operators.base.OperatorSpec;
import org.compiledplan.kernel.operators.base.Out;
import org.compiledplan.kernel.operators.base.Outcome;
import org.compiledplan.kernel.operators.base.StateKind;
import org.compiledplan.kernel.state.serialization.Columns;
import org.compiledplan.kernel.values.RowKinds;
import org.compiledplan.kernel.values.ValueType;
import org.compiledplan.kernel.values.Values;

/**
 * Keeps one row per key: the first or the last by arrival or by a time column. Follows Flink's
 * ProcTimeDeduplicateKeepFirstRowFunction, ProcTimeDeduplicateKeepLastRowFunction and
 * RowTimeDeduplicateFunction. Of rows with equal times, keep-last takes the later arrival and
 * keep-first the earlier.
 */
public final class Deduplicate extends EntryOperator<ExpiringRow> {
  private final boolean keepLast;
  private final int rowtime;
  private final boolean generateUpdateBefore;
  private final boolean generateInsert;

  /** Columns to store if the full row is not needed, otherwise null. */
  private final int[] onlyKey;

  public Deduplicate(OperatorSpec spec) {
    ValueType[] types = spec.inputs()[0];
    keepLast = spec.flag("keepLast");
    rowtime = spec.column("rowtime");
    generateUpdateBefore = spec.flag("generateUpdateBefore");
    generateInsert = spec.flag("generateInsert");
    // Keep-first by arrival only tests whether a row exists, so the key is enough.
    boolean rowNeeded = keepLast || rowtime >= 0;
    onlyKey = rowNeeded ? null : spec.key(0);
    Columns columns = rowNeeded ? Columns.ofInput(0, types) : Columns.ofInput(0, types, onlyKey);
    long ttl = spec.ttl(0);
    define(spec, StateKind.DEDUPLICATE, () -> new ExpiringRow(ttl, columns), Work::new);
  }

  private final class Work extends EntryWork {
    private Object[] stored;
    private boolean changed;

    Work(KeyedState state, BatchContext context) {
      super(state, context);
      if (entry != null) stored = entry.row;
    }

    @Override
    public Outcome process(InputRow row, Out out) {
      if (!RowKinds.isAdd(row.kind())) {
        throw new IllegalStateException("deduplicate takes insert-only input, it got a retraction");
      }
      if (stored != null && !replaces(row.values())) {
        used();
        return Outcome.DUPLICATE;
      }
      if (stored == null) {
        out.emit(
            generateInsert || !keepLast ? RowKinds.INSERT : RowKinds.UPDATE_AFTER, row.values());
      } else {
        renewed(1);
        if (generateUpdateBefore) out.emit(RowKinds.UPDATE_BEFORE, stored);
        out.emit(RowKinds.UPDATE_AFTER, row.values());
      }
      stored = row.values();
      changed = true;
      return Outcome.APPLIED;
    }

    private boolean replaces(Object[] row) {
      if (rowtime < 0) return keepLast;
      int order = Values.compare(row[rowtime], stored[rowtime]);
      return keepLast ? order >= 0 : order < 0;
    }

    @Override
    public void close(Out out) {
      if (changed) {
        entry = format.fresh();
        entry.row = onlyKey == null ? stored : OperatorSpec.values(stored, onlyKey);
        save();
      } else if (entry == null) {
        save();
      }
    }
  }
}
