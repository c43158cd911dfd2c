package org.compiledplan.kernel.operators;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.compiledplan.kernel.values.ByteReader;
import org.compiledplan.kernel.values.ByteWriter;
import org.compiledplan.kernel.values.ValueCodec;
import org.compiledplan.kernel.values.ValueType;

/**
 * Aggregates by key and aligned window, once for each window when it is complete. Follows Flink's
 * SlicingWindowOperator, and AggregateWindowOperator for windows in GROUP BY.
 *
 * <p>Rows that belong to the same windows still to fire share one accumulator, a pane; a window is the panes that
 * belong to it. So a row costs one accumulation, however many windows overlap. A late row has a pane of its own,
 * without the windows that were complete when it came: in Flink these have fired, here they may not yet have.
 */
final class WindowAggregate implements Operator {
  private static final int VERSION = 1;

  private final int[] grouping;
  private final ValueType[] groupTypes;
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
  private final ByteWriter writer = new ByteWriter(256);
  private final ByteWriter scratch = new ByteWriter(256);

  WindowAggregate(OperatorSpec spec) {
    grouping = spec.columns("grouping");
    groupTypes = new ValueType[grouping.length];
    for (int i = 0; i < grouping.length; i++) groupTypes[i] = spec.inputs[0][grouping[i]];
    boolean needRetraction = spec.flag("needRetraction", false);
    calls = new AggregateCalls(spec, grouping.length, needRetraction);
    windows = new WindowAssigner(spec);
    times = new WindowTimes(spec);
    result = new WindowRow(spec, grouping.length, calls.size(), needRetraction, times);
    eventTime = spec.eventTime();
    time = spec.column("time");
    startColumn = spec.column("windowStart");
    endColumn = spec.column("windowEnd");
    dropNullTimes = spec.flag("dropNullTimes", false);
    newestFirst = spec.flag("newestFirst", false);
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

  /** The rows of the same windows: those that end at {@code first} and then at each interval up to {@code last}. */
  private static final class Pane {
    /** Those of the window that fires next come first, in the order in which their rows are in time. */
    static final Comparator<Pane> ORDER =
        Comparator.<Pane>comparingLong(pane -> pane.first).thenComparingLong(pane -> pane.slice);

    final long slice;
    final long first;
    final long last;
    /** Start of an attached window. */
    final long start;
    Accumulated rows;

    Pane(long slice, long first, long last, long start, Accumulated rows) {
      this.slice = slice;
      this.first = first;
      this.last = last;
      this.start = start;
      this.rows = rows;
    }
  }

  private final class Work implements Session {
    private final KeyedState state;
    private final BatchContext context;
    private final TreeMap<Pane, Pane> panes = new TreeMap<>(Pane.ORDER);
    private final int stored;
    private Object[] group;
    private boolean changed;
    /** The pane of the row before, most often that of the next too. */
    private Pane latest;

    Work(KeyedState state, BatchContext context) {
      this.state = state;
      this.context = context;
      byte[] bytes = state.get();
      if (bytes == null) {
        stored = 0;
        return;
      }
      ByteReader in = new ByteReader(bytes);
      int version = in.readByte();
      if (version != VERSION) throw new IllegalStateException("unknown state version " + version);
      group = ValueCodec.readRow(in, groupTypes);
      stored = in.readVarInt();
      for (int i = 0; i < stored; i++) {
        long first = in.readSigned();
        long last = first + in.readVarLong();
        long slice = first + in.readSigned();
        long start = windows.isAttached() ? in.readSigned() : 0;
        put(new Pane(slice, first, last, start, new Accumulated(calls, in)));
      }
    }

    @Override
    public void process(InputRow row, Out out) {
      Pane pane = windows.isAttached() ? attached(row) : aligned(row);
      if (pane == null) return;
      if (group == null) {
        group = new Object[grouping.length];
        for (int i = 0; i < grouping.length; i++) group[i] = row.values[grouping[i]];
      }
      latest = pane;
      changed = true;
      pane.rows.process(row.values, RowKinds.isAdd(row.kind));
    }

    private Pane attached(InputRow row) {
      long end = WindowTimes.millis(row.values[endColumn]);
      if (latest != null && latest.first == end && !isLate(end, row)) return latest;
      return isLate(end, row) ? null : pane(end, end, end, WindowTimes.millis(row.values[startColumn]));
    }

    private Pane aligned(InputRow row) {
      if (time >= 0 && row.values[time] == null && dropNullTimes) return null;
      windows.assign(time < 0 ? times.local(context.processingTime) : WindowTimes.millis(row.values[time]));
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

    /** The end of the window that fires next; there must be one. */
    private long nextEnd() {
      return panes.firstKey().first;
    }

    void fire(long now, Out out) {
      while (!panes.isEmpty()) {
        long end = nextEnd();
        if (times.due(end) > now) return;
        out.check();
        changed = true;
        out.at(times.due(end));
        fireWindow(end, out);
      }
    }

    private void fireWindow(long end, Out out) {
      List<Pane> due = new ArrayList<>();
      while (!panes.isEmpty() && nextEnd() == end) due.add(panes.pollFirstEntry().getKey());
      Accumulated all = merged(due);
      long start = windows.isAttached() ? due.get(0).start : windows.start(end);
      result.emit(group, all, start, end, out);
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
      if (panes.isEmpty()) {
        if (stored > 0) state.remove(-stored);
        return;
      }
      OptionalLong due = OptionalLong.of(times.due(nextEnd()));
      if (changed) state.put(bytes(), due, panes.size() - stored);
      else state.put(state.get(), due, 0);
    }

    private byte[] bytes() {
      writer.clear();
      writer.writeByte(VERSION);
      ValueCodec.writeRow(group, writer);
      writer.writeVarLong(panes.size());
      for (Pane pane : panes.keySet()) {
        writer.writeSigned(pane.first);
        writer.writeVarLong(pane.last - pane.first);
        writer.writeSigned(pane.slice - pane.first);
        if (windows.isAttached()) writer.writeSigned(pane.start);
        pane.rows.write(writer, scratch);
      }
      return writer.toBytes();
    }
  }
}
