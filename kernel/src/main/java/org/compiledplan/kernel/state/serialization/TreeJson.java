package org.compiledplan.kernel.state.serialization;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.compiledplan.kernel.values.Struct;

/**
 * JSON form of {@link TreeFields} for people and tools: rows and structs are lists, maps are lists
 * of pairs, bytes are hexadecimal, decimals and times are strings, as are floating-point values
 * that JSON cannot represent.
 */
public final class TreeJson {
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

  private TreeJson() {}

  public static ObjectNode of(Tree tree) {
    ObjectNode node = NODES.objectNode();
    tree.forEach((name, value) -> node.set(name, of(value)));
    return node;
  }

  private static JsonNode of(Object value) {
    if (value == null) return NODES.nullNode();
    if (value instanceof Tree) return of((Tree) value);
    if (value instanceof Object[]) return list(Arrays.asList((Object[]) value));
    if (value instanceof Struct) return list(Arrays.asList(((Struct) value).fields()));
    if (value instanceof List) return list((List<?>) value);
    if (value instanceof Map) {
      ArrayNode pairs = NODES.arrayNode();
      ((Map<?, ?>) value).forEach((key, to) -> pairs.addArray().add(of(key)).add(of(to)));
      return pairs;
    }
    if (value instanceof byte[]) return NODES.textNode(HexFormat.of().formatHex((byte[]) value));
    if (value instanceof BigDecimal) return NODES.textNode(((BigDecimal) value).toPlainString());
    if (value instanceof Boolean) return NODES.booleanNode((Boolean) value);
    if (value instanceof Double || value instanceof Float) return floating((Number) value);
    if (value instanceof Number) return NODES.numberNode(((Number) value).longValue());
    return NODES.textNode(value.toString());
  }

  private static JsonNode floating(Number value) {
    double number = value.doubleValue();
    boolean negativeZero = number == 0 && 1 / number < 0;
    return Double.isFinite(number) && !negativeZero
        ? NODES.numberNode(number)
        : NODES.textNode(value.toString());
  }

  private static ArrayNode list(List<?> values) {
    ArrayNode list = NODES.arrayNode();
    for (Object value : values) list.add(of(value));
    return list;
  }
}
