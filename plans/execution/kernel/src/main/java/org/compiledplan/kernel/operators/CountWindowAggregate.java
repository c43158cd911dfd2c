package org.compiledplan.kernel.operators;

import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.OptionalLong;
import org.compiledplan.kernel.values.ByteReader;
import org.compiledplan.kernel.values.ByteWriter;

/**
 * Aggregates by key over windows of a number of rows: a window starts every {@code slide} rows and fires with its
 * last one (Flink's CountTumblingWindowAssigner and CountSlidingWindowAssigner).
 */
final class CountWindowAggregate implements Operator {
  private static final int VERSION = 1;

  private final int[] grouping;
  private final AggregateCalls calls;
  private final boolean needRetraction;
  private final long size;
  private final long slide;
  private final ByteWriter writer = new ByteWriter(256);
  private final ByteWriter scratch = new ByteWriter(256);

  CountWindowAggregate(OperatorSpec spec) {
    grouping = spec.columns("grouping");
    needRetraction = spec.flag("needRetraction", false);
    calls = new AggregateCalls(spec, grouping.length, needRetraction);
    size = spec.get("window").path("size").asLong();
    slide = spec.get("window").path("slide").asLong(size);
    if (size <= 0 || slide <= 0) throw spec.problem("has windows without a size");
  }

  @Override
  public Session open(KeyedState state, BatchContext context) {
    return new Work(state);
  }

  @Override
  public void onTimer(KeyedState state, BatchContext context, Out out) {}

  /** A window with the number of rows that came to it, those that take others back among them. */
  private static final class Window {
    final Accumulated rows;
    long came;

    Window(Accumulated rows, long came) {
      this.rows = rows;
      this.came = came;
    }
  }

  private final class Work implements Session {
    private final KeyedState state;
    private final boolean stored;
    /** The number of the next row within the slide. */
    private long next;
    private final ArrayDeque<Window> windows = new ArrayDeque<>();
    private int storedWindows;
    private boolean changed;

    Work(KeyedState state) {
      this.state = state;
      byte[] bytes = state.get();
      stored = bytes != null;
      if (!stored) return;
      ByteReader in = new ByteReader(bytes);
      int version = in.readByte();
      if (version != VERSION) throw new IllegalStateException("unknown state version " + version);
      next = in.readVarLong();
      storedWindows = in.readVarInt();
      for (int i = 0; i < storedWindows; i++) {
        long came = in.readVarLong();
        windows.add(new Window(new Accumulated(calls, in), came));
      }
    }

    @Override
    public void process(InputRow row, Out out) {
      changed = true;
      if (next == 0) windows.add(new Window(new Accumulated(calls), 0));
      next = (next + 1) % slide;
      for (Iterator<Window> each = windows.iterator(); each.hasNext(); ) {
        Window window = each.next();
        window.rows.process(row.values, RowKinds.isAdd(row.kind));
        if (++window.came < size) continue;
        each.remove();
        if (!needRetraction || window.rows.rows() != 0) emit(window, row.values, out);
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
      if (!changed) return;
      if (windows.isEmpty() && next == 0) {
        if (stored) state.remove(-Math.max(1, storedWindows));
        return;
      }
      writer.clear();
      writer.writeByte(VERSION);
      writer.writeVarLong(next);
      writer.writeVarLong(windows.size());
      for (Window window : windows) {
        writer.writeVarLong(window.came);
        window.rows.write(writer, scratch);
      }
      int before = stored ? Math.max(1, storedWindows) : 0;
      state.put(writer.toBytes(), OptionalLong.empty(), Math.max(1, windows.size()) - before);
    }
  }
}
