package org.compiledplan.kernel.operators.changelog;

import java.util.Arrays;
import java.util.stream.IntStream;
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
 * Converts an upsert changelog into a complete one: stores the last row of a key, drops updates
 * that change nothing (unless there is a TTL) and deletions of absent rows, and completes
 * deletions. Follows Flink's ProcTimeDeduplicateKeepLastRowFunction over changelog input. A row
 * that fails a pushed-down filter counts as deleted.
 */
public final class ChangelogNormalize extends EntryOperator<ExpiringRow> {
  private final int filterColumn;
  private final boolean generateUpdateBefore;
  private final long ttl;

  public ChangelogNormalize(OperatorSpec spec) {
    filterColumn = spec.column("filterColumn");
    generateUpdateBefore = spec.flag("generateUpdateBefore");
    ttl = spec.ttl(0);
    ValueType[] types = spec.inputs()[0];
    Columns columns = Columns.ofInput(0, types, others(types.length, filterColumn));
    define(spec, StateKind.CHANGELOG_NORMALIZE, () -> new ExpiringRow(ttl, columns), Work::new);
  }

  /** All columns except {@code without}; all columns if that is negative. */
  private static int[] others(int width, int without) {
    return IntStream.range(0, width).filter(column -> column != without).toArray();
  }

  private static Object[] without(Object[] values, int column) {
    Object[] fewer = Arrays.copyOf(values, values.length - 1);
    System.arraycopy(values, column + 1, fewer, column, fewer.length - column);
    return fewer;
  }

  private final class Work extends EntryWork {
    private Object[] stored;
    private boolean written;

    Work(KeyedState state, BatchContext context) {
      super(state, context);
      if (entry != null) stored = entry.row;
    }

    @Override
    public Outcome process(InputRow row, Out out) {
      boolean passes = filterColumn < 0 || Boolean.TRUE.equals(row.values()[filterColumn]);
      if (RowKinds.isAdd(row.kind()) && passes) {
        return update(filterColumn < 0 ? row.values() : without(row.values(), filterColumn), out);
      }
      if (stored == null) return passes ? Outcome.ABSENT : Outcome.FILTERED;
      renewed(1);
      // Emit the stored row: a deletion may carry its key only.
      out.emit(RowKinds.DELETE, stored);
      stored = null;
      return Outcome.APPLIED;
    }

    private Outcome update(Object[] next, Out out) {
      if (stored == null) {
        out.emit(RowKinds.INSERT, next);
      } else {
        if (ttl <= 0 && Values.equalRows(stored, next)) {
          used();
          return Outcome.DUPLICATE;
        }
        renewed(1);
        if (generateUpdateBefore) out.emit(RowKinds.UPDATE_BEFORE, stored);
        out.emit(RowKinds.UPDATE_AFTER, next);
      }
      stored = next;
      written = true;
      return Outcome.APPLIED;
    }

    @Override
    public void close(Out out) {
      if (stored == null) {
        entry = null;
        save();
      } else if (written) {
        entry = format.fresh();
        entry.row = stored;
        save();
      }
    }
  }
}
