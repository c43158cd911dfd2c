package org.compiledplan.kernel.realtime;

import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.execution.ExplainMode;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.compiledplan.kernel.host.Plans;

/**
 * Plans a query some times over while its first batch runs.
 *
 * <p>Spark plans each batch anew, and nothing flows meanwhile. Java compiles code that runs often,
 * and batches are few: without this the pauses are several times as long until a dozen batches are
 * over.
 */
record Rehearsal(Dataset<Row> rows, StreamingQuery query) implements Runnable {
  private static final long TIMES = 40;
  private static final long APART_MS = 100;

  /** Of shorter ones there are enough soon. */
  private static final long INTERVAL_MS = 5000;

  /**
   * Begins it beside a query that has started; it ends by itself.
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
        // Half of a core is left to the rows.
        Thread.sleep(Math.max(APART_MS, (System.nanoTime() - begin) / 1_000_000));
      }
    } catch (InterruptedException error) {
      Thread.currentThread().interrupt();
    } catch (Exception error) {
      // Batches are planned as ever, and say what is wrong.
    }
  }
}
