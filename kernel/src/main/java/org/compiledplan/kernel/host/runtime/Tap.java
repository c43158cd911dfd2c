package org.compiledplan.kernel.host.runtime;

import java.io.Serializable;
import java.util.List;
import java.util.TreeMap;
import org.apache.spark.SparkContext;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection$;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.catalyst.plans.logical.LocalRelation;
import org.apache.spark.sql.catalyst.types.DataTypeUtils;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.connector.read.streaming.SparkDataStream;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.util.CollectionAccumulator;
import org.compiledplan.kernel.host.Conditions;
import org.compiledplan.kernel.host.spark.Plans;
import scala.Option;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Copies rows that are computed from those that an operator emits, at most a number per task. It
 * exists while rows are requested, and travels to the tasks with the stage's counters. An error
 * ends the copying and not the task.
 */
final class Tap implements Serializable {
  /** A row, or the error instead of it; {@code number} counts within the task's partition. */
  private record Copied(int partition, int number, UnsafeRow row, String error)
      implements Serializable {}

  private final Expression rows;
  private final StructType schema;
  private final int count;
  private final CollectionAccumulator<Copied> copied = new CollectionAccumulator<>();

  private transient UnsafeProjection projection;
  private transient int number;

  /**
   * @param output the operator's stage
   * @param rows an array of rows for each row of the stage
   * @param count maximum number of rows per task
   */
  Tap(Dataset<Row> output, Column rows, int count) {
    this.rows = Conditions.bound(output, rows);
    schema = (StructType) ((ArrayType) this.rows.dataType()).elementType();
    this.count = count;
    SparkContext context = output.sparkSession().sparkContext();
    // Without a name, which would show the rows in Spark's UI.
    context.register(copied);
  }

  /** Copies what is computed from a row that the operator emits. */
  void take(InternalRow emitted) {
    if (number >= count) return;
    int partition = TaskContext.getPartitionId();
    try {
      if (projection == null) {
        projection = UnsafeProjection$.MODULE$.create(rows);
        projection.initialize(partition);
      }
      ArrayData array = projection.apply(emitted).getArray(0);
      for (int i = 0; i < array.numElements() && number < count; i++) {
        UnsafeRow row = (UnsafeRow) array.getStruct(i, schema.length());
        copied.add(new Copied(partition, number++, row.copy(), null));
      }
    } catch (RuntimeException | LinkageError error) {
      copied.add(new Copied(partition, number, null, String.valueOf(error.getMessage())));
      number = count;
    }
  }

  /**
   * The copied rows; those of a repeated task once.
   *
   * @throws IllegalStateException if rows could not be computed
   */
  @SuppressWarnings("unchecked")
  Dataset<Row> rows(Dataset<Row> within) {
    TreeMap<Long, InternalRow> byPlace = new TreeMap<>();
    for (Copied next : copied.value()) {
      if (next.error != null) throw new IllegalStateException(next.error);
      byPlace.put((long) next.partition << Integer.SIZE | next.number, next.row);
    }
    return Plans.frame(
        within,
        new LocalRelation(
            (Seq<Attribute>) (Seq<?>) DataTypeUtils.toAttributes(schema),
            CollectionConverters.asScala(List.copyOf(byPlace.values())).toSeq(),
            false,
            Option.<SparkDataStream>empty()));
  }
}
