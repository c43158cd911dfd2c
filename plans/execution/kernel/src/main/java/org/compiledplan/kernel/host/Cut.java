package org.compiledplan.kernel.host;

import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.SortOrder;
import org.apache.spark.sql.catalyst.plans.physical.Partitioning;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.UnaryExecNode;
import scala.Function1;
import scala.collection.immutable.IndexedSeq;
import scala.collection.immutable.Seq;

/**
 * Gives on what is below it, which stays in the driver. Spark's operators are sent to tasks with
 * all that is below them; in a chain of stages that is the whole chain, once for each stage.
 */
final class Cut extends SparkPlan implements UnaryExecNode {
  private static final long serialVersionUID = 1L;

  private final transient SparkPlan child;
  private final Seq<Attribute> output;

  Cut(SparkPlan child) {
    this.child = child;
    this.output = child.output();
  }

  @Override
  public SparkPlan child() {
    return child;
  }

  @Override
  public Seq<Attribute> output() {
    return output;
  }

  @Override
  public RDD<InternalRow> doExecute() {
    return child.execute();
  }

  @Override
  public Partitioning outputPartitioning() {
    return child.outputPartitioning();
  }

  @Override
  public Seq<SortOrder> outputOrdering() {
    return child.outputOrdering();
  }

  @Override
  public SparkPlan withNewChildInternal(SparkPlan other) {
    return new Cut(other);
  }

  @Override
  public Seq<SparkPlan> children() {
    return UnaryExecNode.super.children();
  }

  @Override
  public SparkPlan mapChildren(Function1<SparkPlan, SparkPlan> change) {
    return UnaryExecNode.super.mapChildren(change);
  }

  @Override
  public SparkPlan withNewChildrenInternal(IndexedSeq<SparkPlan> others) {
    return new Cut(others.apply(0));
  }

  @Override
  public String verboseStringWithOperatorId() {
    return UnaryExecNode.super.verboseStringWithOperatorId();
  }

  @Override
  public int productArity() {
    return 1;
  }

  @Override
  public Object productElement(int at) {
    return child;
  }

  @Override
  public boolean canEqual(Object other) {
    return other instanceof Cut;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Cut && ((Cut) other).child.equals(child);
  }

  @Override
  public int hashCode() {
    return 31 * child.hashCode();
  }
}
