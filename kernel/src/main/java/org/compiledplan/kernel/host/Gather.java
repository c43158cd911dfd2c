package org.compiledplan.kernel.host;

import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.SortOrder;
import org.apache.spark.sql.execution.SortExec;
import org.apache.spark.sql.execution.SparkPlan;
import scala.collection.immutable.Seq;

/**
 * Brings the rows of a key together, in the place of a sort by key: what is above it asks for one,
 * and relies on nothing but that equal keys come one after the other.
 */
final class Gather extends UnaryPlan {
  /** What a task holds at most before it sorts. */
  private static final ByteOption MOST_BYTES =
      new ByteOption("spark.compiledPlan.gatherBytes", 256L << 20);

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
    long most = MOST_BYTES.of(conf().getConfString(MOST_BYTES.name(), null));
    return mapped(new Gathering(local, most, passing));
  }

  @Override
  public Seq<SortOrder> outputOrdering() {
    return sort.sortOrder();
  }

  @Override
  public SparkPlan withNewChildInternal(SparkPlan newChild) {
    return new Gather((SortExec) sort.withNewChildInternal(newChild), passing);
  }
}
