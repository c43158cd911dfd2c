package org.compiledplan.kernel.host;

import java.util.IdentityHashMap;
import java.util.Map;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.plans.logical.LocalRelation;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.connector.read.streaming.SparkDataStream;
import scala.Option;
import scala.jdk.javaapi.CollectionConverters;
import scala.runtime.AbstractPartialFunction;

/**
 * A DataFrame of many stages, built a part at a time. Spark goes through all of a DataFrame
 * whenever something is put on it, so that each part is put on an empty one with the columns of
 * what is below it, and all parts are joined at the end.
 */
public final class Seams {
  private final Map<LogicalPlan, LogicalPlan> below = new IdentityHashMap<>();

  /** Nothing but the columns of a DataFrame, to build on instead of it. */
  public Dataset<Row> cut(Dataset<Row> frame) {
    LogicalPlan whole = joined(Plans.analyzed(frame));
    LogicalPlan columns =
        new LocalRelation(
            whole.output(),
            CollectionConverters.<InternalRow>asScala(java.util.List.of()).toSeq(),
            whole.isStreaming(),
            Option.<SparkDataStream>empty());
    below.put(columns, whole);
    return Plans.frame(frame, columns);
  }

  /** What was built on {@link #cut} DataFrames, on what they stand for. */
  public Dataset<Row> sewn(Dataset<Row> frame) {
    return Plans.frame(frame, joined(Plans.analyzed(frame)));
  }

  private LogicalPlan joined(LogicalPlan part) {
    return part.transformUp(new Joining());
  }

  private final class Joining extends AbstractPartialFunction<LogicalPlan, LogicalPlan> {
    @Override
    public boolean isDefinedAt(LogicalPlan node) {
      return below.containsKey(node);
    }

    @Override
    public LogicalPlan apply(LogicalPlan node) {
      return below.get(node);
    }
  }
}
