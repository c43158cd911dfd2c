package org.compiledplan.kernel.operators.sort;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.compiledplan.kernel.operators.base.BatchContext;
import org.compiledplan.kernel.operators.base.EntryTimes;
import org.compiledplan.kernel.operators.base.Firings;
import org.compiledplan.kernel.operators.base.InputRow;
import org.compiledplan.kernel.operators.base.KeyState;
import org.compiledplan.kernel.operators.base.KeyedOperator;
import org.compiledplan.kernel.operators.base.KeyedState;
import org.compiledplan.kernel.operators.base.OperatorSpec;
import org.compiledplan.kernel.operators.base.Out;
import org.compiledplan.kernel.operators.base.Outcome;
import org.compiledplan.kernel.operators.base.Rowtime;
import org.compiledplan.kernel.operators.base.SortOrder;
import org.compiledplan.kernel.operators.base.StateKind;
import org.compiledplan.kernel.operators.base.WaitingRows;
import org.compiledplan.kernel.operators.base.WaitingRows.Waiting;
import org.compiledplan.kernel.state.serialization.Columns;
import org.compiledplan.kernel.state.serialization.Fields;
import org.compiledplan.kernel.values.RowKinds;

/**
 * Emits rows in the order of their time, then of further columns. Follows Flink's
 * RowTimeSortOperator; {@link Firings} describes the dropped rows.
 */
public final class RowtimeSort extends KeyedOperator<RowtimeSort.Sorting> {
  private final Columns columns;
  private final int time;
  private final SortOrder order;

  public RowtimeSort(OperatorSpec spec) {
    columns = Columns.ofInput(0, spec.inputs()[0]);
    define(spec, StateKind.TEMPORAL_SORT, Sorting::new, Work::new);
    time = spec.column("time");
    order = new SortOrder(spec.get("orderBy"));
  }

  @Override
  public void fire(Sorting stored, BatchContext context, Out out) {
    stored.firings.moveTo(context.watermark());
    List<Waiting> due = stored.waiting.take(context.watermark());
    for (int from = 0, to; from < due.size(); from = to) {
      Waiting first = due.get(from);
      List<Object[]> equal = new ArrayList<>();
      for (to = from;
          to < due.size() && due.get(to).time() == first.time() && due.get(to).due() == first.due();
          to++) {
        equal.add(due.get(to).row());
      }
      equal.sort(order);
      out.at(first.due());
      for (Object[] row : equal) out.emit(RowKinds.INSERT, row);
    }
  }

  private final class Work extends KeyWork {

    Work(KeyedState state, BatchContext context) {
      super(state, context);
    }

    @Override
    public Outcome process(InputRow row, Out out) {
      row.requireInsert("a sort by time takes insert-only input");
      long at = Rowtime.of(row.values(), time);
      Outcome outcome = current().firings.add(at, row.watermark(), row.values());
      changed |= outcome == Outcome.HELD;
      return outcome;
    }
  }

  /** Firings so far, and the waiting rows. */
  final class Sorting implements KeyState {
    private final WaitingRows waiting = new WaitingRows(columns);
    private final Firings firings = new Firings(waiting, -1);

    @Override
    public void fields(Fields io) {
      io.part("firings", firings);
      io.part("waiting", waiting);
    }

    /** The firings count as one entry, which remains when no row waits. */
    @Override
    public int entries() {
      return waiting.count() + 1;
    }

    @Override
    public void entryTimes(EntryTimes to) {
      to.entry(0, EntryTimes.NONE, EntryTimes.NONE);
      waiting.entryTimes(0, to);
    }

    @Override
    public OptionalLong nextDue(BatchContext context) {
      return waiting.firstDue();
    }
  }
}
