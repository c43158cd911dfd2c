package org.compiledplan.kernel.host.spark;

import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.expressions.Literal$;
import org.apache.spark.sql.catalyst.plans.logical.LocalLimit;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.QueryExecution;

/** Access to logical plans of DataFrames, which Spark's public interface does not expose. */
public final class Plans {
  private Plans() {}

  public static QueryExecution of(Dataset<?> frame) {
    return ((org.apache.spark.sql.classic.Dataset<?>) frame).queryExecution();
  }

  public static LogicalPlan analyzed(Dataset<?> frame) {
    return of(frame).analyzed();
  }

  /** The first rows of each task of a DataFrame; a task reads no further. */
  public static Dataset<Row> firstOfTasks(Dataset<Row> frame, int count) {
    return frame(frame, new LocalLimit(Literal$.MODULE$.apply(count), analyzed(frame)));
  }

  /** The rows of a plan, in the session of a DataFrame. */
  public static Dataset<Row> frame(Dataset<?> within, LogicalPlan plan) {
    return org.apache.spark.sql.classic.Dataset$.MODULE$.ofRows(
        ((org.apache.spark.sql.classic.Dataset<?>) within).sparkSession(), plan);
  }
}
