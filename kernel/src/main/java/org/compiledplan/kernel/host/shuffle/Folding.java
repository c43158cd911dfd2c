package org.compiledplan.kernel.host.shuffle;

import java.io.Serializable;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;
import org.compiledplan.kernel.host.Conditions;
import org.compiledplan.kernel.host.runtime.StageRuntime;
import org.compiledplan.kernel.host.runtime.StageSpec;
import org.compiledplan.kernel.host.spark.SparkTypes;
import org.compiledplan.kernel.operators.base.Operator;
import scala.Function1;
import scala.collection.Iterator;
import scala.jdk.javaapi.CollectionConverters;

/** Pre-aggregates the rows of a key before the shuffle, for operators that support it. */
public record Folding(StageSpec spec, Set<String> uids)
    implements Function1<Iterator<Object>, Iterator<Object>>, Serializable {
  /** The pre-aggregation of a stage, null if none of its operators supports it. */
  public static Folding of(StageSpec spec) {
    Set<String> uids =
        spec.operators.stream()
            // Pre-aggregates count late rows without keeping them.
            .filter(part -> !part.emitsLateRows() && operator(part).partial() != null)
            .map(part -> part.uid)
            .collect(Collectors.toSet());
    return uids.isEmpty() ? null : new Folding(spec, uids);
  }

  /** The columns of a stage's rows, pre-aggregated or not. */
  public static StructType schema(StageSpec spec) {
    return spec.inputSchema.add(StageSpec.PARTIAL, DataTypes.BinaryType, true);
  }

  /** Value of the last column in rows that are not pre-aggregated. */
  public static Column none() {
    return functions.lit(null).cast(DataTypes.BinaryType);
  }

  private static Operator operator(StageSpec.OperatorPart part) {
    return StageRuntime.create(part, Conditions::load);
  }

  @Override
  @SuppressWarnings("unchecked")
  public Iterator<Object> apply(Iterator<Object> rows) {
    Map<UTF8String, FoldedRows.Folded> folded = new HashMap<>();
    for (StageSpec.OperatorPart part : spec.operators) {
      if (!uids.contains(part.uid)) continue;
      // Operators that support it have one input.
      SparkTypes.Reader[] readers = SparkTypes.fromSpark(part.inputs[0]);
      UTF8String op = UTF8String.fromString(part.uid);
      folded.put(op, new FoldedRows.Folded(op, operator(part), part.columns[0], readers));
    }
    java.util.Iterator<?> input = CollectionConverters.asJava(rows);
    return CollectionConverters.asScala(
        new FoldedRows(spec, folded, (java.util.Iterator<InternalRow>) input));
  }
}
