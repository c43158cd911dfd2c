package org.compiledplan.kernel.operators;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.compiledplan.kernel.state.Columns;
import org.compiledplan.kernel.state.Fields;
import org.compiledplan.kernel.state.Stored;

/**
 * Aggregates by key and aligned window, once for each window when it is complete. Follows Flink's
 * SlicingWindowOperator, and AggregateWindowOperator for windows in GROUP BY.
 *
 * <p>Rows that belong to the same windows still to fire share one accumulator, a pane; a window is
 * the panes that belong to it. So a row costs one accumulation, however many windows overlap. A
 * late row has a pane of its own, without the windows that were complete when it came: in Flink
 * these have fired, here they may not yet have.
 */
final class WindowAggregate implements Operator {
  private final int[] grouping;
  private final Columns groupColumns;
  private final AggregateCalls calls;
  private final WindowAssigner windows;
  private final WindowTimes times;
  private final WindowRow result;
  private final boolean eventTime;
  private final int time;
  private final int startColumn;
  private final int endColumn;
  private final boolean dropNullTimes;
  private final boolean newestFirst;
  private final StateFormat<Panes> format;

  WindowAggregate(OperatorSpec spec) {
    grouping = spec.columns("grouping");
    groupColumns = Columns.ofInput(0, spec.inputs[0], grouping);
    boolean needRetraction = spec.flag("needRetraction");
    calls = new AggregateCalls(spec, grouping.length, needRetraction);
    windows = new WindowAssigner(spec);
    times = new WindowTimes(spec);
    result = new WindowRow(spec, grouping.length, calls.size(), needRetraction, times);
    eventTime = spec.eventTime();
    time = spec.column("time");
    startColumn = spec.column("windowStart");
    endColumn = spec.column("windowEnd");
    dropNullTimes = spec.flag("dropNullTimes");
    newestFirst = spec.flag("newestFirst");
    format = new StateFormat<>(spec, StateKind.WINDOW_AGGREGATE, Panes::new);
  }

  @Override
  public boolean isOrderInsensitive() {
    return !calls.isOrderSensitive();
  }

  @Override
  public Session open(KeyedState state, BatchContext context) {
    return new Work(state, context);
  }

  @Override
  public void onTimer(KeyedState state, BatchContext context, Out out) {
    if (state.get() == null) return;
    Work work = new Work(state, context);
    work.fire(times.now(context), out);
    work.save();
  }

  @Override
  public StateFormat<?> stateFormat() {
    return format;
  }

  /**
   * The rows of the same windows: those that end at {@code first} and then at each interval up to
   * {@code last}.
   */
  private final class Pane implements Stored {
    private long slice;
    private long first;
    private long last;

    /** Start of an attached window. */
    private long start;

    private Accumulated rows;

    private Pane() {
      rows = new Accumulated(calls);
    }

    private Pane(long slice, long first, long last, long start, Accumulated rows) {
      this.slice = slice;
      this.first = first;
      this.last = last;
      this.start = start;
      this.rows = rows;
    }

    @Override
    public void fields(Fields io) {
      first = io.number("firstEnd", first);
      last = io.timeNear("lastEnd", first, last);
      slice = io.timeNear("slice", first, slice);
      if (windows.isAttached()) start = io.timeNear("start", first, start);
      rows.fields(io);
    }
  }

  /**
   * Those of the window that fires next come first, in the order in which their rows are in time.
   */
  private static final Comparator<Pane> ORDER =
      Comparator.<Pane>comparingLong(pane -> pane.first).thenComparingLong(pane -> pane.slice);

  /** The panes of a group. */
  private final class Panes implements KeyState {
    private Object[] group;
    private final TreeMap<Pane, Pane> panes = new TreeMap<>(ORDER);

    @Override
    public void fields(Fields io) {
      group = io.row("key", groupColumns, group);
      io.list("panes", panes.keySet(), Pane::new, pane -> panes.put(pane, pane));
    }

    @Override
    public int entries() {
      return panes.size();
    }

    @Override
    public OptionalLong nextDue(BatchContext context) {
      return OptionalLong.of(times.due(nextEnd()));
    }

    @Override
    public void entryTimes(EntryTimes to) {
      for (Pane pane : panes.keySet()) to.entry(0, EntryTimes.NONE, pane.first);
    }

