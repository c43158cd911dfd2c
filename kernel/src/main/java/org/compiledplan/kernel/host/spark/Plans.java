package org.compiledplan.kernel.host.spark;

import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.expressions.Literal$;
import org.apache.spark.sql.catalyst.plans.logical.LocalLimit;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.functions;

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

  /** A column by its name, of any characters. */
  public static Column column(String name) {
    return functions.col("`" + name.replace("`", "``") + "`");
  }

  /** The rows of columns of a DataFrame, in the form of {@code needConversion} = false. */
  @SuppressWarnings({"unchecked", "rawtypes"})
  public static RDD<Row> rows(Dataset<Row> frame, String[] names) {
    Column[] columns = new Column[names.length];
    for (int at = 0; at < names.length; at++) columns[at] = column(names[at]);
    return (RDD) of(frame.select(columns)).toRdd();
  }

  /** The rows of a plan, in the session of a DataFrame. */
  public static Dataset<Row> frame(Dataset<?> within, LogicalPlan plan) {
    return org.apache.spark.sql.classic.Dataset$.MODULE$.ofRows(
        ((org.apache.spark.sql.classic.Dataset<?>) within).sparkSession(), plan);
  }
}
