package org.compiledplan.kernel.realtime;

import java.util.concurrent.TimeoutException;
import org.apache.spark.SparkEnv;
import org.apache.spark.resource.ResourceProfile;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.OutputMode;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.apache.spark.sql.streaming.Trigger;

/** Entry point for Python: queries in Spark's Real-time Mode. */
public final class RealTime {
  private RealTime() {}

  /**
   * Starts a query.
   *
   * @param rows in the format of {@link SinkWriter}
   * @param writer the query's sinks
   * @param checkpoint folder of the checkpoint
   * @param interval ms between checkpoints
   */
  public static StreamingQuery start(
      Dataset<Row> rows, SinkWriter writer, String checkpoint, long interval)
      throws TimeoutException {
    StreamingQuery query =
        rows.writeStream()
            .foreach(writer)
            .outputMode(OutputMode.Update())
            .option("checkpointLocation", checkpoint)
            .trigger(Trigger.RealTime(interval))
            .start();
    Rehearsal.of(rows, query, interval);
    return query;
  }

  /**
   * Makes the driver resolve classes in messages from tasks with the session's class loader: a
   * reader reports its offset in a class of its connector, which the session may have got after it
   * started.
   */
  public static void prepare(SparkSession session) {
    ClassLoader loader =
        ((org.apache.spark.sql.classic.SparkSession) session).sharedState().jarClassLoader();
    SparkEnv.get().serializer().setDefaultClassLoader(loader);
    SparkEnv.get().closureSerializer().setDefaultClassLoader(loader);
  }

  /** Returns the number of tasks that the session can run at once. */
  public static int slots(SparkSession session) {
    ResourceProfile profile =
        session.sparkContext().resourceProfileManager().defaultResourceProfile();
    return session.sparkContext().maxNumConcurrentTasks(profile);
  }
}
