package org.compiledplan.kernel.values;

import java.io.Serializable;
import java.util.Arrays;
import java.util.stream.Collectors;

/**
 * The type of a column in the kernel, which defines the Java class of its values.
 *
 * <p>Classes: {@code Boolean, Byte, Short, Integer, Long, Float, Double, BigDecimal, String,
 * byte[], LocalDate, LocalTime, Instant, LocalDateTime, Duration, Period}, {@link Struct} for rows,
 * {@code java.util.List} for arrays and {@code java.util.Map} for maps and multisets.
 *
 * @param kind the type without its parameters
 * @param precision total digits of a DECIMAL; 0 for other kinds
 * @param scale digits of a DECIMAL after the point; 0 for other kinds
 * @param children fields of a ROW, element of an ARRAY, key and value of a MAP
 */
public record ValueType(Kind kind, int precision, int scale, ValueType[] children)
    implements Serializable {
  private static final ValueType[] NONE = {};

  /** A type without its parameters. */
  public enum Kind {
    BOOLEAN,
    BYTE,
    SHORT,
    INT,
    LONG,
    FLOAT,
    DOUBLE,
    DECIMAL,
    STRING,
    BINARY,
    DATE,
    TIME,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    DAY_TIME,
    YEAR_MONTH,
    ROW,
    ARRAY,
    MAP
  }

  public static ValueType of(Kind kind) {
    return new ValueType(kind, 0, 0, NONE);
  }

  public static ValueType decimal(int precision, int scale) {
    return new ValueType(Kind.DECIMAL, precision, scale, NONE);
  }

  /** Returns a ROW, ARRAY or MAP with {@code children}. */
  public static ValueType nested(Kind kind, ValueType... children) {
    return new ValueType(kind, 0, 0, children);
  }

  /** Returns true if values are integers of class Byte, Short, Integer or Long. */
  public boolean isIntegral() {
    return kind == Kind.BYTE || kind == Kind.SHORT || kind == Kind.INT || kind == Kind.LONG;
  }

  /** Returns true if values are floating-point numbers of class Float or Double. */
  public boolean isFloating() {
    return kind == Kind.FLOAT || kind == Kind.DOUBLE;
  }

  /** Returns the number in the class of this integral type; wraps around on overflow. */
  public Object integral(long number) {
    return switch (kind) {
      case BYTE -> (byte) number;
      case SHORT -> (short) number;
      case INT -> (int) number;
      case LONG -> number;
      default -> throw new IllegalStateException(kind + " is not an integral type");
    };
  }

  /** Returns the type in Flink's notation; times have the precision that Spark stores. */
  public String text() {
    return switch (kind) {
      case BYTE -> "TINYINT";
      case SHORT -> "SMALLINT";
      case LONG -> "BIGINT";
      case BINARY -> "BYTES";
      case TIME -> "TIME(6)";
      case TIMESTAMP -> "TIMESTAMP_LTZ(6)";
      case TIMESTAMP_NTZ -> "TIMESTAMP(6)";
      case DAY_TIME -> "INTERVAL DAY TO SECOND(6)";
      case YEAR_MONTH -> "INTERVAL YEAR TO MONTH";
      case ROW, ARRAY, MAP ->
          Arrays.stream(children)
              .map(ValueType::text)
              .collect(Collectors.joining(", ", kind + "<", ">"));
      default -> toString();
    };
  }

  @Override
  public String toString() {
    return kind == Kind.DECIMAL ? "DECIMAL(" + precision + ", " + scale + ")" : kind.name();
  }
}
