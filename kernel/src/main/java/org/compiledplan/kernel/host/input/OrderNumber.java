package org.compiledplan.kernel.host.input;

import org.apache.spark.TaskContext;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.api.java.UDF0;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.DataTypes;
import org.compiledplan.kernel.sources.RowNumbers;

/** Numbers rows in the order in which a task reads them; see {@link RowNumbers}. */
public final class OrderNumber implements UDF0<Long> {
  private transient long task;
  private transient long next;

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
      next = RowNumbers.first();
    }
    return next++;
  }
}
