package org.compiledplan.kernel.operators;

import java.util.PriorityQueue;
import org.compiledplan.kernel.values.ByteReader;
import org.compiledplan.kernel.values.ByteWriter;

/**
 * What Flink's timers of a key have done by the watermark at which a row arrives, while the timers here wait for
 * the end of the micro-batch. Flink's bounded OVER windows and its sort take a row that is behind the watermark
 * unless a row of the key with its time or a later one has been through; so that must be known row by row.
 *
 * <p>With a memory, an idle key forgets what has been through, as RowTimeRangeBoundedPrecedingFunction does: 1.5
 * times the memory after a row's time, if none that is much later has come by then.
 */
final class Firings {
  /** Bytes that {@link #write} writes. */
  static final int LENGTH = 32;
  private static final long NONE = Long.MIN_VALUE;

  private final WaitingRows waiting;
  private final long memory;
  /** The time of the row that went through last. */
  private long last = NONE;
  /** The watermark up to which {@link #last} is known. */
  private long known = NONE;
  /** When the key forgets, {@link Ttl#NEVER} if that is open. */
  private long forgetAt = Ttl.NEVER;
  /** Rows that are due up to this watermark are forgotten by those behind it. */
  private long forgotten = NONE;
  private PriorityQueue<WaitingRows.Waiting> ahead;

  /** @param memory ms that a row counts; -1: for ever */
  Firings(WaitingRows waiting, long memory) {
    this.waiting = waiting;
    this.memory = memory;
  }

  void read(ByteReader in) {
    last = in.readFixedLong();
    known = in.readFixedLong();
    forgetAt = in.readFixedLong();
    forgotten = in.readFixedLong();
  }

  void write(ByteWriter out) {
    out.writeFixedLong(last);
    out.writeFixedLong(known);
    out.writeFixedLong(forgetAt);
    out.writeFixedLong(forgotten);
  }

  /** Adds the row to those that wait, unless it is late. */
  boolean add(long time, long watermark, Object[] row) {
    if (time <= watermark || forgetAt <= watermark) moveTo(watermark);
    if (time <= last) return false;
    note(waiting.add(time, watermark, RowKinds.INSERT, row));
    if (memory >= 0 && (forgetAt == Ttl.NEVER || forgetAt < time + memory + 1)) {
      forgetAt = time + memory + memory / 2 + 1;
      note(waiting.addMark(forgetAt, watermark));
    }
    return true;
  }

  private void note(WaitingRows.Waiting added) {
    if (ahead != null) ahead.add(added);
  }

  /** Lets the timers fire up to the watermark; to be called before what is due is taken from the waiting rows. */
  void moveTo(long watermark) {
    if (watermark <= known) return;
    if (ahead == null) {
      ahead = new PriorityQueue<>(WaitingRows.ORDER);
      for (WaitingRows.Waiting row : waiting.all()) {
        if (row.due > known) ahead.add(row);
      }
    }
    while (!ahead.isEmpty() && ahead.peek().due <= watermark) {
      WaitingRows.Waiting row = ahead.poll();
      if (row.isMark() && forgetAt <= row.time) {
        last = NONE;
        forgetAt = Ttl.NEVER;
        forgotten = row.due;
      } else {
        last = row.time;
      }
    }
    known = watermark;
  }

  /** Up to which watermark what was due is forgotten, {@code Long.MIN_VALUE} if nothing is. */
  long forgotten() {
    return forgotten;
  }

  /** To be called once the rows due at the watermark are through. */
  void through(long watermark) {
    if (forgotten <= watermark) forgotten = NONE;
  }

  /** Whether a key with no rows can be dropped. */
  boolean isEmpty() {
    return memory >= 0 && last == NONE && forgetAt == Ttl.NEVER;
  }
}
