package org.compiledplan.kernel.jdbc;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.sql.Array;
import java.sql.Date;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Time;
import java.sql.Timestamp;
import java.sql.Types;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.ChronoField;
import java.util.List;
import java.util.Map;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Conversions between values of Spark's types and JDBC. A type is Spark's short name, and {@code
 * time} for an integer in milliseconds of the day.
 */
public enum JdbcValues {
  /** Supported by all drivers: classes of java.sql, in the JVM's time zone. */
  SQL {
    @Override
    Object date(LocalDate value) {
      return Date.valueOf(value);
    }

    @Override
    Object time(LocalTime value) {
      return Time.valueOf(value);
    }

    @Override
    Object timestamp(LocalDateTime value) {
      return Timestamp.valueOf(value);
    }

    @Override
    Object instant(Instant value) {
      return Timestamp.from(value);
    }
  },
  /** Classes of java.time, since JDBC 4.2. */
  TIME {
    @Override
    Object instant(Instant value) {
      return value.atOffset(ZoneOffset.UTC);
    }

    @Override
    Object temporal(ResultSet row, int column, String type) throws SQLException {
      return switch (type) {
        case "date" -> row.getObject(column, LocalDate.class);
        case "time" -> row.getObject(column, LocalTime.class);
        case "timestamp_ntz" -> row.getObject(column, LocalDateTime.class);
        default -> {
          OffsetDateTime value = row.getObject(column, OffsetDateTime.class);
          yield value == null ? null : value.toInstant();
        }
      };
    }
  },
  /** Texts, for databases without types for times: {@code 2024-01-02 03:04:05.678}, in UTC. */
  TEXT {
    @Override
    Object date(LocalDate value) {
      return value.toString();
    }

    @Override
    Object time(LocalTime value) {
      return CLOCK.format(value);
    }

    @Override
    Object timestamp(LocalDateTime value) {
      return value.toLocalDate() + " " + CLOCK.format(value);
    }

    @Override
    Object instant(Instant value) {
      return timestamp(LocalDateTime.ofInstant(value, ZoneOffset.UTC));
    }

    @Override
    Object temporal(ResultSet row, int column, String type) throws SQLException {
      String text = row.getString(column);
      if (text == null) return null;
      return switch (type) {
        case "date" -> LocalDate.parse(text);
        case "time" -> LocalTime.parse(text);
        default -> {
          String iso = text.replace(' ', 'T');
          LocalDateTime value =
              iso.contains("T") ? LocalDateTime.parse(iso) : LocalDate.parse(iso).atStartOfDay();
          yield type.equals("timestamp_ntz") ? value : value.toInstant(ZoneOffset.UTC);
        }
      };
    }
  };

  private static final DateTimeFormatter CLOCK =
      new DateTimeFormatterBuilder()
          .appendPattern("HH:mm:ss")
          .appendFraction(ChronoField.NANO_OF_SECOND, 0, 9, true)
          .toFormatter();

  /** PostgreSQL's names of array element types. */
  private static final Map<String, String> ELEMENTS =
      Map.ofEntries(
          Map.entry("boolean", "bool"),
          Map.entry("tinyint", "int2"),
          Map.entry("smallint", "int2"),
          Map.entry("int", "int4"),
          Map.entry("bigint", "int8"),
          Map.entry("float", "float4"),
          Map.entry("double", "float8"),
          Map.entry("string", "text"),
          Map.entry("binary", "bytea"),
          Map.entry("date", "date"),
          Map.entry("time", "time"),
          Map.entry("timestamp_ntz", "timestamp"),
          Map.entry("timestamp", "timestamptz"));

  Object date(LocalDate value) {
    return value;
  }

  Object time(LocalTime value) {
    return value;
  }

  Object timestamp(LocalDateTime value) {
    return value;
  }

  abstract Object instant(Instant value);

  Object temporal(ResultSet row, int column, String type) throws SQLException {
    switch (type) {
      case "date" -> {
        Date date = row.getDate(column);
        return date == null ? null : date.toLocalDate();
      }
      case "time" -> {
        Time time = row.getTime(column);
        return time == null ? null : time.toLocalTime();
      }
      default -> {
        Timestamp value = row.getTimestamp(column);
        if (value == null) return null;
        return type.equals("timestamp_ntz") ? value.toLocalDateTime() : value.toInstant();
      }
    }
  }

