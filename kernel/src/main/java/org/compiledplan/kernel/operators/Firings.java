package org.compiledplan.kernel.operators;

import java.util.OptionalLong;
import java.util.PriorityQueue;
import org.compiledplan.kernel.state.Fields;
import org.compiledplan.kernel.state.Stored;

/**
 * What Flink's timers of a key have done by the watermark at which a row arrives, while the timers
 * here wait for the end of the micro-batch. Flink's bounded OVER windows and its sort take a row
 * that is behind the watermark unless a row of the key with its time or a later one has been
 * through; so that must be known row by row.
 *
 * <p>With a memory, an idle key forgets what has been through, as
 * RowTimeRangeBoundedPrecedingFunction does: 1.5 times the memory after a row's time, if none that
 * is much later has come by then.
 */
final class Firings implements Stored {
  private final WaitingRows waiting;
  private final long memory;

  /** The time of the row that went through last; null if none has. */
  private Long last;

  /** The watermark up to which {@link #last} is known; null before the first. */
  private Long known;

  /** When the key forgets; null if that is open. */
  private Long forgetAt;

  /** Rows that are due up to this watermark are forgotten by those behind it; null if none are. */
  private Long forgotten;

  private PriorityQueue<WaitingRows.Waiting> ahead;

  /**
   * @param memory ms that a row counts; -1: for ever
   */
  Firings(WaitingRows waiting, long memory) {
    this.waiting = waiting;
    this.memory = memory;
  }

  @Override
  public void fields(Fields io) {
    last = time(io, "last", last);
    known = time(io, "known", known);
    forgetAt = time(io, "forgetAt", forgetAt);
    forgotten = time(io, "forgotten", forgotten);
  }

  private static Long time(Fields io, String name, Long time) {
    OptionalLong next =
        io.maybeTime(name, time == null ? OptionalLong.empty() : OptionalLong.of(time));
    return next.isPresent() ? (Long) next.getAsLong() : null;
  }

  /** Adds the row to those that wait, unless it is late. */
  boolean add(long time, long watermark, Object[] row) {
    if (time <= watermark || forgetAt != null && forgetAt <= watermark) moveTo(watermark);
    if (last != null && time <= last) return false;
    note(waiting.add(time, watermark, RowKinds.INSERT, row));
    if (memory >= 0 && (forgetAt == null || forgetAt <= TimeMath.plus(time, memory))) {
      forgetAt = TimeMath.plus(TimeMath.plus(time, memory), memory / 2 + 1);
      note(waiting.addMark(forgetAt, watermark));
    }
    return true;
  }

  private void note(WaitingRows.Waiting added) {
    if (ahead != null) ahead.add(added);
  }

  /**
   * Lets the timers fire up to the watermark; to be called before what is due is taken from the
   * waiting rows.
   */
  void moveTo(long watermark) {
    if (known != null && watermark <= known) return;
    if (ahead == null) {
      ahead = new PriorityQueue<>(WaitingRows.ORDER);
      for (WaitingRows.Waiting row : waiting.all()) {
        if (known == null || row.due() > known) ahead.add(row);
      }
    }
    while (!ahead.isEmpty() && ahead.peek().due() <= watermark) {
      WaitingRows.Waiting row = ahead.poll();
      if (row.isMark() && forgetAt != null && forgetAt <= row.time()) {
        last = null;
        forgetAt = null;
        forgotten = row.due();
      } else {
        last = row.time();
      }
    }
    known = watermark;
  }

  /** Whether what was due up to the watermark is forgotten by those behind it. */
  boolean forgetsAt(long watermark) {
    return forgotten != null && forgotten == watermark;
  }

  /** To be called once the rows due at the watermark are through. */
  void through(long watermark) {
    if (forgotten != null && forgotten <= watermark) forgotten = null;
  }

  /** Whether a key with no rows can be dropped. */
  boolean isEmpty() {
    return memory >= 0 && last == null && forgetAt == null;
  }
}
