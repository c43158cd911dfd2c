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

  private static TaskParts<Told> slot(String host) {
    return new TaskParts<>("input end of " + host);
  }

  /**
   * To be called by a host when its task begins.
   *
   * @param ended is run when the rows are through
   * @return whether it will be
   */
  static boolean tell(String host, Runnable ended) {
    Told task = slot(host).get();
    if (task != null) task.ended = ended;
    return task != null;
  }

  @Override
  public RDD<InternalRow> doExecute() {
    return mapped(new Telling(host));
  }

  @Override
  public SparkPlan withNewChildInternal(SparkPlan newChild) {
    return new InputEnd(newChild, host);
  }

  /** Has nothing of the plan, which stays in the driver. */
  private record Telling(String host)
      implements Function1<Iterator<InternalRow>, Iterator<InternalRow>>, Serializable {
    @Override
    public Iterator<InternalRow> apply(Iterator<InternalRow> rows) {
      Told task = new Told();
      slot(host).put(task);
      return rows.concat(
          () -> {
            task.ended.run();
            return Iterator.<InternalRow>empty();
          });
    }
  }
}
