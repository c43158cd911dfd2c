package org.compiledplan.kernel.host;

import org.apache.spark.TaskContext;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.api.java.UDF0;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.DataTypes;

/**
 * Numbers rows in the order in which a task reads them: the partition's number in the upper bits, a
 * count in the lower 40. Numbers are unique within a micro-batch only.
 */
public final class OrderNumber implements UDF0<Long> {
  private static final long serialVersionUID = 1L;
  private static final int COUNT_BITS = 40;

  private transient long task;
  private transient long count;

  /** Registers the SQL function {@code order_number()}. */
  public static void register(SparkSession session) {
    session
        .udf()
        .register(
            "order_number",
            functions.udf(new OrderNumber(), DataTypes.LongType).asNondeterministic());
  }

  @Override
  public Long call() {
    TaskContext context = TaskContext.get();
    long running = context == null ? 0 : context.taskAttemptId() + 1;
    if (running != task) {
      task = running;
      count = 0;
    }
    long partition = context == null ? 0 : context.partitionId();
    return (partition << COUNT_BITS) | count++;
  }
}
