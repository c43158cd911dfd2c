package org.compiledplan.kernel.operators;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.compiledplan.kernel.values.ByteReader;
import org.compiledplan.kernel.values.ByteWriter;
import org.compiledplan.kernel.values.ValueCodec;

/**
 * The sessions of a key: windows from a row to a gap after it, merged where they meet (Flink's
 * SessionWindowAssigner and MergingWindowProcessFunction), each with content of type {@code C}.
 *
 * <p>In Flink a session is gone once the watermark has passed its end. Here it may still be in state then, until the
 * end of the micro-batch: it is closed to rows whose watermark has passed it. Such a row starts a session of its own.
 */
final class SessionWindows<C> {
  private static final int VERSION = 1;

  /** What is kept for a session, and for a key (its head). */
  interface Content<C> {
    /** What a key's rows have in common, from one of them. */
    Object[] head(Object[] row);

    Object[] readHead(ByteReader in);

    C empty();

    C read(ByteReader in);

    void write(C content, ByteWriter out, ByteWriter scratch);

    void add(C content, InputRow row);

    void merge(C into, C from);

    /** How many state entries it counts as. */
    int entries(C content);

    void emit(Object[] head, C content, long start, long end, Out out);
  }

  private static final class Window<C> {
    final long start;
    final long end;
    final C content;

    Window(long start, long end, C content) {
      this.start = start;
      this.end = end;
      this.content = content;
    }
  }

  private final long gap;
  private final int time;
  private final boolean dropNullTimes;
  private final WindowTimes times;
  private final Content<C> contents;
  private final ByteWriter writer = new ByteWriter(256);
  private final ByteWriter scratch = new ByteWriter(256);

  SessionWindows(OperatorSpec spec, WindowTimes times, Content<C> contents) {
    gap = Times.window(spec, spec.get("window").path("gap").asLong());
    time = spec.column("time");
    dropNullTimes = spec.flag("dropNullTimes", false);
    this.times = times;
    this.contents = contents;
  }

  Session open(KeyedState state, BatchContext context) {
    return new Work(state, context);
  }

  void onTimer(KeyedState state, BatchContext context, Out out) {
    if (state.get() == null) return;
    Work work = new Work(state, context);
    work.fire(times.now(context), out);
    work.save();
  }

  private final class Work implements Session {
    private final KeyedState state;
    private final BatchContext context;
    /** By start; apart from each other. Those that have become complete are moved when a row meets them. */
    private final TreeMap<Long, Window<C>> open = new TreeMap<>();
    private final List<Window<C>> closed = new ArrayList<>();
    private final boolean wasStored;
    private int storedEntries;
    private Object[] head;
    private boolean changed;

    Work(KeyedState state, BatchContext context) {
      this.state = state;
      this.context = context;
      byte[] bytes = state.get();
      wasStored = bytes != null;
      if (!wasStored) return;
      ByteReader in = new ByteReader(bytes);
      int version = in.readByte();
      if (version != VERSION) throw new IllegalStateException("unknown state version " + version);
      head = contents.readHead(in);
      int count = in.readVarInt();
      for (int i = 0; i < count; i++) {
        long start = in.readSigned();
        long end = start + in.readVarLong();
        boolean isClosed = in.readByte() != 0;
        Window<C> window = new Window<>(start, end, contents.read(in));
        if (isClosed) closed.add(window);
        else open.put(start, window);
        storedEntries += contents.entries(window.content);
      }
    }

    @Override
    public void process(InputRow row, Out out) {
      if (time >= 0 && row.values[time] == null && dropNullTimes) return;
      long start = time < 0 ? times.local(context.processingTime) : WindowTimes.millis(row.values[time]);
      Window<C> window = windowOf(start, times.arrival(row, context));
      if (window == null) return;
      if (head == null) head = contents.head(row.values);
      contents.add(window.content, row);
      changed = true;
    }

    /** The session of a row, others merged into it if it joins them; null if the row is late. */
    private Window<C> windowOf(long rowStart, long arrival) {
      long start = rowStart;
      long end = rowStart + gap;
      C content = null;
      while (true) {
        Map.Entry<Long, Window<C>> before = open.floorEntry(end);
        // Sessions that only touch are one.
        if (before == null || before.getValue().end < start) break;
        Window<C> window = before.getValue();
        open.remove(window.start);
        if (times.due(window.end) <= arrival) {
          closed.add(window);
          changed = true;
          continue;
        }
        start = Math.min(start, window.start);
        end = Math.max(end, window.end);
        if (content != null) contents.merge(window.content, content);
        content = window.content;
      }
      if (content == null) {
        if (times.due(end) <= arrival) return null;
        content = contents.empty();
      }
      Window<C> joined = new Window<>(start, end, content);
      open.put(start, joined);
      return joined;
    }

    void fire(long now, Out out) {
      List<Window<C>> due = new ArrayList<>();
      for (Window<C> window : closed) if (isDue(window, now)) due.add(window);
      for (Window<C> window : open.values()) if (isDue(window, now)) due.add(window);
      if (due.isEmpty()) return;
      changed = true;
      closed.removeIf(window -> isDue(window, now));
      open.values().removeIf(window -> isDue(window, now));
      due.sort(Comparator.comparingLong(window -> window.end));
      for (Window<C> window : due) {
        out.at(times.due(window.end));
        contents.emit(head, window.content, window.start, window.end, out);
      }
    }

    private boolean isDue(Window<C> window, long now) {
      return times.due(window.end) <= now;
    }

    @Override
    public void close(Out out) {
      if (changed) save();
    }

    void save() {
      int entries = 0;
      OptionalLong next = OptionalLong.empty();
      for (Window<C> window : all()) {
        entries += contents.entries(window.content);
        next = Times.earlier(next, OptionalLong.of(times.due(window.end)));
      }
      if (next.isEmpty()) {
        if (wasStored) state.remove(-storedEntries);
      } else {
        state.put(changed ? bytes() : state.get(), next, entries - storedEntries);
      }
    }

    private List<Window<C>> all() {
      List<Window<C>> all = new ArrayList<>(closed);
      all.addAll(open.values());
      return all;
    }

    private byte[] bytes() {
      writer.clear();
      writer.writeByte(VERSION);
      ValueCodec.writeRow(head, writer);
      List<Window<C>> all = all();
      writer.writeVarLong(all.size());
      for (int i = 0; i < all.size(); i++) {
        Window<C> window = all.get(i);
        writer.writeSigned(window.start);
        writer.writeVarLong(window.end - window.start);
        writer.writeByte(i < closed.size() ? 1 : 0);
        contents.write(window.content, writer, scratch);
      }
      return writer.toBytes();
    }
  }
}
