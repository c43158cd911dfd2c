package org.compiledplan.kernel.host.spark;

import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.SortOrder;
import org.apache.spark.sql.execution.SparkPlan;
import scala.collection.immutable.Seq;

/**
 * Passes its child's rows on and keeps the child in the driver. Spark sends operators to tasks
 * together with everything below them; in a chain of stages that would be the whole chain, once per
 * stage.
 */
public final class DriverOnlyChild extends UnaryPlan {
  public DriverOnlyChild(SparkPlan child) {
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
    return new DriverOnlyChild(newChild);
  }
}
