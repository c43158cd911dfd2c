package org.compiledplan.kernel.operators;

import java.util.OptionalLong;
import org.compiledplan.kernel.values.ByteReader;
import org.compiledplan.kernel.values.ByteWriter;

/**
 * Operators over rows that carry their window: the window is part of the key, so a key's state is one window, with
 * content of type {@code C}, until it is complete. Rows for a window that has fired are dropped.
 */
final class AttachedWindow<C> implements Operator {
  private static final int VERSION = 1;

  /** What is kept of a window's rows, and what comes of them. */
  interface Content<C> {
    C empty();

    C read(ByteReader in);

    void write(C content, ByteWriter out);

    /** Takes a row in; false if the content stays as it is. */
    boolean add(C content, InputRow row);

    /** How many state entries it counts as; with 0 nothing is kept. */
    int entries(C content);

    void emit(C content, Out out);
  }

  private final int[] endColumns;
  private final boolean eventTime;
  private final WindowTimes times;
  private final Content<C> contents;
  private final boolean orderInsensitive;
  private final ByteWriter writer = new ByteWriter(256);

  AttachedWindow(OperatorSpec spec, boolean orderInsensitive, Content<C> contents) {
    endColumns = spec.columns("windowEnds");
    if (endColumns.length != spec.inputs.length) throw spec.problem("needs a window end for each input");
    eventTime = spec.eventTime();
    times = new WindowTimes(spec);
    this.contents = contents;
    this.orderInsensitive = orderInsensitive;
  }

  @Override
  public boolean isOrderInsensitive() {
    return orderInsensitive;
  }

  @Override
  public Session open(KeyedState state, BatchContext context) {
    return new Work(state);
  }

  @Override
  public void onTimer(KeyedState state, BatchContext context, Out out) {
    if (state.get() == null) return;
    Work work = new Work(state);
    work.load();
    if (times.due(work.end) > times.now(context)) {
      state.put(state.get(), OptionalLong.of(times.due(work.end)), 0);
      return;
    }
    out.at(times.due(work.end));
    contents.emit(work.content, out);
    state.remove(-work.storedEntries);
  }

  private final class Work implements Session {
    private final KeyedState state;
    private C content;
    private long end;
    private int storedEntries;
    private boolean changed;

    Work(KeyedState state) {
      this.state = state;
    }

    void load() {
      byte[] bytes = state.get();
      if (bytes == null) {
        content = contents.empty();
        return;
      }
      ByteReader in = new ByteReader(bytes);
      int version = in.readByte();
      if (version != VERSION) throw new IllegalStateException("unknown state version " + version);
      end = in.readSigned();
      content = contents.read(in);
      storedEntries = contents.entries(content);
    }

    @Override
    public void process(InputRow row, Out out) {
      if (content == null) {
        load();
        end = WindowTimes.millis(row.values[endColumns[row.port]]);
      }
      if (eventTime && times.due(end) <= row.watermark) return;
      changed |= contents.add(content, row);
    }

    @Override
    public void close(Out out) {
      if (!changed) return;
      int entries = contents.entries(content);
      if (entries == 0) return;
      writer.clear();
      writer.writeByte(VERSION);
      writer.writeSigned(end);
      contents.write(content, writer);
      state.put(writer.toBytes(), OptionalLong.of(times.due(end)), entries - storedEntries);
    }
  }
}
