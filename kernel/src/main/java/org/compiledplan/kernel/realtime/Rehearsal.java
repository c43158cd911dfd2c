package org.compiledplan.kernel.realtime;

import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.execution.ExplainMode;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.compiledplan.kernel.host.spark.Plans;

/**
 * Plans a query repeatedly while its first batch runs, to warm up the JIT compiler.
 *
 * <p>Spark plans each batch anew, and no rows flow meanwhile. Java compiles code that runs often,
 * but batches are rare: without the warm-up the pauses are several times as long during the first
 * dozen batches.
 */
record Rehearsal(Dataset<Row> rows, StreamingQuery query) implements Runnable {
  private static final long TIMES = 40;
  private static final long APART_MS = 100;

  /** Shorter batches warm up by themselves. */
  private static final long INTERVAL_MS = 5000;

  /**
   * Starts it next to a running query; it ends by itself.
   *
   * @param interval ms between two batches
   */
  static void of(Dataset<Row> rows, StreamingQuery query, long interval) {
    if (interval < INTERVAL_MS) return;
    Thread thread = new Thread(new Rehearsal(rows, query), "real-time-rehearsal");
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public void run() {
    try {
      for (long time = 0; time < TIMES && query.isActive(); time++) {
        long begin = System.nanoTime();
        Plans.of(rows).explainString(ExplainMode.fromString("simple"));
        // Leave half of a core to the rows.
        Thread.sleep(Math.max(APART_MS, (System.nanoTime() - begin) / 1_000_000));
      }
    } catch (InterruptedException error) {
      Thread.currentThread().interrupt();
    } catch (Exception error) {
      // Real batches are planned as usual and report the error.
    }
  }
}
