package org.compiledplan.kernel.host.stage;

import java.util.IdentityHashMap;
import java.util.Map;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.plans.logical.LocalRelation;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.connector.read.streaming.SparkDataStream;
import org.compiledplan.kernel.host.spark.Plans;
import scala.Option;
import scala.jdk.javaapi.CollectionConverters;
import scala.runtime.AbstractPartialFunction;

/**
 * A DataFrame of many stages, built a part at a time. Spark analyzes the whole DataFrame at each
 * step, so each part is built on an empty DataFrame with the columns of its input, and all parts
 * are joined at the end.
 */
public final class PartwisePlan {
  private final Map<LogicalPlan, LogicalPlan> below = new IdentityHashMap<>();

  /** An empty DataFrame with the columns of {@code frame}, to build on in its place. */
  public Dataset<Row> placeholder(Dataset<Row> frame) {
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

  /** The plan of {@code frame}, with each {@link #placeholder} replaced by its original. */
  public Dataset<Row> assembled(Dataset<Row> frame) {
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
