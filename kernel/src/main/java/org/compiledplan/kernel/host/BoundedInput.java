package org.compiledplan.kernel.host;

import java.util.Collection;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.connector.read.streaming.SparkDataStream;
import org.apache.spark.sql.connector.read.streaming.SupportsTriggerAvailableNow;
import org.apache.spark.sql.execution.streaming.runtime.StreamExecution;
import org.apache.spark.sql.execution.streaming.runtime.StreamingQueryWrapper;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Bounds the input of a query that Spark takes for endless: it ends with what is there by now, as
 * with the trigger `AvailableNow`, but the query itself goes on.
 */
public final class BoundedInput {
  private BoundedInput() {}

  /**
   * Bounds the input of the query that runs the micro-batch at hand, which Spark waits for
   * meanwhile.
   *
   * @param endless what the descriptions of sources contain that are not bounded
   */
  public static void bound(SparkSession session, String endless) {
    String id = session.sparkContext().getLocalProperty("sql.streaming.queryId");
    StreamingQueryWrapper query = (StreamingQueryWrapper) session.streams().get(id);
    StreamExecution execution = query.streamingQuery();
    Collection<SparkDataStream> sources = CollectionConverters.asJava(execution.sources());
    for (SparkDataStream source : sources) {
      if (source instanceof SupportsTriggerAvailableNow bounded
          && !source.toString().contains(endless)) {
        bounded.prepareForTriggerAvailableNow();
      }
    }
  }
}
