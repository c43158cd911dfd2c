package org.compiledplan.kernel.functions;

import java.io.Serializable;
import java.util.List;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.objects.Invoke;
import org.apache.spark.sql.classic.ExpressionUtils;
import org.apache.spark.sql.types.AbstractDataType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.ObjectType;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Casts between TIMESTAMP and TIMESTAMP_NTZ in a session in UTC, where both are the same number of
 * microseconds. Spark's casts compute dates and times in the time zone: a tenth of the time of a
 * query over windows.
 */
public final class Moments implements Serializable {
  // Part of released checkpoints, which contain join conditions as serialized objects.
  private static final long serialVersionUID = 1L;

  private Moments() {}

  /** A TIMESTAMP_NTZ as TIMESTAMP; a TIMESTAMP is unchanged. */
  public static Column point(Column local) {
    return reinterpreted(local, DataTypes.TimestampType);
  }

  /** A TIMESTAMP as TIMESTAMP_NTZ. */
  public static Column local(Column point) {
    return reinterpreted(point, DataTypes.TimestampNTZType);
  }

  private static Column reinterpreted(Column column, DataType type) {
    List<Expression> input = List.of(ExpressionUtils.expression(column));
    return ExpressionUtils.column(
        new Invoke(
            new Literal(new Moments(), new ObjectType(Moments.class)),
            "same",
            type,
            CollectionConverters.asScala(input).toSeq(),
            CollectionConverters.asScala(List.<AbstractDataType>of()).toSeq(),
            true,
            false,
            true));
  }

  /** Returns the microseconds unchanged. */
  public long same(long micros) {
    return micros;
  }
}
