package org.compiledplan.kernel.operators.base;

import java.util.Locale;

/** The outcome of a row that an operator receives; each row has exactly one. */
public enum Outcome {
  /** Changed the state, or was emitted. */
  APPLIED,

  /** Stored, to wait for a watermark or a match. */
  HELD,

  /** Dropped because the watermark has passed it. */
  LATE,

  /** Dropped because the state has the row, or one that it prefers. */
  DUPLICATE,

  /** Dropped because its rank is beyond the last one. */
  OUTRANKED,

  /** Dropped because it matched nothing; it is not stored. */
  UNMATCHED,

  /** Dropped by a condition of the operator. */
  FILTERED,

  /** Retracts a row that the state does not have: that row expired, or never came. */
  ABSENT,

  /** Not stored because the time in which it could match had passed when it arrived. */
  EXPIRED;

  /**
   * The outcome of a row that a join stores or retracts.
   *
   * @param adds whether the row is added
   * @param present whether a retracted row was stored
   * @param matched whether it matched a row, or was emitted without a match
   */
  public static Outcome joined(boolean adds, boolean present, boolean matched) {
    if (adds) return matched ? APPLIED : HELD;
    return present ? APPLIED : ABSENT;
  }

  /** Returns true if the row came too late for the operator. */
  public boolean isLate() {
    return this == LATE || this == EXPIRED;
  }

  /** Returns the name in reports. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Numbers of rows by outcome. */
  public static final class Counts {
    private final long[] counts = new long[values().length];

    public void add(Outcome outcome, long rows) {
      counts[outcome.ordinal()] += rows;
    }

    public long of(Outcome outcome) {
      return counts[outcome.ordinal()];
    }
  }
}
