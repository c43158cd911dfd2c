package org.compiledplan.kernel.host.input;

import java.util.Collection;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.connector.read.streaming.SparkDataStream;
import org.apache.spark.sql.connector.read.streaming.SupportsTriggerAvailableNow;
import org.apache.spark.sql.execution.streaming.runtime.StreamExecution;
import org.apache.spark.sql.execution.streaming.runtime.StreamingQueryWrapper;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Bounds the input of a query that Spark considers endless: the input ends with the data available
 * now, as with the trigger `AvailableNow`, but the query continues.
 */
public final class BoundedInput {
  private BoundedInput() {}

  /**
   * Bounds the input of the query that runs the current micro-batch; Spark waits for it meanwhile.
   *
   * @param endless substring of the descriptions of sources that stay unbounded
   */
  public static void bound(SparkSession session, String endless) {
    StreamExecution execution = running(session);
    Collection<SparkDataStream> sources = CollectionConverters.asJava(execution.sources());
    for (SparkDataStream source : sources) {
      if (source instanceof SupportsTriggerAvailableNow bounded
          && !source.toString().contains(endless)) {
        bounded.prepareForTriggerAvailableNow();
      }
    }
  }

  /** The query whose micro-batch runs in this thread. */
  static StreamExecution running(SparkSession session) {
    String id = session.sparkContext().getLocalProperty("sql.streaming.queryId");
    return ((StreamingQueryWrapper) session.streams().get(id)).streamingQuery();
  }
}
