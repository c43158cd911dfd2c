package org.compiledplan.kernel.jdbc;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.sql.Date;
import java.sql.Time;
import java.sql.Timestamp;
import java.util.ArrayList;
import java.util.List;
import scala.jdk.javaapi.CollectionConverters;

/** Arrays that a driver gives, as Spark's sequences. */
final class JdbcArrays {
  private JdbcArrays() {}

  /** The values of an array, given the Spark type of its elements. */
  static Object toSpark(Object array, String type) {
    List<Object> found = new ArrayList<>();
    for (Object each : (Object[]) array) {
      boolean nested = each != null && type.startsWith("array<");
      found.add(nested ? toSpark(each, type.substring(6, type.length() - 1)) : element(each, type));
    }
    return CollectionConverters.asScala(found).toSeq();
  }

  private static Object element(Object value, String type) {
    if (value == null) return null;
    if (type.startsWith("decimal")) {
      int scale = Integer.parseInt(type.substring(type.indexOf(',') + 1, type.indexOf(')')).trim());
      return ((BigDecimal) value).setScale(scale, RoundingMode.HALF_UP);
    }
    switch (type) {
      case "tinyint":
        return ((Number) value).byteValue();
      case "smallint":
        return ((Number) value).shortValue();
      case "date":
        return ((Date) value).toLocalDate();
      case "time":
        return (int) (((Time) value).toLocalTime().toNanoOfDay() / 1_000_000);
      case "timestamp_ntz":
        return ((Timestamp) value).toLocalDateTime();
      case "timestamp":
        return ((Timestamp) value).toInstant();
      default:
        return value;
    }
  }
}
