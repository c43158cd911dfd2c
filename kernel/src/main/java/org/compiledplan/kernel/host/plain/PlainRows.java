package org.compiledplan.kernel.host.plain;

import java.util.List;
import org.apache.spark.Partition;
import org.apache.spark.SparkContext;
import org.apache.spark.TaskContext;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.types.StructType;
import scala.jdk.javaapi.CollectionConverters;
import scala.reflect.ClassTag$;

/** A leaf of a plan whose rows are set before each batch of a {@link PlainQuery}. */
final class PlainRows extends RDD<InternalRow> {
  private record Whole(int index) implements Partition {}

  private List<InternalRow> rows = List.of();

  PlainRows(SparkContext context) {
    super(
        context,
        CollectionConverters.asScala(List.<org.apache.spark.Dependency<?>>of()).toSeq(),
        ClassTag$.MODULE$.apply(InternalRow.class));
  }

  void set(List<InternalRow> next) {
    rows = next;
  }

  /** The rows as a streaming DataFrame, so that its plan has watermarks. */
  Dataset<Row> frame(SparkSession session, StructType schema) {
    return ((org.apache.spark.sql.classic.SparkSession) session)
        .internalCreateDataFrame(this, schema, true);
  }

  @Override
  public scala.collection.Iterator<InternalRow> compute(Partition split, TaskContext context) {
    return CollectionConverters.asScala(rows.iterator());
  }

  @Override
  public Partition[] getPartitions() {
    return new Partition[] {new Whole(0)};
  }
}
