package org.compiledplan.kernel.lookup;

import java.math.BigDecimal;
import java.sql.Date;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;

/** Values of Spark's types from and to JDBC. */
final class JdbcValues {
  private JdbcValues() {}

  static Object toJdbc(Object value) {
    if (value instanceof LocalDate) return Date.valueOf((LocalDate) value);
    if (value instanceof LocalDateTime) return Timestamp.valueOf((LocalDateTime) value);
    if (value instanceof Instant) return Timestamp.from((Instant) value);
    return value;
  }

  /** A column's value as a Spark type, given by its short name. */
  static Object fromJdbc(ResultSet row, int column, String type) throws SQLException {
    Object value = read(row, column, type);
    return row.wasNull() ? null : value;
  }

  private static Object read(ResultSet row, int column, String type) throws SQLException {
    if (type.startsWith("decimal")) {
      BigDecimal number = row.getBigDecimal(column);
      int scale = Integer.parseInt(type.substring(type.indexOf(',') + 1, type.indexOf(')')).trim());
      return number == null ? null : number.setScale(scale, java.math.RoundingMode.HALF_UP);
    }
    switch (type) {
      case "boolean":
        return row.getBoolean(column);
      case "tinyint":
        return row.getByte(column);
      case "smallint":
        return row.getShort(column);
      case "int":
        return row.getInt(column);
      case "bigint":
        return row.getLong(column);
      case "float":
        return row.getFloat(column);
      case "double":
        return row.getDouble(column);
      case "string":
        return row.getString(column);
      case "binary":
        return row.getBytes(column);
      case "date":
        {
          Date date = row.getDate(column);
          return date == null ? null : date.toLocalDate();
        }
      case "timestamp_ntz":
        {
          Timestamp time = row.getTimestamp(column);
          return time == null ? null : time.toLocalDateTime();
        }
      case "timestamp":
        {
          Timestamp time = row.getTimestamp(column);
          return time == null ? null : time.toInstant();
        }
      default:
        throw new IllegalArgumentException("columns of type " + type + " cannot be read over JDBC");
    }
  }
}
