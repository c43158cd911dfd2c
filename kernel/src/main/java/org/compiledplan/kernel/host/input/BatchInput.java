package org.compiledplan.kernel.host.input;

import java.util.HashSet;
import java.util.Set;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.ExprId;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.compiledplan.kernel.host.spark.Plans;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;
import scala.runtime.AbstractPartialFunction;

/** The input of the current micro-batch of a query, read once more. */
public final class BatchInput {
  private BatchInput() {}

  /**
   * The rows that a part of the query reads in the micro-batch that runs in this thread.
   *
   * @param part streaming rows on which the query is built
   * @param within a DataFrame in the session of the micro-batch
   */
  public static Dataset<Row> of(Dataset<Row> part, Dataset<Row> within) {
    LogicalPlan batch = BoundedInput.running(part.sparkSession()).lastExecution().logical();
    return Plans.frame(within, Plans.analyzed(part).transformUp(new Reading(batch)));
  }

  private static Set<ExprId> columns(LogicalPlan plan) {
    Set<ExprId> ids = new HashSet<>();
    for (Attribute column : CollectionConverters.asJava(plan.output())) ids.add(column.exprId());
    return ids;
  }

  /** Replaces streaming relations by the rows that they have in the micro-batch. */
  private static final class Reading extends AbstractPartialFunction<LogicalPlan, LogicalPlan> {
    private final LogicalPlan batch;

    Reading(LogicalPlan batch) {
      this.batch = batch;
    }

    @Override
    public boolean isDefinedAt(LogicalPlan node) {
      return node.children().isEmpty() && node.isStreaming();
    }

    @Override
    public LogicalPlan apply(LogicalPlan relation) {
      LogicalPlan rows = lowest(batch, columns(relation));
      if (rows == null) {
        throw new IllegalStateException("the micro-batch does not read " + relation.nodeName());
      }
      return rows;
    }

    /** The node farthest from the root with these columns; null for none. */
    private static LogicalPlan lowest(LogicalPlan plan, Set<ExprId> ids) {
      Seq<LogicalPlan> children = plan.children();
      for (LogicalPlan child : CollectionConverters.asJava(children)) {
        LogicalPlan lower = lowest(child, ids);
        if (lower != null) return lower;
      }
      return columns(plan).containsAll(ids) ? plan : null;
    }
  }
}
