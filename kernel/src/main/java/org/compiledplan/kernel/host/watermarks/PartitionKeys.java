package org.compiledplan.kernel.host.watermarks;

import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.Murmur3Hash;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.unsafe.types.UTF8String;
import scala.jdk.javaapi.CollectionConverters;

/** Keys that route control rows to the partitions of a stage. */
public final class PartitionKeys {
  private static final int SEED = 42;

  private PartitionKeys() {}

  /** Returns, per partition, a key that Spark's shuffle by (key, op) sends to it. */
  public static String[] of(String op, int partitions) {
    String[] result = new String[partitions];
    int left = partitions;
    for (int number = 0; left > 0; number++) {
      String key = "#" + number;
      List<Expression> both = List.of(text(key), text(op));
      int hash =
          (Integer)
              new Murmur3Hash(CollectionConverters.asScala(both).toSeq(), SEED)
                  .eval(InternalRow.empty());
      int at = Math.floorMod(hash, partitions);
      if (result[at] == null) {
        result[at] = key;
        left--;
      }
    }
    return result;
  }

  private static Expression text(String value) {
    return new Literal(UTF8String.fromString(value), DataTypes.StringType);
  }
}
