package org.compiledplan.kernel.values;

import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;

/** Points in time and times on a clock as Spark holds them: microseconds since 1970. */
public final class Micros {
  private static final long SECOND = 1_000_000L;

  private Micros() {}

  /**
   * A time on a clock; what is smaller than a microsecond is cut off.
   *
   * @throws ArithmeticException if it is beyond what microseconds in a long hold
   */
  public static long of(LocalDateTime time) {
    return Math.addExact(
        Math.multiplyExact(time.toEpochSecond(ZoneOffset.UTC), SECOND), time.getNano() / 1000);
  }

  public static LocalDateTime local(long micros) {
    return LocalDateTime.ofEpochSecond(
        Math.floorDiv(micros, SECOND), (int) Math.floorMod(micros, SECOND) * 1000, ZoneOffset.UTC);
  }

  public static Instant instant(long micros) {
    return Instant.ofEpochSecond(
        Math.floorDiv(micros, SECOND), Math.floorMod(micros, SECOND) * 1000);
  }
}
