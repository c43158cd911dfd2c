package org.compiledplan.kernel.operators.base;

import java.util.OptionalLong;
import java.util.PriorityQueue;
import org.compiledplan.kernel.state.serialization.Fields;
import org.compiledplan.kernel.state.serialization.Stored;
import org.compiledplan.kernel.values.RowKinds;

/**
 * Replays the timers that Flink would have fired for a key by the watermark at which a row arrives;
 * timers here fire at the end of the micro-batch. Flink's bounded OVER windows and its sort accept
 * a row behind the watermark unless a row of the key with the same or a later time has been
 * processed, so lateness must be decided row by row.
 *
 * <p>With a retention, an idle key forgets its last processed row as
 * RowTimeRangeBoundedPrecedingFunction does: 1.5 times the retention after that row's time, unless
 * a much later row has arrived by then.
 */
public final class Firings implements Stored {
  private final WaitingRows waiting;
  private final long memory;

  /** Time of the last processed row; null before the first. */
  private Long last;

  /** Watermark up to which {@link #last} is known; null before the first. */
  private Long known;

  /** Watermark at which the key forgets its last row; null if not scheduled. */
  private Long forgetAt;

  /** Rows due up to this watermark are forgotten by rows behind it; null if none are. */
  private Long forgotten;

  private PriorityQueue<WaitingRows.Waiting> ahead;

  /**
   * @param memory retention of a row in ms; -1: unlimited
   */
  public Firings(WaitingRows waiting, long memory) {
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

  /** Adds the row to the waiting rows unless it is late. */
  public Outcome add(long time, long watermark, Object[] row) {
    if (time <= watermark || forgetAt != null && forgetAt <= watermark) moveTo(watermark);
    if (last != null && time <= last) return Outcome.LATE;
    note(waiting.add(time, watermark, RowKinds.INSERT, row));
    if (memory >= 0 && (forgetAt == null || forgetAt <= TimeMath.plus(time, memory))) {
      forgetAt = TimeMath.plus(TimeMath.plus(time, memory), memory / 2 + 1);
      note(waiting.addMark(forgetAt, watermark));
    }
    return Outcome.HELD;
  }

  private void note(WaitingRows.Waiting added) {
    if (ahead != null) ahead.add(added);
  }

  /** Fires the timers up to the watermark; call before taking due rows from the waiting rows. */
  public void moveTo(long watermark) {
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

  /** Returns true if rows due up to the watermark are forgotten by rows behind it. */
  public boolean forgetsAt(long watermark) {
    return forgotten != null && forgotten == watermark;
  }

  /** Marks the rows due at the watermark as processed. */
  public void through(long watermark) {
    if (forgotten != null && forgotten <= watermark) forgotten = null;
  }

  /** Returns true if a key without rows can be dropped. */
  public boolean isEmpty() {
    return memory >= 0 && last == null && forgetAt == null;
  }
}
