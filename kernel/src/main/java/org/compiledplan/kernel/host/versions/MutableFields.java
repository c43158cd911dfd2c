package org.compiledplan.kernel.host.versions;

import java.util.Set;

/**
 * The fields of Spark's state of a task that change in it, beside the logger.
 *
 * @param timers those of the timers
 * @param scan those of them that a scan of the timers sets
 * @param handle those of the handle
 * @param timersInitialized the bit of a handle that says that its timers are initialized
 */
record MutableFields(
    Set<String> timers, Set<String> scan, Set<String> handle, byte timersInitialized) {
  private static final MutableFields SINCE_43 =
      new MutableFields(
          Set.of(
              "bitmap$0",
              "expiryTimestampProjection",
              "lastScannedExpiryTimestampRow",
              "reusableIterator",
              "lastScannedExpiryTimestampMs"),
          Set.of("reusableIterator", "lastScannedExpiryTimestampMs"),
          Set.of("bitmap$0", "ttlTimestampMs", "currQueryInfo", "timerState", "currentTimestampMs"),
          (byte) 4);
  private static final MutableFields SINCE_41 =
      new MutableFields(
          Set.of(), Set.of(), Set.of("bitmap$0", "currQueryInfo", "timerState"), (byte) 2);

  static MutableFields of(SparkVersion spark) {
    return spark.since(3) ? SINCE_43 : SINCE_41;
  }
}
