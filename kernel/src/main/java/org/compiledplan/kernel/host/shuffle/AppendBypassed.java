package org.compiledplan.kernel.host.shuffle;

import org.compiledplan.kernel.host.runtime.Passing;
import org.compiledplan.kernel.host.spark.UnaryPlan;

import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.execution.SparkPlan;
import scala.Function1;
import scala.collection.Iterator;
import scala.jdk.javaapi.CollectionConverters;

/** Appends the rows that bypassed a stage to the output of its host. */
public final class PassAround extends UnaryPlan {
  /** Appends them; does not reference the plan, which stays in the driver. */
  private record Adding(Passing passing)
      implements Function1<Iterator<InternalRow>, Iterator<InternalRow>>, java.io.Serializable {
    @Override
    public Iterator<InternalRow> apply(Iterator<InternalRow> rows) {
      return rows.concat(() -> CollectionConverters.asScala(passing.taken()));
    }
  }

  private final Passing passing;

  public PassAround(SparkPlan host, Passing passing) {
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
