package org.compiledplan.kernel.operators.over;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.compiledplan.kernel.operators.base.BatchContext;
import org.compiledplan.kernel.operators.base.Idle;
import org.compiledplan.kernel.operators.base.InputRow;
import org.compiledplan.kernel.operators.base.KeyState;
import org.compiledplan.kernel.operators.base.KeyedOperator;
import org.compiledplan.kernel.operators.base.KeyedState;
import org.compiledplan.kernel.operators.base.OperatorSpec;
import org.compiledplan.kernel.operators.base.Out;
import org.compiledplan.kernel.operators.base.Outcome;
import org.compiledplan.kernel.operators.base.SortOrder;
import org.compiledplan.kernel.operators.base.StateKind;
import org.compiledplan.kernel.state.serialization.Columns;
import org.compiledplan.kernel.state.serialization.Fields;
import org.compiledplan.kernel.state.serialization.Stored;
import org.compiledplan.kernel.values.RowKinds;
import org.compiledplan.kernel.values.Values;

/**
 * Unbounded OVER windows ordered by any columns, over a changelog: an added or retracted row
 * changes the rows behind it. Follows Flink's NonTimeRangeUnboundedPrecedingFunction and
 * NonTimeRowsUnboundedPrecedingFunction, but emits one net change per row and micro-batch. A
 * retraction of an absent row is ignored.
 */
public final class ColumnOver extends KeyedOperator<ColumnOver.Entries> implements Idle {
  /** A row and the results emitted for it; the results are null before the first emission. */
  private final class Entry implements Stored {
    private Object[] row;
    private Object[] shown;

    @Override
    public void fields(Fields io) {
      row = io.row("row", columns, row);
      shown = io.row("results", results, shown);
    }
  }

  final class Entries implements KeyState {
    private final List<Entry> all = new ArrayList<>();

    @Override
    public void fields(Fields io) {
      io.list("rows", all, Entry::new);
    }

    @Override
    public int entries() {
      return all.size();
    }
  }

  private final Columns columns;
  private final Columns results;
  private final OverCalls calls;
  private final SortOrder order;
  private final OrderedResults ordered;

  public ColumnOver(OperatorSpec spec) {
    columns = Columns.ofInput(0, spec.inputs()[0]);
    define(spec, StateKind.OVER_COLUMNS, Entries::new, Work::new);
    calls = new OverCalls(spec, false);
    int count = spec.get("aggs").size();
    results =
        Columns.ofCalls(
            java.util.Arrays.copyOfRange(
                spec.output(), spec.output().length - count, spec.output().length));
    order = new SortOrder(spec.get("orderBy"));
    ordered = new OrderedResults(spec);
  }

  @Override
  protected boolean postsEntries() {
    return true;
  }

  @Override
  public boolean refreshedByEveryRow() {
    return false;
  }

  private final class Work extends KeyWork {
    private final List<Entry> entries;
    private final List<Entry> removedRows = new ArrayList<>();

    Work(KeyedState state, BatchContext context) {
      super(state, context);
      entries = current().all;
    }

    @Override
    public Outcome process(InputRow row, Out out) {
      int behind = behind(row.values());
      if (RowKinds.isAdd(row.kind())) {
        Entry entry = new Entry();
        entry.row = row.values();
        entries.add(behind, entry);
        account.created(1);
        changed = true;
        return Outcome.APPLIED;
      }
      for (int at = behind - 1;
          at >= 0 && order.compare(entries.get(at).row, row.values()) == 0;
          at--) {
        if (!Values.equalRows(entries.get(at).row, row.values())) continue;
        Entry removed = entries.remove(at);
        if (removed.shown != null) removedRows.add(removed);
        account.retracted(1);
        changed = true;
        return Outcome.APPLIED;
      }
      return Outcome.ABSENT;
    }

    /** Insertion point of a row behind all rows that are equal in order. */
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
      for (Entry entry : removedRows)
        out.emit(RowKinds.DELETE, calls.result(entry.row, entry.shown));
      List<Object[]> values =
          ordered.of(entries.stream().map(entry -> entry.row).collect(Collectors.toList()));
      for (int at = 0; at < values.size(); at++) {
        show(entries.get(at), values.get(at), out);
        entries.get(at).shown = values.get(at);
      }
      save();
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
