package org.compiledplan.kernel.operators.base;

import java.util.OptionalLong;

/** Arithmetic with optional times (ms since 1970, negative before it) and durations in ms. */
public final class TimeMath {
  /** Bound of row times, in ms before and after 1970: Spark's timestamps are long microseconds. */
  public static final long MAX_TIME = Long.MAX_VALUE / 1000;

  /** Longest window in ms: its ends fit into a long for any row time. */
  public static final long MAX_WINDOW = Long.MAX_VALUE / 4;

  private TimeMath() {}

  /** A time plus a duration, clamped to the range of long. */
  public static long plus(long time, long length) {
    long sum = time + length;
    if (((time ^ sum) & (length ^ sum)) >= 0) return sum;
    return length < 0 ? Long.MIN_VALUE : Long.MAX_VALUE;
  }

  /** A time minus a duration, clamped to the range of long. */
  public static long minus(long time, long length) {
    long difference = time - length;
    if (((time ^ length) & (time ^ difference)) >= 0) return difference;
    return length < 0 ? Long.MAX_VALUE : Long.MIN_VALUE;
  }

  /** A time plus a duration; empty on overflow. */
  public static OptionalLong later(long time, long length) {
    long later = plus(time, length);
    return later - time == length ? OptionalLong.of(later) : OptionalLong.empty();
  }

  /** The earlier of two optional times. */
  public static OptionalLong earlier(OptionalLong a, OptionalLong b) {
    if (a.isEmpty() || b.isEmpty()) return a.isEmpty() ? b : a;
    return a.getAsLong() <= b.getAsLong() ? a : b;
  }

  /**
   * Returns a row's time.
   *
   * @throws IllegalStateException if it is outside Spark's timestamp range
   */
  public static long checked(long time) {
    if (time > MAX_TIME || time < -MAX_TIME) {
      throw new IllegalStateException(
          "the time of a row, " + time + " ms from 1970, is out of range");
    }
    return time;
  }

  /**
   * Returns the length of a window, or of a part of it, in ms; throws if it is not positive or
   * exceeds {@link #MAX_WINDOW}.
   */
  public static long window(OperatorSpec spec, long length) {
    if (length <= 0) throw spec.problem("has windows without a size");
    if (length > MAX_WINDOW)
      throw spec.problem("has windows of " + length + " ms, more than " + MAX_WINDOW);
    return length;
  }
}
