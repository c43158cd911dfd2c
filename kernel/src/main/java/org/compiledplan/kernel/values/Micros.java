package org.compiledplan.kernel.values;

import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;

/** Instants and local times in Spark's representation: microseconds since 1970. */
public final class Micros {
  private static final long SECOND = 1_000_000L;

  private Micros() {}

  /**
   * Microseconds of a local time, truncated.
   *
   * @throws ArithmeticException if they exceed a long
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
