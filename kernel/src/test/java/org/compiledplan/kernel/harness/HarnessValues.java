package org.compiledplan.kernel.harness;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.compiledplan.kernel.values.ValueType;
import org.compiledplan.kernel.values.ValueType.Kind;

/** Types by name and values as JSON: decimals and times as text, bytes in hexadecimal. */
final class HarnessValues {
  private static final Pattern DECIMAL = Pattern.compile("DECIMAL\\((\\d+), *(\\d+)\\)");
  private static final Pattern ARRAY = Pattern.compile("ARRAY<(.+)>");

  private HarnessValues() {}

  static ValueType[] types(JsonNode names) {
    ValueType[] types = new ValueType[names.size()];
    for (int i = 0; i < types.length; i++) types[i] = type(names.get(i).asText());
    return types;
  }

  private static ValueType type(String name) {
    Matcher decimal = DECIMAL.matcher(name);
    if (decimal.matches()) {
      return ValueType.decimal(
          Integer.parseInt(decimal.group(1)), Integer.parseInt(decimal.group(2)));
    }
    Matcher array = ARRAY.matcher(name);
    if (array.matches()) return ValueType.nested(Kind.ARRAY, type(array.group(1)));
    if (name.equals("MULTISET")) return ValueType.nested(Kind.MAP, type("STRING"), type("INT"));
    return ValueType.of(name.equals("BIGINT") ? Kind.LONG : Kind.valueOf(name));
  }

  static Object[] row(JsonNode values, ValueType[] types) {
    Object[] row = new Object[types.length];
    for (int i = 0; i < values.size(); i++) row[i] = value(values.get(i), types[i]);
    return row;
  }

  private static Object value(JsonNode node, ValueType type) {
    if (node.isNull()) return null;
    return switch (type.kind()) {
      case BOOLEAN -> node.asBoolean();
      case BYTE, SHORT, INT, LONG -> type.integral(node.asLong());
      case FLOAT -> (float) node.asDouble();
      case DOUBLE -> node.asDouble();
      case DECIMAL -> new BigDecimal(node.asText()).setScale(type.scale());
      case STRING -> node.asText();
      case BINARY -> HexFormat.of().parseHex(node.asText());
      case DATE -> LocalDate.parse(node.asText());
      case ARRAY -> {
        List<Object> elements = new ArrayList<>();
        for (JsonNode element : node) elements.add(value(element, type.children()[0]));
        yield elements;
      }
      case TIMESTAMP -> Instant.parse(node.asText());
      case TIMESTAMP_NTZ -> LocalDateTime.parse(node.asText());
      default ->
          throw new IllegalArgumentException("no values of type " + type + " in the harness");
    };
  }

  static JsonNode toJson(Object value, ObjectMapper mapper) {
    if (value instanceof List) {
      ArrayNode array = mapper.createArrayNode();
      for (Object element : (List<?>) value) array.add(toJson(element, mapper));
      return array;
    }
    if (value instanceof Map) {
      ArrayNode array = mapper.createArrayNode();
      ((Map<?, ?>) value)
          .forEach(
              (key, count) -> array.addArray().add(toJson(key, mapper)).add(toJson(count, mapper)));
      return array;
    }
    if (value instanceof byte[])
      return mapper.valueToTree(HexFormat.of().formatHex((byte[]) value));
    if (value instanceof BigDecimal)
      return mapper.valueToTree(((BigDecimal) value).toPlainString());
    if (value instanceof LocalDate || value instanceof LocalDateTime || value instanceof Instant) {
      return mapper.valueToTree(value.toString());
    }
    return mapper.valueToTree(value);
  }
}
