package org.compiledplan.kernel.host;

import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.SortOrder;
import org.apache.spark.sql.execution.SortExec;
import org.apache.spark.sql.execution.SparkPlan;
import scala.collection.immutable.Seq;
import scala.reflect.ClassTag$;

/**
 * Brings the rows of a key together, in the place of a sort by key: what is above it asks for one,
 * and relies on nothing but that equal keys come one after the other.
 */
final class Gather extends UnaryPlan {
  private static final long serialVersionUID = 1L;

  /** Session option: bytes that a task holds at most before it sorts. */
  private static final String MOST_BYTES = "spark.compiledPlan.gatherBytes";

  private static final String DEFAULT_MOST_BYTES = "268435456";

  private final transient SortExec sort;
  private final transient Passing passing;

  /**
   * @param sort in the place of which it stands
   * @param passing where rows are put that go around what is above, null if none do
   */
  Gather(SortExec sort, Passing passing) {
    super(sort.child());
    this.sort = sort;
    this.passing = passing;
  }

  @Override
  public RDD<InternalRow> doExecute() {
    SortExec local = (SortExec) sort.withNewChildInternal(new Cut(child()));
    long most = Long.parseLong(conf().getConfString(MOST_BYTES, DEFAULT_MOST_BYTES));
    return child()
        .execute()
        .mapPartitions(
            new Gathering(local, most, passing), true, ClassTag$.MODULE$.apply(InternalRow.class));
  }

  @Override
  public Seq<SortOrder> outputOrdering() {
    return sort.sortOrder();
  }

  @Override
  public SparkPlan withNewChildInternal(SparkPlan other) {
    return new Gather((SortExec) sort.withNewChildInternal(other), passing);
  }
}
