package org.compiledplan.kernel.operators.changelog;

import java.util.ArrayList;
import java.util.List;
import org.compiledplan.kernel.operators.base.BatchContext;
import org.compiledplan.kernel.operators.base.EntryOperator;
import org.compiledplan.kernel.operators.base.InputRow;
import org.compiledplan.kernel.operators.base.KeyedState;
import org.compiledplan.kernel.operators.base.OperatorSpec;
import org.compiledplan.kernel.operators.base.Out;
import org.compiledplan.kernel.operators.base.Outcome;
import org.compiledplan.kernel.operators.base.SingleEntry;
import org.compiledplan.kernel.operators.base.StateKind;
import org.compiledplan.kernel.state.serialization.Columns;
import org.compiledplan.kernel.state.serialization.Fields;
import org.compiledplan.kernel.values.RowKinds;
import org.compiledplan.kernel.values.Values;

/**
 * Before an upsert sink whose primary key is not the query's upsert key: stores all rows with the
 * same primary key and emits the last one. Follows Flink's SinkUpsertMaterializer.
 */
public final class SinkUpsertMaterializer extends EntryOperator<SinkUpsertMaterializer.Rows> {
  private final Columns columns;

  /** Null: rows are identified by all their columns. */
  private final int[] upsertKey;

  public SinkUpsertMaterializer(OperatorSpec spec) {
    columns = Columns.ofInput(0, spec.inputs()[0]);
    upsertKey = spec.has("upsertKey") ? spec.columns("upsertKey") : null;
    long ttl = spec.ttl(0);
    define(spec, StateKind.SINK_UPSERT_MATERIALIZER, () -> new Rows(ttl), Work::new);
  }

  final class Rows extends SingleEntry {
    private final List<Object[]> rows = new ArrayList<>();

    Rows(long ttl) {
      super(ttl);
    }

    @Override
    public boolean isReusable() {
      return true;
    }

    @Override
    public void content(Fields io) {
      io.rows("rows", columns, rows);
    }
  }

  private final class Work extends EntryWork {
    private final List<Object[]> rows;
    private boolean changed;

    Work(KeyedState state, BatchContext context) {
      super(state, context);
      changed = stored && entry == null;
      if (entry == null) entry = format.fresh();
      rows = entry.rows;
    }

    @Override
    public Outcome process(InputRow row, Out out) {
      return RowKinds.isAdd(row.kind()) ? add(row.values(), out) : retract(row.values(), out);
    }

    private Outcome add(Object[] row, Out out) {
      if (!rows.isEmpty()) renewed(1);
      byte kind = rows.isEmpty() ? RowKinds.INSERT : RowKinds.UPDATE_AFTER;
      int index = upsertKey == null ? -1 : Values.indexOf(rows, row, upsertKey);
      if (index >= 0) rows.set(index, row);
      else rows.add(row);
      changed = true;
      out.emit(kind, row);
      return Outcome.APPLIED;
    }

    private Outcome retract(Object[] row, Out out) {
      int index = Values.indexOf(rows, row, upsertKey);
      if (index < 0) return Outcome.ABSENT;
      renewed(1);
      rows.remove(index);
      changed = true;
      if (rows.isEmpty()) out.emit(RowKinds.DELETE, row);
      else if (index == rows.size()) out.emit(RowKinds.UPDATE_AFTER, rows.get(index - 1));
      return Outcome.APPLIED;
    }

    @Override
    public void close(Out out) {
      if (!changed) return;
      if (rows.isEmpty()) entry = null;
      save();
    }
  }
}
