package org.compiledplan.kernel.operators.window;

import java.util.OptionalLong;
import org.compiledplan.kernel.operators.base.BatchContext;
import org.compiledplan.kernel.operators.base.EntryTimes;
import org.compiledplan.kernel.operators.base.InputRow;
import org.compiledplan.kernel.operators.base.KeyState;
import org.compiledplan.kernel.operators.base.KeyedOperator;
import org.compiledplan.kernel.operators.base.KeyedState;
import org.compiledplan.kernel.operators.base.OperatorSpec;
import org.compiledplan.kernel.operators.base.Out;
import org.compiledplan.kernel.operators.base.Outcome;
import org.compiledplan.kernel.operators.base.StateKind;
import org.compiledplan.kernel.state.serialization.Fields;
import org.compiledplan.kernel.state.serialization.Stored;

/**
 * Operators over rows that carry their window. The window is part of the key, so a key's state is
 * one window, with content of type {@code C}, until the window is complete. Rows of a window that
 * has fired are dropped.
 */
final class AttachedWindow<C extends Stored> extends KeyedOperator<AttachedWindow<C>.Window> {
  /** The state of a window's rows and the output computed from it. */
  interface Content<C extends Stored> {
    C empty();

    /** Adds a row, which is {@link Outcome#HELD}, or returns another outcome. */
    Outcome add(C content, InputRow row);

    /** Number of state entries, for the metrics; content with 0 entries is not stored. */
    int entries(C content);

    /** Reports the times of all entries of a window that ends at {@code end}. */
    default void entryTimes(C content, long end, EntryTimes to) {
      for (int i = entries(content); i > 0; i--) to.entry(0, EntryTimes.NONE, end);
    }

    void emit(C content, Out out);
  }

  private final int[] endColumns;
  private final boolean eventTime;
  private final WindowTimes times;
  private final Content<C> contents;
  private final boolean orderInsensitive;

  AttachedWindow(OperatorSpec spec, StateKind kind, boolean orderInsensitive, Content<C> contents) {
    endColumns = spec.columns("windowEnds");
    if (endColumns.length != spec.inputs().length)
      throw spec.problem("needs a window end for each input");
    eventTime = spec.eventTime();
    times = new WindowTimes(spec);
    this.contents = contents;
    this.orderInsensitive = orderInsensitive;
    define(spec, kind, Window::new, Work::new);
  }

  @Override
  public boolean isOrderInsensitive() {
    return orderInsensitive;
  }

  @Override
  protected boolean postsEntries() {
    return true;
  }

  @Override
  public void onTimer(KeyedState state, BatchContext context, Out out) {
    if (!state.isThere()) return;
    Window window = state.read(format);
    OptionalLong due = window.nextDue(context);
    if (due.getAsLong() > times.now(context)) {
      state.reschedule(due);
      return;
    }
    out.at(due.getAsLong());
    contents.emit(window.content, out);
    account.released(window.entries());
    state.remove(-window.entries());
  }

  final class Window implements KeyState {
    private long end;
    private final C content = contents.empty();

    @Override
    public void fields(Fields io) {
      end = io.number("end", end);
      content.fields(io);
    }

    @Override
    public int entries() {
      return contents.entries(content);
    }

    @Override
    public void entryTimes(EntryTimes to) {
      contents.entryTimes(content, end, to);
    }

    @Override
    public OptionalLong nextDue(BatchContext context) {
      return OptionalLong.of(times.due(end));
    }
  }

  private final class Work extends KeyWork {
    /** Null until the first row. */
    private Window window;

    Work(KeyedState state, BatchContext context) {
      super(state, context);
    }

    @Override
    public Outcome process(InputRow row, Out out) {
      if (window == null) {
        window = current();
        window.end = WindowTimes.millis(row.values()[endColumns[row.port()]]);
      }
      if (eventTime && times.due(window.end) <= row.watermark()) return Outcome.LATE;
      int before = contents.entries(window.content);
      Outcome outcome = contents.add(window.content, row);
      int added = outcome == Outcome.HELD ? 1 : 0;
      int displaced = before + added - contents.entries(window.content);
      account.created(added);
      account.replaced(displaced);
      changed |= added + displaced > 0;
      return outcome;
    }
  }
}
