package org.compiledplan.kernel.host.watermarks;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.execution.streaming.runtime.IncrementalExecution;
import org.apache.spark.sql.execution.streaming.runtime.MicroBatchExecution;
import org.apache.spark.sql.execution.streaming.runtime.MicroBatchExecutionContext;
import org.apache.spark.sql.execution.streaming.runtime.StreamingQueryWrapper;
import org.apache.spark.sql.execution.streaming.runtime.WatermarkTracker;
import org.apache.spark.sql.streaming.StreamingQuery;

/**
 * Sets the watermark of a query, by which timers fire from the next micro-batch on. It never goes
 * back. Spark stores it with the micro-batch.
 */
public final class QueryWatermark {
  private static final long PATIENCE_MS = 50;

  private QueryWatermark() {}

  /** Sets the watermark, in ms, of the query that runs the current micro-batch. */
  public static void move(SparkSession session, long millis) {
    String id = session.sparkContext().getLocalProperty("sql.streaming.queryId");
    set(execution(session.streams().get(id)), millis);
  }

  /**
   * Sets the watermark, in ms, of a query that waits for rows; it then runs an empty micro-batch if
   * any timer is due.
   *
   * @return false, without a change, if the query is not waiting
   */
  public static boolean moveWaiting(StreamingQuery query, long millis) throws InterruptedException {
    MicroBatchExecution execution = execution(query);
    // Spark holds the lock while it looks for rows and plans a micro-batch with its current
    // watermark.
    ReentrantLock lock = execution.awaitProgressLock();
    if (!lock.tryLock(PATIENCE_MS, TimeUnit.MILLISECONDS)) return false;
    try {
      if (!(execution.getLatestExecutionContext() instanceof MicroBatchExecutionContext context))
        return false;
      if (context.isCurrentBatchConstructed() || context.previousContext().isEmpty()) return false;
      IncrementalExecution last = context.previousContext().get().executionPlan();
      if (last == null) return false;
      // Spark caches the watermark at which it last checked for due timers.
      last.watermarkPropagator().purge(Long.MAX_VALUE);
      set(execution, millis);
      return true;
    } finally {
      lock.unlock();
    }
  }

  private static MicroBatchExecution execution(StreamingQuery query) {
    return (MicroBatchExecution) ((StreamingQueryWrapper) query).streamingQuery();
  }

  private static void set(MicroBatchExecution execution, long millis) {
    WatermarkTracker tracker = execution.watermarkTracker();
    if (millis > tracker.currentWatermark()) tracker.setWatermark(millis);
  }
}
