package org.compiledplan.kernel.formats.base;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.apache.spark.sql.catalyst.util.ArrayBasedMapData;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.sql.catalyst.util.MapData;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.unsafe.types.UTF8String;

/** Values in Spark's internal form. */
public final class SparkValues {
  private SparkValues() {}

  /**
   * A decimal of the column's precision and scale, rounded half up; null if it does not fit, as in
   * Flink.
   */
  public static Decimal decimal(BigDecimal value, int precision, int scale) {
    BigDecimal fitted = value.setScale(scale, RoundingMode.HALF_UP);
    return fitted.precision() > precision ? null : Decimal.apply(fitted, precision, scale);
  }

  /** Reads the value at a position of a row or array; it is not null. */
  @FunctionalInterface
  public interface Getter {
    Object get(SpecializedGetters values, int position);
  }

  /** The elements of an array; {@code missing} replaces nulls. */
  public static List<Object> list(ArrayData values, Getter element, Object missing) {
    List<Object> list = new ArrayList<>(values.numElements());
    for (int i = 0; i < values.numElements(); i++)
      list.add(values.isNullAt(i) ? missing : element.get(values, i));
    return list;
  }

  public static MapData map(Map<?, ?> values) {
    return new ArrayBasedMapData(
        new GenericArrayData(values.keySet().toArray()),
        new GenericArrayData(values.values().toArray()));
  }

  public static UTF8String text(String value) {
    return UTF8String.fromString(value);
  }

  public static String mismatch(Object value, String type) {
    return DataException.shown(value) + " cannot be read as " + type;
  }
}
