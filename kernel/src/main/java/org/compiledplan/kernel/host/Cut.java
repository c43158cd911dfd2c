package org.compiledplan.kernel.host;

import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.SortOrder;
import org.apache.spark.sql.execution.SparkPlan;
import scala.collection.immutable.Seq;

/**
 * Gives on what is below it, which stays in the driver. Spark's operators are sent to tasks with
 * all that is below them; in a chain of stages that is the whole chain, once for each stage.
 */
final class Cut extends UnaryPlan {
  Cut(SparkPlan child) {
    super(child);
  }

  @Override
  public RDD<InternalRow> doExecute() {
    return child().execute();
  }

  @Override
  public Seq<SortOrder> outputOrdering() {
    return child().outputOrdering();
  }

  @Override
  public SparkPlan withNewChildInternal(SparkPlan newChild) {
    return new Cut(newChild);
  }
}