    /** The end of the window that fires next; there must be one. */
    long nextEnd() {
      return panes.firstKey().first;
    }
  }

  private final class Work implements Session {
    private final KeyedState state;
    private final BatchContext context;
    private final Panes kept;
    private final TreeMap<Pane, Pane> panes;
    private final int stored;
    private boolean changed;

    /** The pane of the row before, most often that of the next too. */
    private Pane latest;

    Work(KeyedState state, BatchContext context) {
      this.state = state;
      this.context = context;
      kept = format.read(state.get());
      panes = kept.panes;
      stored = panes.size();
    }

    @Override
    public void process(InputRow row, Out out) {
      Pane pane = windows.isAttached() ? attached(row) : aligned(row);
      if (pane == null) return;
      if (kept.group == null) kept.group = OperatorSpec.values(row.values, grouping);
      latest = pane;
      changed = true;
      pane.rows.process(row.values, RowKinds.isAdd(row.kind));
    }

    private Pane attached(InputRow row) {
      long end = WindowTimes.millis(row.values[endColumn]);
      if (latest != null && latest.first == end && !isLate(end, row)) return latest;
      return isLate(end, row)
          ? null
          : pane(end, end, end, WindowTimes.millis(row.values[startColumn]));
    }

    private Pane aligned(InputRow row) {
      if (time >= 0 && row.values[time] == null && dropNullTimes) return null;
      windows.assign(
          time < 0 ? times.local(context.processingTime) : WindowTimes.millis(row.values[time]));
      long last = windows.last;
      long first = windows.first;
      boolean late = false;
      while (first <= last && isLate(first, row)) {
        first += windows.interval;
        late = true;
      }
      if (first > last) return null;
      // What is late for a cumulative window goes to what has been merged already.
      long slice = late && windows.isCumulative() ? windows.start(last) : windows.slice;
      if (latest != null && latest.slice == slice && latest.first == first) return latest;
      return pane(slice, first, last, 0);
    }

    private boolean isLate(long end, InputRow row) {
      return eventTime && times.due(end) <= row.watermark;
    }

    private Pane pane(long slice, long first, long last, long start) {
      Pane wanted = new Pane(slice, first, last, start, null);
      Pane found = panes.get(wanted);
      if (found != null) return found;
      wanted.rows = new Accumulated(calls);
      panes.put(wanted, wanted);
      return wanted;
    }

    /** Adds a pane; what is there already comes after it. */
    private void put(Pane pane) {
      Pane before = panes.remove(pane);
      if (before != null) pane.rows.merge(before.rows);
      panes.put(pane, pane);
    }

    void fire(long now, Out out) {
      while (!panes.isEmpty()) {
        long end = kept.nextEnd();
        if (times.due(end) > now) return;
        out.check();
        changed = true;
        out.at(times.due(end));
        fireWindow(end, out);
      }
    }

    private void fireWindow(long end, Out out) {
      List<Pane> due = new ArrayList<>();
      while (!panes.isEmpty() && kept.nextEnd() == end) due.add(panes.pollFirstEntry().getKey());
      Accumulated all = merged(due);
      long start = windows.isAttached() ? due.get(0).start : windows.start(end);
      result.emit(kept.group, all, start, end, out);
      long next = end + windows.interval;
      if (windows.isCumulative()) {
        // From here on all these rows belong to the same windows.
        if (next <= due.get(0).last) put(new Pane(start, next, due.get(0).last, 0, all));
      } else {
        for (Pane pane : due) {
          if (next <= pane.last) put(new Pane(pane.slice, next, pane.last, 0, pane.rows));
        }
      }
    }

    private Accumulated merged(List<Pane> due) {
      if (due.size() == 1) return due.get(0).rows;
      Accumulated all = new Accumulated(calls);
      for (int i = 0; i < due.size(); i++) {
        all.merge(due.get(newestFirst ? due.size() - 1 - i : i).rows);
      }
      return all;
    }

    @Override
    public void close(Out out) {
      if (changed) save();
    }

    void save() {
      if (changed) format.save(state, kept, context, stored);
      else state.put(state.get(), kept.nextDue(context), 0);
    }
  }
}
