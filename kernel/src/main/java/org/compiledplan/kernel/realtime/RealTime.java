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

/** The entry from Python: queries in Spark's Real-time Mode. */
public final class RealTime {
  private RealTime() {}

  /**
   * Starts a query.
   *
   * @param rows as {@link SinkWriter} takes them
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
   * Has what tasks send to the driver be found among the classes of the session: a reader tells its
   * position by a class of its connector, which the session may have got after it started.
   */
  public static void prepare(SparkSession session) {
    ClassLoader loader =
        ((org.apache.spark.sql.classic.SparkSession) session).sharedState().jarClassLoader();
    SparkEnv.get().serializer().setDefaultClassLoader(loader);
    SparkEnv.get().closureSerializer().setDefaultClassLoader(loader);
  }

  /** How many tasks the session can run at once. */
  public static int slots(SparkSession session) {
    ResourceProfile profile =
        session.sparkContext().resourceProfileManager().defaultResourceProfile();
    return session.sparkContext().maxNumConcurrentTasks(profile);
  }
}
