package org.compiledplan.kernel.operators.window;

import java.util.BitSet;
import java.util.Comparator;
import java.util.TreeMap;
import org.compiledplan.kernel.operators.aggregate.Accumulated;
import org.compiledplan.kernel.operators.aggregate.AggregateCalls;
import org.compiledplan.kernel.operators.base.InputRow;
import org.compiledplan.kernel.operators.base.OperatorSpec;
import org.compiledplan.kernel.operators.base.Partial;
import org.compiledplan.kernel.state.serialization.ByteFields;
import org.compiledplan.kernel.state.serialization.Fields;
import org.compiledplan.kernel.state.serialization.Stored;
import org.compiledplan.kernel.values.ByteReader;
import org.compiledplan.kernel.values.ByteWriter;

/**
 * Panes, the accumulators of rows that belong to the same windows, and the assignment of rows to
 * panes.
 */
final class WindowPanes {
  /** Approximate size of a pane in bytes. */
  private static final long PANE_BYTES = 400;

  private final AggregateCalls calls;
  private final WindowAssigner windows;
  private final WindowTimes times;
  private final boolean eventTime;
  private final int time;
  private final int startColumn;
  private final int endColumn;
  private final boolean dropNullTimes;

  WindowPanes(OperatorSpec spec, AggregateCalls calls, WindowAssigner windows, WindowTimes times) {
    this.calls = calls;
    this.windows = windows;
    this.times = times;
    eventTime = spec.eventTime();
    time = spec.column("time");
    startColumn = spec.column("windowStart");
    endColumn = spec.column("windowEnd");
    dropNullTimes = spec.flag("dropNullTimes");
  }

  /**
   * Returns true if a row's windows depend on the row alone, not on the time of its micro-batch.
   */
  boolean areOfRows() {
    return windows.isAttached() || time >= 0;
  }

  /**
   * Accumulators of rows with the same windows: those that end at {@code first} and then at each
   * interval up to {@code last}.
   */
  final class Pane implements Stored {
    long slice;
    long first;
    long last;

    /** Starts of an attached window, in ms. */
    long start;

    Accumulated rows;

    Pane() {
      rows = new Accumulated(calls);
    }

    Pane(long slice, long first, long last, long start, Accumulated rows) {
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

  /** Order of firing: panes of the next window to fire first, then by time of their rows. */
  static final Comparator<Pane> ORDER =
      Comparator.<Pane>comparingLong(pane -> pane.first).thenComparingLong(pane -> pane.slice);

  /** Lookup of rows' panes. */
  final class Assigned {
    private final TreeMap<Pane, Pane> panes;

    /** The previous row's pane, most often also the next row's. */
    private Pane latest;

    Assigned(TreeMap<Pane, Pane> panes) {
      this.panes = panes;
    }

    /** The pane of a row that has a time; null if the row is late. */
    Pane of(InputRow row, long processingTime) {
      Pane pane = windows.isAttached() ? attached(row) : aligned(row, processingTime);
      if (pane != null) latest = pane;
      return pane;
    }

    private Pane attached(InputRow row) {
      long end = WindowTimes.millis(row.values()[endColumn]);
      if (isLate(end, row.watermark())) return null;
      if (latest != null && latest.first == end) return latest;
      return of(end, end, end, WindowTimes.millis(row.values()[startColumn]));
    }

    private Pane aligned(InputRow row, long processingTime) {
      windows.assign(
          time < 0 ? times.local(processingTime) : WindowTimes.millis(row.values()[time]));
      return inTime(windows.slice, windows.first, windows.last, row.watermark());
    }

    /** The pane for the rows of a pre-aggregated one; null if these are late. */
    Pane of(Pane rows, long watermark) {
      if (!windows.isAttached()) return inTime(rows.slice, rows.first, rows.last, watermark);
      return isLate(rows.first, watermark)
          ? null
          : of(rows.slice, rows.first, rows.last, rows.start);
    }

    /** The pane for the windows that are not complete; null if all are. */
    Pane inTime(long slice, long first, long last, long watermark) {
      boolean late = false;
      while (first <= last && isLate(first, watermark)) {
        first += windows.interval;
        late = true;
      }
      if (first > last) return null;
      // A row that is late for a cumulative window belongs to the slices merged already.
      if (late && windows.isCumulative()) slice = windows.start(last);
      if (latest != null && latest.slice == slice && latest.first == first) return latest;
      return of(slice, first, last, 0);
    }

    Pane of(long slice, long first, long last, long start) {
      Pane newPane = new Pane(slice, first, last, start, null);
      Pane pane = panes.get(newPane);
      if (pane != null) return pane;
      newPane.rows = new Accumulated(calls);
      panes.put(newPane, newPane);
      return newPane;
    }
  }

  /** Returns true if the row has no time and belongs to no window. */
  boolean hasNoTime(InputRow row) {
    return time >= 0 && dropNullTimes && !windows.isAttached() && row.values()[time] == null;
  }

  private boolean isLate(long end, long watermark) {
    return eventTime && times.due(end) <= watermark;
  }

  /**
   * Pre-aggregated panes, assigned by the watermarks of their source alone. Rows that are never
   * late have separate panes: lateness by the batch's watermark does not apply to them.
   */
  final class PartialPanes implements Partial, Stored {
    long rows;
    long late;
    final TreeMap<Pane, Pane> panes = new TreeMap<>(ORDER);
    final TreeMap<Pane, Pane> neverLate = new TreeMap<>(ORDER);
    private final Assigned assigned = new Assigned(panes);
    private final Assigned assignedNeverLate = new Assigned(neverLate);

    @Override
    public void fields(Fields io) {
      rows = io.number("rows", rows);
      late = io.number("late", late);
      io.list("panes", panes.keySet(), Pane::new, pane -> panes.put(pane, pane));
      io.list("neverLate", neverLate.keySet(), Pane::new, pane -> neverLate.put(pane, pane));
    }

    @Override
    public BitSet columns() {
      BitSet columns = calls.columns();
      for (int column : new int[] {time, startColumn, endColumn}) {
        if (column >= 0) columns.set(column);
      }
      return columns;
    }

    @Override
    public long add(InputRow row) {
      int before = panes.size() + neverLate.size();
      rows++;
      if (hasNoTime(row)) return 0;
      Assigned to = row.watermark() == Long.MIN_VALUE ? assignedNeverLate : assigned;
      // Rows carry their own times, see partial().
      Pane pane = to.of(row, Long.MIN_VALUE);
      if (pane == null) late++;
      long growth = pane == null ? 0 : pane.rows.add(row.values());
      return growth + PANE_BYTES * (panes.size() + neverLate.size() - before);
    }

    /** Decodes the result of {@link #toBytes}. */
    PartialPanes read(byte[] bytes) {
      fields(new ByteFields.Reader(new ByteReader(bytes, 0, bytes.length)));
      return this;
    }

    @Override
    public byte[] toBytes() {
      ByteWriter out = new ByteWriter(64);
      fields(new ByteFields.Writer(out));
      return out.toBytes();
    }
  }
}
