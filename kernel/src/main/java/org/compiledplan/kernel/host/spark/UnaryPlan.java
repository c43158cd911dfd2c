package org.compiledplan.kernel.host.spark;

import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.plans.physical.Partitioning;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.UnaryExecNode;
import scala.Function1;
import scala.collection.Iterator;
import scala.collection.immutable.IndexedSeq;
import scala.collection.immutable.Seq;
import scala.reflect.ClassTag$;

/**
 * A physical operator with one child, whose rows it returns in the same partitions; the child stays
 * in the driver.
 */
public abstract class UnaryPlan extends SparkPlan implements UnaryExecNode {
  private final transient SparkPlan child;
  private final Seq<Attribute> output;

  public UnaryPlan(SparkPlan child) {
    this.child = child;
    this.output = child.output();
  }

  /**
   * The child's rows, changed in each partition.
   *
   * @param change sent to the executors, so it must not reference the plan
   */
  protected final RDD<InternalRow> mapped(
      Function1<Iterator<InternalRow>, Iterator<InternalRow>> change) {
    return child.execute().mapPartitions(change, true, ClassTag$.MODULE$.apply(InternalRow.class));
  }

  @Override
  public final SparkPlan child() {
    return child;
  }

  @Override
  public final Seq<Attribute> output() {
    return output;
  }

  @Override
  public final Partitioning outputPartitioning() {
    return child.outputPartitioning();
  }

  @Override
  public final Seq<SparkPlan> children() {
    return UnaryExecNode.super.children();
  }

  @Override
  public final SparkPlan mapChildren(Function1<SparkPlan, SparkPlan> change) {
    return UnaryExecNode.super.mapChildren(change);
  }

  @Override
  public final SparkPlan withNewChildrenInternal(IndexedSeq<SparkPlan> others) {
    return withNewChildInternal(others.apply(0));
  }

  @Override
  public final String verboseStringWithOperatorId() {
    return UnaryExecNode.super.verboseStringWithOperatorId();
  }

  @Override
  public final int productArity() {
    return 1;
  }

  @Override
  public final Object productElement(int at) {
    return child;
  }

  @Override
  public final boolean canEqual(Object object) {
    return object != null && object.getClass() == getClass();
  }

  @Override
  public final boolean equals(Object object) {
    return canEqual(object) && ((UnaryPlan) object).child.equals(child);
  }

  @Override
  public final int hashCode() {
    return 31 * child.hashCode() + getClass().hashCode();
  }
}
