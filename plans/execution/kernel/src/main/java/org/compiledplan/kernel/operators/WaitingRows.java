package org.compiledplan.kernel.operators;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;
import org.compiledplan.kernel.values.ByteReader;
import org.compiledplan.kernel.values.ByteWriter;
import org.compiledplan.kernel.values.ValueCodec;
import org.compiledplan.kernel.values.ValueType;

/**
 * Rows of a key that wait for the watermark to reach their time. A row that comes when the watermark is there
 * already waits for the next watermark, as Flink's timers do.
 *
 * <p>Adding appends bytes; what is there is read only when something is due.
 */
final class WaitingRows {
  /** A waiting row. */
  static final class Waiting {
    final long time;
    /** The watermark from which on it is due. */
    final long due;
    /** See {@link RowKinds}. */
    final byte kind;
    private final byte[] buffer;
    private final int offset;
    private final int length;

    private Waiting(long time, long due, byte kind, byte[] buffer, int offset, int length) {
      this.time = time;
      this.due = due;
      this.kind = kind;
      this.buffer = buffer;
      this.offset = offset;
      this.length = length;
    }

    /** Whether it is a mark, see {@link WaitingRows#addMark}. */
    boolean isMark() {
      return length == 0;
    }

    Object[] row(ValueType[] types) {
      return ValueCodec.readRow(new ByteReader(buffer, offset, length), types);
    }
  }

  /** The order in which rows are due: by watermark, then by time. */
  static final Comparator<Waiting> ORDER =
      Comparator.<Waiting>comparingLong(row -> row.due).thenComparingLong(row -> row.time);

  private final ByteWriter scratch = new ByteWriter(64);
  private ByteWriter entries = new ByteWriter(256);
  private int count;
  /** With rows only: when the first is due. */
  private long firstDue;

  WaitingRows() {}

  /** The rows that {@link #write} wrote, from the reader's position to the end of the array. */
  WaitingRows(ByteReader in, int end) {
    count = in.readVarInt();
    firstDue = in.readFixedLong();
    entries = new ByteWriter(end - in.position() + 256);
    entries.writeBytes(in.array(), in.position(), end - in.position());
    in.skip(end - in.position());
  }

  int count() {
    return count;
  }

  /** The watermark at which the first row is due. */
  OptionalLong firstDue() {
    return count == 0 ? OptionalLong.empty() : OptionalLong.of(firstDue);
  }

  /** Adds a row that comes when the watermark is the given one. */
  Waiting add(long time, long watermark, byte kind, Object[] row) {
    scratch.clear();
    ValueCodec.writeRow(row, scratch);
    return put(time, due(time, watermark), kind, scratch.array(), 0, scratch.size());
  }

  /** Adds a time without a row, at which something else is due. */
  Waiting addMark(long time, long watermark) {
    return put(time, due(time, watermark), RowKinds.INSERT, scratch.array(), 0, 0);
  }

  /** The watermark at which a row is due that comes at the given one. */
  static long due(long time, long watermark) {
    return watermark >= time ? watermark + 1 : time;
  }

  private Waiting put(long time, long due, byte kind, byte[] buffer, int offset, int length) {
    entries.writeSigned(time);
    entries.writeVarLong((due - time) << 2 | kind);
    entries.writeVarLong(length);
    entries.writeBytes(buffer, offset, length);
    firstDue = count == 0 ? due : Math.min(firstDue, due);
    count++;
    return new Waiting(time, due, kind, entries.array(), entries.size() - length, length);
  }

  List<Waiting> all() {
    List<Waiting> rows = new ArrayList<>(count);
    byte[] bytes = entries.array();
    ByteReader in = new ByteReader(bytes, 0, entries.size());
    while (in.hasMore()) {
      long time = in.readSigned();
      long late = in.readVarLong();
      int length = in.readVarInt();
      rows.add(new Waiting(time, time + (late >>> 2), (byte) (late & 3), bytes, in.position(), length));
      in.skip(length);
    }
    return rows;
  }

  /** Takes out the rows that are due at the watermark, in the order in which they are, equal ones as they came. */
  List<Waiting> take(long watermark) {
    if (count == 0 || firstDue > watermark) return List.of();
    List<Waiting> due = new ArrayList<>();
    List<Waiting> rows = all();
    entries = new ByteWriter(256);
    count = 0;
    for (Waiting row : rows) {
      if (row.due <= watermark) due.add(row);
      else put(row.time, row.due, row.kind, row.buffer, row.offset, row.length);
    }
    due.sort(ORDER);
    return due;
  }

  /** Writes the rows; nothing may be written behind them. */
  void write(ByteWriter out) {
    out.writeVarLong(count);
    out.writeFixedLong(firstDue);
    out.writeBytes(entries.array(), 0, entries.size());
  }
}
