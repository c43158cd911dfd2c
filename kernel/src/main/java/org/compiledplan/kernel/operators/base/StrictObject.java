package org.compiledplan.kernel.operators.base;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * A JSON object of a stage's description that tracks field access. An unread field would be ignored
 * silently, and so would a field read under another name: {@link #finish} throws for both.
 */
@SuppressWarnings("unchecked") // ObjectNode.deepCopy
public final class StrictObject extends ObjectNode {
  private final Set<String> unread = new TreeSet<>();
  private final Set<String> missing = new TreeSet<>();

  private StrictObject(ObjectNode from) {
    super(JsonNodeFactory.instance);
    for (Map.Entry<String, JsonNode> field : from.properties()) {
      unread.add(field.getKey());
      replace(field.getKey(), of(field.getValue()));
    }
  }

  /** Returns the same JSON with all objects strict. */
  public static JsonNode of(JsonNode json) {
    if (json.isObject()) return new StrictObject((ObjectNode) json);
    if (!json.isArray()) return json;
    ArrayNode array = JsonNodeFactory.instance.arrayNode();
    for (JsonNode item : json) array.add(of(item));
    return array;
  }

  @Override
  public JsonNode get(String field) {
    note(field);
    return super.get(field);
  }

  @Override
  public JsonNode path(String field) {
    note(field);
    return super.path(field);
  }

  /**
   * Returns true if an object has a field that earlier releases did not write; does not count as
   * reading.
   */
  public static boolean holds(JsonNode json, String field) {
    for (Map.Entry<String, JsonNode> property : json.properties()) {
      if (property.getKey().equals(field)) return true;
    }
    return false;
  }

  private void note(String field) {
    if (!unread.remove(field) && super.get(field) == null) missing.add(field);
  }

  /**
   * Throws if the JSON has unread fields or missing fields were read.
   *
   * @param where subject of the JSON, for the message
   * @throws IllegalArgumentException naming the fields
   */
  public static void finish(JsonNode json, String where) {
    Collection<String> unread = new TreeSet<>();
    Collection<String> missing = new TreeSet<>();
    collect(json, "", unread, missing);
    if (!missing.isEmpty()) {
      throw new IllegalArgumentException(where + " needs the fields " + String.join(", ", missing));
    }
    if (!unread.isEmpty()) {
      throw new IllegalArgumentException(
          where + " has fields that the kernel does not read: " + String.join(", ", unread));
    }
  }

  private static void collect(
      JsonNode json, String path, Collection<String> unread, Collection<String> missing) {
    if (json instanceof StrictObject object) {
      object.missing.forEach(field -> missing.add(path + field));
      object.unread.forEach(field -> unread.add(path + field));
      for (Map.Entry<String, JsonNode> field : object.properties()) {
        if (object.unread.contains(field.getKey())) continue;
        collect(field.getValue(), path + field.getKey() + ".", unread, missing);
      }
    }
    if (json.isArray()) json.forEach(item -> collect(item, path, unread, missing));
  }
}
