package org.compiledplan.kernel.operators;

import java.util.OptionalLong;

/**
 * Arithmetic with times, ms since 1970, before it and after it, that may be missing, and with
 * lengths of time in ms.
 */
public final class TimeMath {
  /**
   * Rows' times are no further from 1970 than this: what a long of microseconds, Spark's timestamp,
   * holds.
   */
  public static final long FURTHEST = Long.MAX_VALUE / 1000;

  /** The longest window: its ends stay within what a long holds, whatever the time of its rows. */
  static final long LONGEST = Long.MAX_VALUE / 4;

  private TimeMath() {}

  /** A time so much later, at most the last and at least the first that there is. */
  public static long plus(long time, long length) {
    long sum = time + length;
    if (((time ^ sum) & (length ^ sum)) >= 0) return sum;
    return length < 0 ? Long.MIN_VALUE : Long.MAX_VALUE;
  }

  /** A time so much earlier, see {@link #plus}. */
  public static long minus(long time, long length) {
    long difference = time - length;
    if (((time ^ length) & (time ^ difference)) >= 0) return difference;
    return length < 0 ? Long.MAX_VALUE : Long.MIN_VALUE;
  }

  /** A time so much later; none where that is beyond all times. */
  static OptionalLong later(long time, long length) {
    long later = plus(time, length);
    return later - time == length ? OptionalLong.of(later) : OptionalLong.empty();
  }

  /** The earlier of two times, either of which may be missing. */
  public static OptionalLong earlier(OptionalLong a, OptionalLong b) {
    if (a.isEmpty() || b.isEmpty()) return a.isEmpty() ? b : a;
    return a.getAsLong() <= b.getAsLong() ? a : b;
  }

  /**
   * Checks the time of a row.
   *
   * @throws IllegalStateException if it is further from 1970 than Spark's timestamps go
   */
  static long checked(long time) {
    if (time > FURTHEST || time < -FURTHEST) {
      throw new IllegalStateException(
          "the time of a row, " + time + " ms from 1970, is out of range");
    }
    return time;
  }

  /** Checks the length of a window, or of a part of it. */
  static long window(OperatorSpec spec, long length) {
    if (length <= 0) throw spec.problem("has windows without a size");
    if (length > LONGEST)
      throw spec.problem("has windows of " + length + " ms, more than " + LONGEST);
    return length;
  }
}
