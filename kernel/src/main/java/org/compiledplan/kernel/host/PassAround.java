package org.compiledplan.kernel.host;

import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.execution.SparkPlan;
import scala.Function1;
import scala.collection.Iterator;
import scala.jdk.javaapi.CollectionConverters;

/** Behind what the host of a stage gives, the rows that went around it. */
final class PassAround extends UnaryPlan {
  /** Adds them; has nothing of the plan, which stays in the driver. */
  private record Adding(Passing passing)
      implements Function1<Iterator<InternalRow>, Iterator<InternalRow>>, java.io.Serializable {
    @Override
    public Iterator<InternalRow> apply(Iterator<InternalRow> rows) {
      return rows.concat(() -> CollectionConverters.asScala(passing.taken()));
    }
  }

  private final Passing passing;

  PassAround(SparkPlan host, Passing passing) {
    super(host);
    this.passing = passing;
  }

  @Override
  public RDD<InternalRow> doExecute() {
    return mapped(new Adding(passing));
  }

  @Override
  public SparkPlan withNewChildInternal(SparkPlan newChild) {
    return new PassAround(newChild, passing);
  }
}
