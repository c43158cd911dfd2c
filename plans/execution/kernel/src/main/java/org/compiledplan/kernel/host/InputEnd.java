package org.compiledplan.kernel.host;

import java.io.Serializable;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.TaskContext;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.execution.SparkPlan;
import scala.Function1;
import scala.collection.Iterator;
import scala.reflect.ClassTag$;

/**
 * Below the host of a stage in real-time mode: tells it when all rows of the batch are through,
 * which is before its state is committed. Spark's own word of it, {@code close}, comes after that.
 */
final class InputEnd extends UnaryPlan {
  private static final long serialVersionUID = 1L;

  /** Who is told, by task and host. */
  private static final Map<String, Told> TASKS = new ConcurrentHashMap<>();

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

  private static String place(String host, TaskContext task) {
    return host + task.taskAttemptId();
  }

  /**
   * To be called by a host when its task begins.
   *
   * @param ended is run when the rows are through
   * @return whether it will be
   */
  static boolean tell(String host, Runnable ended) {
    TaskContext task = TaskContext.get();
    Told told = task == null ? null : TASKS.get(place(host, task));
    if (told != null) told.ended = ended;
    return told != null;
  }

  @Override
  public RDD<InternalRow> doExecute() {
    return child()
        .execute()
        .mapPartitions(new Telling(host), true, ClassTag$.MODULE$.apply(InternalRow.class));
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
      TaskContext task = TaskContext.get();
      String place = place(host, task);
      Told told = new Told();
      TASKS.put(place, told);
      task.addTaskCompletionListener(
          ended -> {
            TASKS.remove(place);
            return null;
          });
      return rows.concat(
          () -> {
            told.ended.run();
            return Iterator.<InternalRow>empty();
          });
    }
  }
}
