package org.compiledplan.kernel.formats.base;

import java.util.Arrays;
import java.util.List;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.objects.Invoke;
import org.apache.spark.sql.classic.ExpressionUtils;
import org.apache.spark.sql.types.AbstractDataType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.ObjectType;
import scala.jdk.javaapi.CollectionConverters;

/** Method calls on Spark's internal values, without the conversions of a user-defined function. */
public final class Calls {
  private Calls() {}

  /**
   * A column that calls a deterministic method of an object for each row.
   *
   * @param target the object; each task gets its own copy
   * @param type the public class that declares the method
   * @param returns the Spark type whose internal form the method returns
   * @param arguments in the order of the method's parameters; only those of object types may be
   *     null
   */
  public static Column column(
      Object target, Class<?> type, String method, DataType returns, Column... arguments) {
    return column(target, type, method, returns, true, arguments);
  }

  /**
   * Like {@link #column}, but called exactly once per row and in row order: for objects with state
   * between calls, or expensive calls. Spark repeats calls that it considers pure, for example in
   * the filters that it pushes below a generator of rows.
   */
  public static Column columnInOrder(
      Object target, Class<?> type, String method, DataType returns, Column... arguments) {
    return column(target, type, method, returns, false, arguments);
  }

  private static Column column(
      Object target,
      Class<?> type,
      String method,
      DataType returns,
      boolean isPure,
      Column... arguments) {
    List<Expression> inputs = Arrays.stream(arguments).map(ExpressionUtils::expression).toList();
    return ExpressionUtils.column(invoke(target, type, method, returns, inputs, false, isPure));
  }

  /**
   * The expression of such a call.
   *
   * @param nullOfNull true if the result is null without a call when an argument is null
   */
  public static Expression invoke(
      Object target,
      Class<?> type,
      String method,
      DataType returns,
      List<Expression> arguments,
      boolean nullOfNull,
      boolean isPure) {
    return new Invoke(
        new Literal(target, new ObjectType(type)),
        method,
        returns,
        CollectionConverters.asScala(arguments).toSeq(),
        CollectionConverters.asScala(List.<AbstractDataType>of()).toSeq(),
        nullOfNull,
        true,
        isPure);
  }
}