  public static String[] types(JsonNode spec) {
    String[] types = new String[spec.path("types").size()];
    for (int i = 0; i < types.length; i++) types[i] = spec.path("types").get(i).asText();
    return types;
  }

  public void set(PreparedStatement to, int at, String type, Object value) throws SQLException {
    if (value == null) to.setNull(at, this == SQL ? nullType(type) : Types.NULL);
    else if (type.startsWith("array<"))
      to.setArray(
          at, to.getConnection().createArrayOf(element(type), elements(value, inner(type))));
    else if (value instanceof byte[]) to.setBytes(at, (byte[]) value);
    else if (value instanceof Byte) to.setShort(at, ((Byte) value).shortValue());
    else if (this == TEXT && value instanceof BigDecimal)
      to.setString(at, ((BigDecimal) value).toPlainString());
    else to.setObject(at, toJdbc(value, type));
  }

  /** Converts a value into an object that a driver accepts. */
  public Object toJdbc(Object value, String type) {
    if (type.equals("time")) return time(LocalTime.ofNanoOfDay((Integer) value * 1_000_000L));
    if (value instanceof LocalDate) return date((LocalDate) value);
    if (value instanceof LocalDateTime) return timestamp((LocalDateTime) value);
    if (value instanceof Instant) return instant((Instant) value);
    return value;
  }

  private int nullType(String type) {
    if (type.startsWith("decimal")) return Types.NUMERIC;
    return switch (type) {
      case "boolean" -> Types.BOOLEAN;
      case "tinyint", "smallint" -> Types.SMALLINT;
      case "int" -> Types.INTEGER;
      case "bigint" -> Types.BIGINT;
      case "float" -> Types.REAL;
      case "double" -> Types.DOUBLE;
      case "binary" -> Types.VARBINARY;
      case "date" -> Types.DATE;
      case "time" -> Types.TIME;
      case "timestamp_ntz", "timestamp" -> Types.TIMESTAMP;
      default -> Types.VARCHAR;
    };
  }

  private static String inner(String type) {
    return type.substring("array<".length(), type.length() - 1);
  }

  /** The name of an array's element type; of nested arrays the innermost. */
  private static String element(String type) {
    String element = inner(type);
    while (element.startsWith("array<")) element = inner(element);
    return element.startsWith("decimal") ? "numeric" : ELEMENTS.get(element);
  }

  private Object[] elements(Object value, String type) {
    List<?> items =
        value instanceof scala.collection.Seq
            ? CollectionConverters.asJava((scala.collection.Seq<?>) value)
            : (List<?>) value;
    // Drivers write other objects as text, which bytes do not have.
    Object[] jdbc = type.equals("binary") ? new byte[items.size()][] : new Object[items.size()];
    for (int i = 0; i < jdbc.length; i++) {
      Object item = items.get(i);
      if (item == null) continue;
      jdbc[i] = type.startsWith("array<") ? elements(item, inner(type)) : toJdbc(item, type);
    }
    return jdbc;
  }

  /** Reads a column as a Spark type. */
  public Object fromJdbc(ResultSet row, int column, String type) throws SQLException {
    if (type.startsWith("array<")) {
      Array array = row.getArray(column);
      return array == null ? null : JdbcArrays.toSpark(array.getArray(), inner(type));
    }
    Object value = read(row, column, type);
    return row.wasNull() ? null : value;
  }

  private Object read(ResultSet row, int column, String type) throws SQLException {
    if (type.startsWith("decimal")) {
      BigDecimal number = row.getBigDecimal(column);
      int scale = Integer.parseInt(type.substring(type.indexOf(',') + 1, type.indexOf(')')).trim());
      return number == null ? null : number.setScale(scale, RoundingMode.HALF_UP);
    }
    return switch (type) {
      case "boolean" -> row.getBoolean(column);
      case "tinyint" -> row.getByte(column);
      case "smallint" -> row.getShort(column);
      case "int" -> row.getInt(column);
      case "bigint" -> row.getLong(column);
      case "float" -> row.getFloat(column);
      case "double" -> row.getDouble(column);
      case "string" -> row.getString(column);
      case "binary" -> row.getBytes(column);
      case "time" -> {
        LocalTime time = (LocalTime) temporal(row, column, type);
        yield time == null ? null : (int) (time.toNanoOfDay() / 1_000_000);
      }
      case "date", "timestamp_ntz", "timestamp" -> temporal(row, column, type);
      default ->
          throw new IllegalArgumentException(
              "columns of type " + type + " cannot be read over JDBC");
    };
  }
}
