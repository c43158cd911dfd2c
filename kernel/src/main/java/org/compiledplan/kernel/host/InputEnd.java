package org.compiledplan.kernel.host;

import java.io.Serializable;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.execution.SparkPlan;
import scala.Function1;
import scala.collection.Iterator;

/**
 * Below the host of a stage in real-time mode: tells it when all rows of the batch are through,
 * which is before its state is committed. Spark's own word of it, {@code close}, comes after that.
 */
final class InputEnd extends UnaryPlan {
  private static final class Told {
    private Runnable ended = () -> {};
  }

  private final String host;

  /**
   * @param host names it among the hosts of a query
   */
  InputEnd(SparkPlan child, String host) {
    super(child);
    this.host = host;
  }

  private static TaskParts<Told> told(String host) {
    return new TaskParts<>("input end of " + host);
  }

  /**
   * To be called by a host when its task begins.
   *
   * @param ended is run when the rows are through
   * @return whether it will be
   */
  static boolean tell(String host, Runnable ended) {
    Told told = told(host).get();
    if (told != null) told.ended = ended;
    return told != null;
  }

  @Override
  public RDD<InternalRow> doExecute() {
    return mapped(new Telling(host));
  }

  @Override
  public SparkPlan withNewChildInternal(SparkPlan other) {
    return new InputEnd(other, host);
  }

  /** Has nothing of the plan, which stays in the driver. */
  private record Telling(String host)
      implements Function1<Iterator<InternalRow>, Iterator<InternalRow>>, Serializable {
    @Override
    public Iterator<InternalRow> apply(Iterator<InternalRow> rows) {
      Told told = new Told();
      told(host).put(told);
      return rows.concat(
          () -> {
            told.ended.run();
            return Iterator.<InternalRow>empty();
          });
    }
  }
}
