package org.compiledplan.kernel.operators.window;

import java.util.ArrayDeque;
import java.util.Iterator;
import org.compiledplan.kernel.operators.aggregate.Accumulated;
import org.compiledplan.kernel.operators.aggregate.AggregateCalls;
import org.compiledplan.kernel.operators.base.BatchContext;
import org.compiledplan.kernel.operators.base.InputRow;
import org.compiledplan.kernel.operators.base.KeyState;
import org.compiledplan.kernel.operators.base.KeyedOperator;
import org.compiledplan.kernel.operators.base.KeyedState;
import org.compiledplan.kernel.operators.base.OperatorSpec;
import org.compiledplan.kernel.operators.base.Out;
import org.compiledplan.kernel.operators.base.Outcome;
import org.compiledplan.kernel.operators.base.StateKind;
import org.compiledplan.kernel.state.serialization.Columns;
import org.compiledplan.kernel.state.serialization.Fields;
import org.compiledplan.kernel.state.serialization.PackedRow;
import org.compiledplan.kernel.state.serialization.Stored;
import org.compiledplan.kernel.values.RowKinds;

/**
 * Aggregates by key over windows of a fixed number of rows: a window starts every {@code slide}
 * rows and fires with its last row (Flink's CountTumblingWindowAssigner and
 * CountSlidingWindowAssigner).
 */
public final class CountWindowAggregate extends KeyedOperator<CountWindowAggregate.Windows> {
  private final int[] grouping;
  private final AggregateCalls calls;
  private final boolean needRetraction;
  private final long size;
  private final long slide;
  private final Columns groupColumns;

  public CountWindowAggregate(OperatorSpec spec) {
    grouping = spec.columns("grouping");
    needRetraction = spec.flag("needRetraction");
    calls = new AggregateCalls(spec, grouping.length, needRetraction);
    size = spec.get("window").path("size").asLong();
    slide = spec.get("window").path("slide").asLong();
    groupColumns = Columns.ofInput(0, spec.inputs()[0], grouping);
    define(spec, StateKind.COUNT_WINDOW_AGGREGATE, Windows::new, Work::new);
    if (size <= 0 || slide <= 0) throw spec.problem("has windows without a size");
  }

  /** A window and the number of rows assigned to it, retractions included. */
  private final class Window implements Stored {
    private long came;
    private final Accumulated rows = new Accumulated(calls);

    @Override
    public void fields(Fields io) {
      came = io.count("came", came);
      rows.fields(io);
    }
  }

  /** Incomplete windows of a group. */
  final class Windows implements KeyState {
    private PackedRow key = PackedRow.NONE;

    /** Position of the next row within the slide. */
    private long next;

    private final ArrayDeque<Window> windows = new ArrayDeque<>();

    @Override
    public void fields(Fields io) {
      key = io.packedRow("key", groupColumns, key);
      next = io.count("next", next);
      io.list("windows", windows, Window::new);
    }

    /** Without windows, the position within the slide counts as one entry. */
    @Override
    public int entries() {
      return windows.isEmpty() && next > 0 ? 1 : windows.size();
    }
  }

  private final class Work extends KeyWork {
    private final Windows windows;

    Work(KeyedState state, BatchContext context) {
      super(state, context);
      windows = current();
    }

    @Override
    public Outcome process(InputRow row, Out out) {
      changed = true;
      if (windows.key.isNone()) windows.key = PackedRow.of(row.values(), grouping);
      if (windows.next == 0) windows.windows.add(new Window());
      windows.next = (windows.next + 1) % slide;
      for (Iterator<Window> iterator = windows.windows.iterator(); iterator.hasNext(); ) {
        Window window = iterator.next();
        window.rows.process(row.values(), RowKinds.isAdd(row.kind()));
        if (++window.came < size) continue;
        iterator.remove();
        if (!needRetraction || window.rows.rows() != 0) emit(window, row.values(), out);
      }
      return Outcome.APPLIED;
    }

    private void emit(Window window, Object[] row, Out out) {
      Object[] result = new Object[grouping.length + calls.size()];
      for (int i = 0; i < grouping.length; i++) result[i] = row[grouping[i]];
      window.rows.values(result, grouping.length);
      out.emit(RowKinds.INSERT, result);
    }
  }
}
