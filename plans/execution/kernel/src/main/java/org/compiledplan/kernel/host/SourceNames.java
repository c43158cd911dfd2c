package org.compiledplan.kernel.host;

import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.streaming.HasStreamingSourceIdentifyingName;
import org.apache.spark.sql.catalyst.streaming.UserProvided;
import scala.runtime.AbstractPartialFunction;

/**
 * Names the streaming sources of a DataFrame, as {@code DataStreamReader.name} does before there is
 * one. A checkpoint keeps by name how far each source was read.
 */
public final class SourceNames {
  private SourceNames() {}

  /**
   * The same rows from named sources.
   *
   * @param name name of the first source, and the beginning of the names of further ones
   */
  public static Dataset<Row> named(Dataset<Row> frame, String name) {
    org.apache.spark.sql.classic.Dataset<Row> dataset =
        (org.apache.spark.sql.classic.Dataset<Row>) frame;
    LogicalPlan plan = dataset.queryExecution().analyzed().transformUp(new Naming(name));
    return org.apache.spark.sql.classic.Dataset$.MODULE$.ofRows(dataset.sparkSession(), plan);
  }

  private static final class Naming extends AbstractPartialFunction<LogicalPlan, LogicalPlan> {
    private final String name;
    private int count;

    Naming(String name) {
      this.name = name;
    }

    @Override
    public boolean isDefinedAt(LogicalPlan node) {
      return node instanceof HasStreamingSourceIdentifyingName;
    }

    @Override
    public LogicalPlan apply(LogicalPlan node) {
      count++;
      String own = count == 1 ? name : name + "_n" + count;
      return ((HasStreamingSourceIdentifyingName) node)
          .withSourceIdentifyingName(new UserProvided(own));
    }
  }
}
