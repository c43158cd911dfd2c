package org.compiledplan.kernel.operators.base;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;
import org.compiledplan.kernel.state.serialization.Columns;
import org.compiledplan.kernel.state.serialization.Fields;
import org.compiledplan.kernel.state.serialization.PackedList;
import org.compiledplan.kernel.state.serialization.PackedRow;
import org.compiledplan.kernel.state.serialization.Stored;
import org.compiledplan.kernel.values.RowKinds;

/**
 * Rows of a key that wait until the watermark reaches their time. A row whose time the watermark
 * has already reached waits for the next watermark, as with Flink's timers.
 *
 * <p>Adding appends bytes; rows are decoded only when one is due.
 */
public final class WaitingRows implements Stored {
  public final class Waiting implements Stored {
    private long time;
    private long due;
    private byte kind;
    private PackedRow row = PackedRow.NONE;

    private Waiting() {}

    private Waiting(long time, long due, byte kind, PackedRow row) {
      this.time = time;
      this.due = due;
      this.kind = kind;
      this.row = row;
    }

    @Override
    public void fields(Fields io) {
      time = io.time("time", time);
      due = io.timeNear("due", time, due);
      kind = (byte) io.code("kind", kind);
      row = io.packedRow("row", columns, row);
    }

    public long time() {
      return time;
    }

    /** Watermark at which the row is due. */
    public long due() {
      return due;
    }

    public byte kind() {
      return kind;
    }

    /** Returns true for a mark, see {@link WaitingRows#addMark}. */
    public boolean isMark() {
      return row.isNone();
    }

    public Object[] row() {
      return row.row(columns.types());
    }
  }

  /** Order in which rows are due: by watermark, then by time. */
  static final Comparator<Waiting> ORDER =
      Comparator.comparingLong(Waiting::due).thenComparingLong(Waiting::time);

  private final Columns columns;
  private final PackedList<Waiting> rows = new PackedList<>(Waiting::new);

  /** Time at which the first row is due; empty without rows. */
  private OptionalLong firstDue = OptionalLong.empty();

  public WaitingRows(Columns columns) {
    this.columns = columns;
  }

  @Override
  public void fields(Fields io) {
    firstDue = io.maybeTime("firstDue", firstDue);
    io.packedList("rows", rows);
  }

  public int count() {
    return rows.size();
  }

  /** Reports the times of all rows. */
  public void entryTimes(int input, EntryTimes to) {
    for (Waiting row : rows.all()) to.entry(input, EntryTimes.NONE, row.time);
  }

  /** Watermark at which the first row is due. */
  public OptionalLong firstDue() {
    return firstDue;
  }

  /** Adds a row that arrives at {@code watermark}. */
  public Waiting add(long time, long watermark, byte kind, Object[] row) {
    return put(new Waiting(time, due(time, watermark), kind, PackedRow.of(row)));
  }

  /** Adds a mark: a time without a row, at which another action is due. */
  public Waiting addMark(long time, long watermark) {
    return put(new Waiting(time, due(time, watermark), RowKinds.INSERT, PackedRow.NONE));
  }

  /** Watermark at which a row is due that arrives at {@code watermark}. */
  public static long due(long time, long watermark) {
    return watermark >= time ? watermark + 1 : time;
  }

  private Waiting put(Waiting row) {
    rows.add(row);
    firstDue = TimeMath.earlier(firstDue, OptionalLong.of(row.due));
    return row;
  }

  List<Waiting> all() {
    return rows.all();
  }

  /** Removes and returns the rows due at the watermark, in due order, equal ones by arrival. */
  public List<Waiting> take(long watermark) {
    if (firstDue.isEmpty() || firstDue.getAsLong() > watermark) return List.of();
    List<Waiting> due = new ArrayList<>();
    List<Waiting> all = rows.all();
    rows.clear();
    firstDue = OptionalLong.empty();
    for (Waiting row : all) {
      if (row.due <= watermark) due.add(row);
      else put(row);
    }
    due.sort(ORDER);
    return due;
  }
}
