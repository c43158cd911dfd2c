package org.compiledplan.kernel.host.stage;

import java.io.Serializable;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.execution.SparkPlan;
import org.compiledplan.kernel.host.spark.TaskParts;
import org.compiledplan.kernel.host.spark.UnaryPlan;
import scala.Function1;
import scala.collection.Iterator;

/**
 * Below a stage's host in real-time mode: notifies it when all rows of the batch have been
 * processed, before its state is committed. Spark calls {@code close} only after the commit.
 */
final class InputEnd extends UnaryPlan {
  private static final class TaskEnd {
    private Runnable ended = () -> {};
  }

  private final String host;

  /**
   * @param host identifies the host within its query
   */
  InputEnd(SparkPlan child, String host) {
    super(child);
    this.host = host;
  }

  private static TaskParts<TaskEnd> slot(String host) {
    return new TaskParts<>("input end of " + host);
  }

  /**
   * Registers a callback; the host calls it when its task begins.
   *
   * @param ended callback to run after the last row
   * @return true if the callback will run
   */
  static boolean register(String host, Runnable ended) {
    TaskEnd task = slot(host).get();
    if (task != null) task.ended = ended;
    return task != null;
  }

  @Override
  public RDD<InternalRow> doExecute() {
    return mapped(new Notifying(host));
  }

  @Override
  public SparkPlan withNewChildInternal(SparkPlan newChild) {
    return new InputEnd(newChild, host);
  }

  /** Does not reference the plan, which stays in the driver. */
  private record Notifying(String host)
      implements Function1<Iterator<InternalRow>, Iterator<InternalRow>>, Serializable {
    @Override
    public Iterator<InternalRow> apply(Iterator<InternalRow> rows) {
      TaskEnd task = new TaskEnd();
      slot(host).put(task);
      return rows.concat(
          () -> {
            task.ended.run();
            return Iterator.<InternalRow>empty();
          });
    }
  }
}
