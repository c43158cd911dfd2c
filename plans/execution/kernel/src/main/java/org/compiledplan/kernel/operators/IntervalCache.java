package org.compiledplan.kernel.operators;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.compiledplan.kernel.values.ByteReader;
import org.compiledplan.kernel.values.ByteWriter;
import org.compiledplan.kernel.values.ValueCodec;
import org.compiledplan.kernel.values.ValueType;

/** The rows of one input of an interval join for one key, by time, with the time at which they are cleaned up. */
final class IntervalCache {
  private static final int MATCHED = 1;
  private static final int DEAD = 2;

  /** A row that later rows of the other input may match. */
  static final class Cached {
    final long time;
    private int flags;
    private final byte[] buffer;
    private final int offset;
    private final int length;
    private Object[] row;

    private Cached(long time, int flags, byte[] buffer, int offset, int length) {
      this.time = time;
      this.flags = flags;
      this.buffer = buffer;
      this.offset = offset;
      this.length = length;
    }

    Object[] row(ValueType[] types) {
      if (row == null) row = ValueCodec.readRow(new ByteReader(buffer, offset, length), types);
      return row;
    }

    /** Whether the row has been joined with one of the other input. */
    boolean isMatched() {
      return (flags & MATCHED) != 0;
    }
  }

  /** When rows are cleaned up, if there are any. */
  OptionalLong cleanAt = OptionalLong.empty();
  private final List<Cached> rows;
  private final int before;
  private boolean hasDead;
  private boolean changed;

  IntervalCache() {
    rows = new ArrayList<>(2);
    before = 0;
  }

  /**
   * The rows that {@link #write} wrote.
   *
   * @param timeIsThere whether they are of a version in which there always is a time, the last of all if there is none
   */
  IntervalCache(ByteReader in, boolean timeIsThere) {
    if (timeIsThere) {
      long time = in.readFixedLong();
      if (time != Long.MAX_VALUE) cleanAt = OptionalLong.of(time);
    } else if (in.readByte() != 0) {
      cleanAt = OptionalLong.of(in.readFixedLong());
    }
    before = in.readVarInt();
    rows = new ArrayList<>(before + 2);
    for (int i = 0; i < before; i++) {
      long time = in.readSigned();
      int flags = in.readByte();
      hasDead |= (flags & DEAD) != 0;
      int length = in.readVarInt();
      rows.add(new Cached(time, flags, in.array(), in.position(), length));
      in.skip(length);
    }
  }

  void write(ByteWriter out) {
    out.writeByte(cleanAt.isPresent() ? 1 : 0);
    if (cleanAt.isPresent()) out.writeFixedLong(cleanAt.getAsLong());
    out.writeVarLong(rows.size());
    for (Cached cached : rows) {
      out.writeSigned(cached.time);
      out.writeByte(cached.flags);
      out.writeVarLong(cached.length);
      out.writeBytes(cached.buffer, cached.offset, cached.length);
    }
  }

  int count() {
    return rows.size();
  }

  int before() {
    return before;
  }

  boolean isChanged() {
    return changed;
  }

  /** Whether rows are there only to be padded at the end of the batch. */
  boolean hasDead() {
    return hasDead;
  }

  void add(long time, Object[] row, boolean matched) {
    ByteWriter writer = new ByteWriter(16 * row.length + 16);
    ValueCodec.writeRow(row, writer);
    int at = behind(time);
    rows.add(at, new Cached(time, matched ? MATCHED : 0, writer.array(), 0, writer.size()));
    changed = true;
  }

  void match(Cached cached) {
    if (!cached.isMatched()) changed = true;
    cached.flags |= MATCHED;
  }

  /** The live rows with a time between the given ones, both included. */
  List<Cached> between(long lower, long upper) {
    if (rows.isEmpty() || lower > upper) return List.of();
    int first = lower == Long.MIN_VALUE ? 0 : behind(lower - 1);
    List<Cached> found = rows.subList(first, behind(upper));
    if (!hasDead) return found;
    List<Cached> live = new ArrayList<>(found);
    live.removeIf(cached -> (cached.flags & DEAD) != 0);
    return live;
  }

  /** Position behind the rows up to the time. */
  private int behind(long time) {
    int low = 0;
    int high = rows.size();
    if (high > 0 && rows.get(high - 1).time <= time) return high;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (rows.get(middle).time <= time) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Time of the first live row. */
  OptionalLong earliest() {
    for (Cached cached : rows) {
      if ((cached.flags & DEAD) == 0) return OptionalLong.of(cached.time);
    }
    return OptionalLong.empty();
  }

  /** Lets rows up to the time match nothing any more; those that must be padded stay until they are taken. */
  void expire(long time, boolean padUnmatched) {
    int end = behind(time);
    if (end == 0) return;
    List<Cached> expired = rows.subList(0, end);
    int size = expired.size();
    expired.removeIf(cached -> !padUnmatched || cached.isMatched());
    changed |= expired.size() < size;
    for (Cached cached : expired) {
      changed |= (cached.flags & DEAD) == 0;
      cached.flags |= DEAD;
      hasDead = true;
    }
  }

  /** Takes out the rows that are to be padded. */
  List<Cached> takeDead() {
    if (!hasDead) return List.of();
    List<Cached> dead = new ArrayList<>();
    rows.removeIf(cached -> (cached.flags & DEAD) != 0 && dead.add(cached));
    hasDead = false;
    changed = true;
    return dead;
  }
}
