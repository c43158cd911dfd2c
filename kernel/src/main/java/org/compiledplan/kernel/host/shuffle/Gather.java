package org.compiledplan.kernel.host.shuffle;

import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.SortOrder;
import org.apache.spark.sql.execution.SortExec;
import org.apache.spark.sql.execution.SparkPlan;
import org.compiledplan.kernel.host.runtime.BypassedRows;
import org.compiledplan.kernel.host.spark.ByteOption;
import org.compiledplan.kernel.host.spark.UnaryPlan;
import scala.collection.immutable.Seq;

/**
 * Groups the rows by key in place of a sort by key: the operator above requires the sort, but
 * relies only on equal keys being adjacent.
 */
public final class Gather extends UnaryPlan {
  /** Upper bound of a task's memory before it sorts. */
  private static final ByteOption MOST_BYTES =
      new ByteOption("spark.compiledPlan.gatherBytes", 256L << 20);

  private final transient SortExec sort;
  private final transient BypassedRows bypassed;

  /**
   * @param sort the sort that it replaces
   * @param bypassed receives rows that bypass the operator above, null if there are none
   */
  public Gather(SortExec sort, BypassedRows bypassed) {
    super(sort.child());
    this.sort = sort;
    this.bypassed = bypassed;
  }

  @Override
  public RDD<InternalRow> doExecute() {
    long maxBytes = MOST_BYTES.of(conf().getConfString(MOST_BYTES.name(), null));
    return mapped(new Gathering(child().schema(), maxBytes, bypassed));
  }

  @Override
  public Seq<SortOrder> outputOrdering() {
    return sort.sortOrder();
  }

  @Override
  public SparkPlan withNewChildInternal(SparkPlan newChild) {
    return new Gather((SortExec) sort.withNewChildInternal(newChild), bypassed);
  }
}
