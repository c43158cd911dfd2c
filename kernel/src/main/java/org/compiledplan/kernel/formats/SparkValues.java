package org.compiledplan.kernel.formats;

import java.math.BigDecimal;
import java.math.RoundingMode;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.unsafe.types.UTF8String;

/** Values in Spark's internal form. */
final class SparkValues {
  private SparkValues() {}

  /**
   * A decimal of the column's precision and scale, rounded half up; null where it does not fit, as
   * in Flink.
   */
  static Decimal decimal(BigDecimal value, int precision, int scale) {
    BigDecimal fitted = value.setScale(scale, RoundingMode.HALF_UP);
    return fitted.precision() > precision ? null : Decimal.apply(fitted, precision, scale);
  }

  static UTF8String text(String value) {
    return UTF8String.fromString(value);
  }

  static String wanted(Object value, String type) {
    return DataException.shown(value) + " cannot be read as " + type;
  }
}
