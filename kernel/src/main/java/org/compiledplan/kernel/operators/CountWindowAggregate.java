package org.compiledplan.kernel.operators;

import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.OptionalLong;
import org.compiledplan.kernel.state.Columns;
import org.compiledplan.kernel.state.Fields;
import org.compiledplan.kernel.state.PackedRow;
import org.compiledplan.kernel.state.Stored;

/**
 * Aggregates by key over windows of a number of rows: a window starts every {@code slide} rows and
 * fires with its last one (Flink's CountTumblingWindowAssigner and CountSlidingWindowAssigner).
 */
final class CountWindowAggregate implements Operator {
  private final int[] grouping;
  private final AggregateCalls calls;
  private final boolean needRetraction;
  private final long size;
  private final long slide;
  private final Columns groupColumns;
  private final StateFormat<Windows> format;

  CountWindowAggregate(OperatorSpec spec) {
    grouping = spec.columns("grouping");
    needRetraction = spec.flag("needRetraction");
    calls = new AggregateCalls(spec, grouping.length, needRetraction);
    size = spec.get("window").path("size").asLong();
    slide = spec.get("window").path("slide").asLong();
    groupColumns = Columns.ofInput(0, spec.inputs[0], grouping);
    format = new StateFormat<>(spec, StateKind.COUNT_WINDOW_AGGREGATE, Windows::new);
    if (size <= 0 || slide <= 0) throw spec.problem("has windows without a size");
  }

  @Override
  public Session open(KeyedState state, BatchContext context) {
    return new Work(state, context);
  }

  @Override
  public void onTimer(KeyedState state, BatchContext context, Out out) {}

  @Override
  public StateFormat<?> stateFormat() {
    return format;
  }

  /** A window with the number of rows that came to it, those that take others back among them. */
  private final class Window implements Stored {
    private long came;
    private final Accumulated rows = new Accumulated(calls);

    @Override
    public void fields(Fields io) {
      came = io.count("came", came);
      rows.fields(io);
    }
  }

  /** The windows of a group that are not complete. */
  private final class Windows implements KeyState {
    private PackedRow key = PackedRow.NONE;

    /** The number of the next row within the slide. */
    private long next;

    private final ArrayDeque<Window> windows = new ArrayDeque<>();

    @Override
    public void fields(Fields io) {
      key = io.packedRow("key", groupColumns, key);
      next = io.count("next", next);
      io.list("windows", windows, Window::new);
    }

    /** Without windows it is one if it is known which row is next. */
    @Override
    public int entries() {
      return windows.isEmpty() && next > 0 ? 1 : windows.size();
    }

    @Override
    public OptionalLong nextDue(BatchContext context) {
      return OptionalLong.empty();
    }
  }

  private final class Work implements Session {
    private final KeyedState state;
    private final BatchContext context;
    private final Windows kept;
    private final int before;
    private boolean changed;

    Work(KeyedState state, BatchContext context) {
      this.state = state;
      this.context = context;
      kept = state.read(format);
      before = kept.entries();
    }

    @Override
    public void process(InputRow row, Out out) {
      changed = true;
      if (kept.key.isNone()) kept.key = PackedRow.of(row.values(), grouping);
      if (kept.next == 0) kept.windows.add(new Window());
      kept.next = (kept.next + 1) % slide;
      for (Iterator<Window> each = kept.windows.iterator(); each.hasNext(); ) {
        Window window = each.next();
        window.rows.process(row.values(), RowKinds.isAdd(row.kind()));
        if (++window.came < size) continue;
        each.remove();
        if (!needRetraction || window.rows.rows() != 0) emit(window, row.values(), out);
      }
    }

    private void emit(Window window, Object[] row, Out out) {
      Object[] result = new Object[grouping.length + calls.size()];
      for (int i = 0; i < grouping.length; i++) result[i] = row[grouping[i]];
      window.rows.values(result, grouping.length);
      out.emit(RowKinds.INSERT, result);
    }

    @Override
    public void close(Out out) {
      if (changed) format.save(state, kept, context, before);
    }
  }
}
