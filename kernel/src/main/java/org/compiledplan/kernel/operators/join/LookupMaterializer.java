package org.compiledplan.kernel.operators.join;

import java.util.Arrays;
import java.util.List;
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

/**
 * Behind a lookup join: stores the rows of the table that the last row of a key was joined with,
 * and retracts these. A row carries them as an array; a retraction carries none. Follows Flink's
 * KeyedLookupJoinWrapper.
 */
public final class LookupMaterializer extends EntryOperator<ExpiringRow> {
  private final int rowsColumn;

  public LookupMaterializer(OperatorSpec spec) {
    rowsColumn = spec.column("rowsColumn");
    long ttl = spec.ttl(0);
    Columns columns = Columns.ofInput(0, spec.inputs()[0], new int[] {rowsColumn});
    define(spec, StateKind.LOOKUP, () -> new ExpiringRow(ttl, columns), Work::new);
  }

  private final class Work extends EntryWork {
    private boolean changed;

    Work(KeyedState state, BatchContext context) {
      super(state, context);
      changed = stored && entry == null;
    }

    @Override
    public Outcome process(InputRow row, Out out) {
      boolean adds = RowKinds.isAdd(row.kind());
      if (entry != null) renewed(1);
      if (adds) {
        entry = format.fresh();
        entry.row = new Object[] {row.values()[rowsColumn]};
      } else if (entry == null) {
        return Outcome.ABSENT;
      }
      List<?> matches = (List<?>) entry.row[0];
      for (Object match : matches) {
        Object[] joined = Arrays.copyOf(row.values(), row.values().length);
        joined[rowsColumn] = match;
        out.emit(row.kind(), joined);
      }
      if (!adds) entry = null;
      changed = true;
      return matches.isEmpty() ? Outcome.UNMATCHED : Outcome.APPLIED;
    }

    @Override
    public void close(Out out) {
      if (changed) save();
    }
  }
}
