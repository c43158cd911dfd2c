package org.compiledplan.kernel.jdbc;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.sql.Date;
import java.sql.Time;
import java.sql.Timestamp;
import java.util.ArrayList;
import java.util.List;
import scala.jdk.javaapi.CollectionConverters;

/** Arrays from a driver as Spark's sequences. */
final class JdbcArrays {
  private JdbcArrays() {}

  /** Converts an array; {@code type} is the Spark type of its elements. */
  static Object toSpark(Object array, String type) {
    List<Object> elements = new ArrayList<>();
    for (Object item : (Object[]) array) {
      boolean nested = item != null && type.startsWith("array<");
      elements.add(
          nested ? toSpark(item, type.substring(6, type.length() - 1)) : element(item, type));
    }
    return CollectionConverters.asScala(elements).toSeq();
  }

  private static Object element(Object value, String type) {
    if (value == null) return null;
    if (type.startsWith("decimal")) {
      int scale = Integer.parseInt(type.substring(type.indexOf(',') + 1, type.indexOf(')')).trim());
      return ((BigDecimal) value).setScale(scale, RoundingMode.HALF_UP);
    }
    return switch (type) {
      case "tinyint" -> ((Number) value).byteValue();
      case "smallint" -> ((Number) value).shortValue();
      case "date" -> ((Date) value).toLocalDate();
      case "time" -> (int) (((Time) value).toLocalTime().toNanoOfDay() / 1_000_000);
      case "timestamp_ntz" -> ((Timestamp) value).toLocalDateTime();
      case "timestamp" -> ((Timestamp) value).toInstant();
      default -> value;
    };
  }
}
