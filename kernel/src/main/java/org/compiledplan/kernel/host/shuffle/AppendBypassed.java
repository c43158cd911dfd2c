package org.compiledplan.kernel.host.shuffle;

import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.execution.SparkPlan;
import org.compiledplan.kernel.host.runtime.BypassedRows;
import org.compiledplan.kernel.host.spark.UnaryPlan;
import scala.Function1;
import scala.collection.Iterator;
import scala.jdk.javaapi.CollectionConverters;

/** Appends the rows that bypassed a stage to the output of its host. */
public final class AppendBypassed extends UnaryPlan {
  /** Appends them; does not reference the plan, which stays in the driver. */
  private record Adding(BypassedRows bypassed)
      implements Function1<Iterator<InternalRow>, Iterator<InternalRow>>, java.io.Serializable {
    @Override
    public Iterator<InternalRow> apply(Iterator<InternalRow> rows) {
      return rows.concat(() -> CollectionConverters.asScala(bypassed.taken()));
    }
  }

  private final BypassedRows bypassed;

  public AppendBypassed(SparkPlan host, BypassedRows bypassed) {
    super(host);
    this.bypassed = bypassed;
  }

  @Override
  public RDD<InternalRow> doExecute() {
    return mapped(new Adding(bypassed));
  }

  @Override
  public SparkPlan withNewChildInternal(SparkPlan newChild) {
    return new AppendBypassed(newChild, bypassed);
  }
}
