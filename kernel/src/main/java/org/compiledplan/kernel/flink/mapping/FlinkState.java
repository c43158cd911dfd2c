package org.compiledplan.kernel.flink.mapping;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * A keyed state of Flink to write, as in the head of the neutral form.
 *
 * @param name its name
 * @param kind VALUE, MAP or LIST
 * @param userKey type of the keys of a map, else null
 * @param value type of the value, of a value of the map, or of an element of the list
 * @param ttl true if entries have a time of last write
 */
record FlinkState(String name, String kind, JsonNode userKey, JsonNode value, boolean ttl) {
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

  static FlinkState value(String name, JsonNode value, boolean ttl) {
    return new FlinkState(name, "VALUE", null, value, ttl);
  }

  static FlinkState map(String name, JsonNode userKey, JsonNode value, boolean ttl) {
    return new FlinkState(name, "MAP", userKey, value, ttl);
  }

  static FlinkState list(String name, JsonNode element, boolean ttl) {
    return new FlinkState(name, "LIST", null, element, ttl);
  }

  ObjectNode describe(JsonNode key) {
    ObjectNode node = NODES.objectNode().put("name", name);
    node.put("kind", kind);
    node.set("key", key);
    node.set("namespace", null);
    node.set("userKey", userKey);
    node.set("value", value);
    return node.put("ttl", ttl);
  }

  /** An entry; {@code userKey} is null unless the state is a map. */
  ObjectNode entry(JsonNode key, JsonNode userKey, JsonNode value, long written) {
    ObjectNode entry = NODES.objectNode().put("state", name);
    entry.set("key", key);
    if (kind.equals("MAP")) entry.set("uk", userKey);
    entry.set("value", value);
    if (!ttl) return entry;
    if (!kind.equals("LIST")) return entry.put("written", written);
    ArrayNode each = entry.putArray("writtenEach");
    for (int i = 0; i < value.size(); i++) each.add(written);
    return entry;
  }

  static ObjectNode type(String kind, JsonNode... parts) {
    ObjectNode type = NODES.objectNode();
    if (kind.equals("list")) type.set(kind, parts[0]);
    else type.set(kind, array(parts));
    return type;
  }

  static ArrayNode array(JsonNode... items) {
    ArrayNode array = NODES.arrayNode();
    for (JsonNode item : items) array.add(item);
    return array;
  }

  static JsonNode text(String text) {
    return NODES.textNode(text);
  }

  static JsonNode number(long number) {
    return NODES.numberNode(number);
  }
}
