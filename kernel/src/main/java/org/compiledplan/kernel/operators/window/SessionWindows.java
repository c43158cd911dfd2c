package org.compiledplan.kernel.operators.window;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
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
import org.compiledplan.kernel.operators.base.TimeMath;
import org.compiledplan.kernel.state.serialization.Columns;
import org.compiledplan.kernel.state.serialization.Fields;
import org.compiledplan.kernel.state.serialization.Stored;

/**
 * Session windows of a key: from a row to a gap after it, merged where they meet (Flink's
 * SessionWindowAssigner and MergingWindowProcessFunction), each with content of type {@code C}.
 *
 * <p>Flink drops a session once the watermark has passed its end. Here it may stay in state until
 * the end of the micro-batch: it is closed to rows whose watermark has passed it. Such a row starts
 * a new session.
 */
final class SessionWindows<C extends Stored> extends KeyedOperator<SessionWindows<C>.Sessions> {
  /** The state of a session, and of a key (its head). */
  interface Content<C extends Stored> {
    /** The values that all rows of a key share, read from one row. */
    Object[] head(Object[] row);

    Columns headColumns();

    C empty();

    /** Adds a row; returns its outcome. */
    Outcome add(C content, InputRow row);

    void merge(C into, C from);

    /** Number of state entries of a session, for the metrics. */
    int entries(C content);

    void emit(Object[] head, C content, long start, long end, Out out);
  }

  private final long gap;
  private final int time;
  private final boolean dropNullTimes;
  private final WindowTimes times;
  private final Content<C> contents;

  SessionWindows(OperatorSpec spec, StateKind kind, Content<C> contents) {
    gap = TimeMath.window(spec, spec.get("window").path("gap").asLong());
    time = spec.column("time");
    dropNullTimes = spec.flag("dropNullTimes");
    times = new WindowTimes(spec);
    this.contents = contents;
    define(spec, kind, Sessions::new, Work::new);
  }

  @Override
  protected boolean postsEntries() {
    return true;
  }

  @Override
  public void onTimer(KeyedState state, BatchContext context, Out out) {
    if (!state.isThere()) return;
    Work work = new Work(state, context);
    work.fire(times.now(context), out);
    work.saveOrReschedule();
  }

  private final class Window implements Stored {
    private long start;
    private long end;

    /** True if the session accepts no further rows. */
    private boolean closed;

    private C content;

    private Window() {
      content = contents.empty();
    }

    private Window(long start, long end, C content) {
      this.start = start;
      this.end = end;
      this.content = content;
    }

    @Override
    public void fields(Fields io) {
      start = io.number("start", start);
      end = io.timeNear("end", start, end);
      closed = io.flag("closed", closed);
      content.fields(io);
    }
  }

  final class Sessions implements KeyState {
    private Object[] head;

    /** By start; disjoint. Complete sessions are moved out when a row meets them. */
    private final TreeMap<Long, Window> open = new TreeMap<>();

    private final List<Window> closed = new ArrayList<>();

    @Override
    public void fields(Fields io) {
      head = io.row("key", contents.headColumns(), head);
      io.list("sessions", all(), Window::new, this::add);
    }

    private void add(Window window) {
      if (window.closed) closed.add(window);
      else open.put(window.start, window);
    }

    List<Window> all() {
      List<Window> all = new ArrayList<>(closed);
      all.addAll(open.values());
      return all;
    }

    @Override
    public int entries() {
      int entries = 0;
      for (Window window : all()) entries += contents.entries(window.content);
      return entries;
    }

    @Override
    public void entryTimes(EntryTimes to) {
      for (Window window : all()) {
        for (int i = contents.entries(window.content); i > 0; i--) {
          to.entry(0, EntryTimes.NONE, window.end);
        }
      }
    }

    @Override
    public boolean isReusable() {
      return true;
    }

    @Override
    public OptionalLong nextDue(BatchContext context) {
      OptionalLong next = OptionalLong.empty();
      for (Window window : all()) {
        next = TimeMath.earlier(next, OptionalLong.of(times.due(window.end)));
      }
      return next;
    }
  }

  private final class Work extends KeyWork {
    private final Sessions sessions;
    private final TreeMap<Long, Window> open;
    private final List<Window> closed;

    /** Entries of the sessions that the last row has merged. */
    private int merged;

    Work(KeyedState state, BatchContext context) {
      super(state, context);
      sessions = current();
      open = sessions.open;
      closed = sessions.closed;
    }

    @Override
    public Outcome process(InputRow row, Out out) {
      if (time >= 0 && row.values()[time] == null && dropNullTimes) return Outcome.FILTERED;
      long start =
          time < 0 ? times.local(context.processingTime()) : WindowTimes.millis(row.values()[time]);
      Window window = windowOf(start, times.arrival(row, context));
      if (window == null) return Outcome.LATE;
      if (sessions.head == null) sessions.head = contents.head(row.values());
      Outcome outcome = contents.add(window.content, row);
      account.createdOrReplaced(contents.entries(window.content) - merged);
      changed = true;
      return outcome;
    }

    /** The session of a row, merged with sessions that it connects; null if the row is late. */
    private Window windowOf(long rowStart, long arrival) {
      merged = 0;
      long start = rowStart;
      long end = rowStart + gap;
      C content = null;
      while (true) {
        Map.Entry<Long, Window> before = open.floorEntry(end);
        // Sessions that only touch are merged.
        if (before == null || before.getValue().end < start) break;
        Window window = before.getValue();
        open.remove(window.start);
        if (times.due(window.end) <= arrival) {
          window.closed = true;
          closed.add(window);
          changed = true;
          continue;
        }
        merged += contents.entries(window.content);
        start = Math.min(start, window.start);
        end = Math.max(end, window.end);
        if (content != null) contents.merge(window.content, content);
        content = window.content;
      }
      if (content == null) {
        if (times.due(end) <= arrival) return null;
        content = contents.empty();
      }
      Window joined = new Window(start, end, content);
      open.put(start, joined);
      return joined;
    }

    void fire(long now, Out out) {
      List<Window> due = new ArrayList<>();
      for (Window window : closed) if (isDue(window, now)) due.add(window);
      for (Window window : open.values()) if (isDue(window, now)) due.add(window);
      if (due.isEmpty()) return;
      changed = true;
      closed.removeIf(window -> isDue(window, now));
      open.values().removeIf(window -> isDue(window, now));
      due.sort(Comparator.comparingLong(window -> window.end));
      for (Window window : due) {
        out.at(times.due(window.end));
        account.released(contents.entries(window.content));
        contents.emit(sessions.head, window.content, window.start, window.end, out);
      }
    }

    private boolean isDue(Window window, long now) {
      return times.due(window.end) <= now;
    }

    void saveOrReschedule() {
      if (changed) save();
      else state.reschedule(sessions.nextDue(context));
    }
  }
}
