package org.compiledplan.kernel.flink.mapping;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.io.IOException;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.Period;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.compiledplan.kernel.state.serialization.StateFormatException;
import org.compiledplan.kernel.values.Struct;
import org.compiledplan.kernel.values.ValueType;

/** Values of the neutral form of a savepoint as the kernel's values, and the way back. */
final class FlinkValues {
  private static final int NANOS_OF_MICRO = 1000;
  private static final int NANOS_OF_MILLI = 1_000_000;
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

  private FlinkValues() {}

  /**
   * Converts a value.
   *
   * @throws StateFormatException if it is no value of {@code type}
   */
  static Object of(JsonNode value, ValueType type) {
    if (value == null || value.isNull()) return null;
    ValueType[] parts = type.children();
    try {
      return switch (type.kind()) {
        case BOOLEAN -> value.booleanValue();
        case BYTE, SHORT, INT, LONG -> type.integral(integer(value));
        case FLOAT ->
            value.isTextual() ? Float.valueOf(value.asText()) : (Object) value.floatValue();
        case DOUBLE ->
            value.isTextual() ? Double.valueOf(value.asText()) : (Object) value.doubleValue();
        case DECIMAL -> new BigDecimal(value.asText()).setScale(type.scale());
        case STRING -> text(value);
        case BINARY -> value.binaryValue();
        case DATE -> LocalDate.ofEpochDay(integer(value));
        case TIME -> LocalTime.ofNanoOfDay(integer(value) * 1_000_000);
        case TIMESTAMP -> instant(value);
        case TIMESTAMP_NTZ -> LocalDateTime.ofInstant(instant(value), ZoneOffset.UTC);
        case DAY_TIME -> Duration.ofMillis(integer(value));
        case YEAR_MONTH -> Period.ofMonths(Math.toIntExact(integer(value))).normalized();
        case ROW -> new Struct(row(value, parts));
        case ARRAY -> list(value, parts[0]);
        case MAP -> map(value, parts[0], parts[1]);
      };
    } catch (IOException | ArithmeticException | NumberFormatException error) {
      throw new StateFormatException(shown(value) + " is no " + type.text());
    }
  }

  /**
   * Converts the columns of a row.
   *
   * @throws StateFormatException if it has another number of columns
   */
  static Object[] row(JsonNode value, ValueType[] types) {
    if (!value.isArray() || value.size() != types.length) {
      throw new StateFormatException(
          "a row of " + types.length + " columns is expected instead of " + shown(value));
    }
    Object[] row = new Object[types.length];
    for (int i = 0; i < row.length; i++) row[i] = of(value.get(i), types[i]);
    return row;
  }

  static List<Object> list(JsonNode value, ValueType element) {
    List<Object> list = new ArrayList<>(value.size());
    for (JsonNode item : value) list.add(of(item, element));
    return list;
  }

  private static Map<Object, Object> map(JsonNode value, ValueType key, ValueType to) {
    Map<Object, Object> map = new LinkedHashMap<>();
    for (JsonNode pair : value) map.put(of(pair.get(0), key), of(pair.get(1), to));
    return map;
  }

  /** Converts a value of {@code type} into the neutral form. */
  static JsonNode toJson(Object value, ValueType type) {
    if (value == null) return NODES.nullNode();
    ValueType[] parts = type.children();
    return switch (type.kind()) {
      case BOOLEAN -> NODES.booleanNode((Boolean) value);
      case BYTE, SHORT, INT, LONG -> NODES.numberNode(((Number) value).longValue());
      case FLOAT -> real((Float) value, NODES.numberNode((Float) value));
      case DOUBLE -> real((Double) value, NODES.numberNode((Double) value));
      case DECIMAL -> NODES.textNode(((BigDecimal) value).setScale(type.scale()).toPlainString());
      case STRING -> NODES.textNode((String) value);
      case BINARY -> NODES.binaryNode((byte[]) value);
      case DATE -> NODES.numberNode(((LocalDate) value).toEpochDay());
      case TIME -> NODES.numberNode(((LocalTime) value).toNanoOfDay() / NANOS_OF_MILLI);
      case TIMESTAMP -> time((Instant) value);
      case TIMESTAMP_NTZ -> time(((LocalDateTime) value).toInstant(ZoneOffset.UTC));
      case DAY_TIME -> NODES.numberNode(((Duration) value).toMillis());
      case YEAR_MONTH -> NODES.numberNode(((Period) value).toTotalMonths());
      case ROW -> toJson(((Struct) value).fields(), parts);
      case ARRAY -> {
        ArrayNode array = NODES.arrayNode();
        for (Object item : (List<?>) value) array.add(toJson(item, parts[0]));
        yield array;
      }
      case MAP -> {
        ArrayNode array = NODES.arrayNode();
        for (Map.Entry<?, ?> entry : ((Map<?, ?>) value).entrySet())
          array
              .addArray()
              .add(toJson(entry.getKey(), parts[0]))
              .add(toJson(entry.getValue(), parts[1]));
        yield array;
      }
    };
  }

  /** Converts a row. */
  static ArrayNode toJson(Object[] row, ValueType[] types) {
    ArrayNode array = NODES.arrayNode();
    for (int i = 0; i < types.length; i++) array.add(toJson(row[i], types[i]));
    return array;
  }

  private static JsonNode real(double value, JsonNode finite) {
    if (Double.isFinite(value) && !(value == 0 && 1 / value < 0)) return finite;
    return NODES.textNode(value == 0 ? "-0.0" : Double.toString(value));
  }

  private static JsonNode time(Instant instant) {
    return NODES.arrayNode().add(instant.toEpochMilli()).add(instant.getNano() % NANOS_OF_MILLI);
  }

  private static long integer(JsonNode value) {
    if (!value.canConvertToLong() || !value.isIntegralNumber())
      throw new NumberFormatException(value.toString());
    return value.longValue();
  }

  private static String text(JsonNode value) {
    if (!value.isTextual()) throw new NumberFormatException(value.toString());
    return value.asText();
  }

  /** A pair of ms since 1970 and ns in that ms; columns have microseconds. */
  private static Instant instant(JsonNode value) {
    if (value.size() != 2) throw new NumberFormatException(value.toString());
    int nanos = value.get(1).intValue() / NANOS_OF_MICRO * NANOS_OF_MICRO;
    return Instant.ofEpochMilli(integer(value.get(0))).plusNanos(nanos);
  }

  /**
   * The ms since 1970 of a timestamp.
   *
   * @throws StateFormatException if it is null
   */
  static long millis(JsonNode timestamp) {
    if (timestamp.size() != 2) throw new StateFormatException(shown(timestamp) + " is no time");
    return timestamp.path(0).longValue();
  }

  private static String shown(JsonNode value) {
    String text = value.toString();
    return text.length() <= 100 ? text : text.substring(0, 100) + "...";
  }
}
