package org.compiledplan.kernel.operators;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * An object of a stage's description that notes which of its fields are read. What is written there
 * and never read would be passed over silently, and so would a field that is read under another
 * name: {@link #finish} refuses both.
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

  /** The same JSON with all objects strict. */
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

  /** Whether an object has a field that former releases did not write; asking does not read it. */
  static boolean holds(JsonNode json, String field) {
    for (Map.Entry<String, JsonNode> property : json.properties()) {
      if (property.getKey().equals(field)) return true;
    }
    return false;
  }

  private void note(String field) {
    if (!unread.remove(field) && super.get(field) == null) missing.add(field);
  }

  /**
   * Refuses JSON that was not read as it is written.
   *
   * @param where what the JSON describes
   * @throws IllegalArgumentException if fields were not read, or fields were asked for that are not
   *     there
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
