package org.compiledplan.kernel.functions;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;

/**
 * A path into JSON: names, positions (negative from the end), slices, unions, `*`, `..` and
 * `length()`.
 *
 * <p>A path with `*`, `..`, a slice or a union is indefinite: its result is an array of all
 * matches. A definite path without a match fails in strict mode, the default, and yields null in
 * lax mode.
 */
final class JsonPath {
  private final boolean strict;
  private final List<Step> steps = new ArrayList<>();
  private boolean length;

  /**
   * One step: adds the matches within `node`; false if there are none, or if `node` is not the
   * required array.
   */
  private interface Step {
    boolean find(JsonNode node, List<JsonNode> matches);

    default boolean isMultiple() {
      return false;
    }
  }

  private JsonPath(boolean strict) {
    this.strict = strict;
  }

  /** Thrown for a malformed path, or one without a match. */
  static final class PathException extends RuntimeException {
    PathException(String message) {
      super(message);
    }
  }

  static JsonPath parse(String pathText) {
    String text = pathText.trim();
    boolean lax = text.regionMatches(true, 0, "lax ", 0, 4);
    if (lax) text = text.substring(4).trim();
    else if (text.regionMatches(true, 0, "strict ", 0, 7)) text = text.substring(7).trim();
    JsonPath path = new JsonPath(!lax);
    path.read(text);
    return path;
  }

  boolean isStrict() {
    return strict;
  }

  /**
   * Returns the value at the path; in lax mode null for a JSON null and for no match, which strict
   * mode rejects. A text that is just `null` fails in both modes.
   */
  JsonNode evaluate(JsonNode root) {
    if (root.isNull()) throw new PathException("a path into null leads nowhere");
    JsonNode value = follow(root);
    if (value != null && length) {
      value = value.isContainerNode() ? IntNode.valueOf(value.size()) : null;
    }
    if (value == null || value.isNull()) {
      if (strict) throw new PathException("the path leads nowhere");
      return null;
    }
    return value;
  }

  private JsonNode follow(JsonNode root) {
    List<JsonNode> nodes = List.of(root);
    boolean multiple = false;
    for (Step step : steps) {
      List<JsonNode> next = new ArrayList<>();
      for (JsonNode node : nodes) {
        if (!step.find(node, next) && !multiple) {
          // In lax mode an indefinite path without a match yields an empty array.
          return strict || steps.stream().noneMatch(Step::isMultiple)
              ? null
              : JsonNodeFactory.instance.arrayNode();
        }
      }
      multiple |= step.isMultiple();
      nodes = next;
    }
    if (!multiple) return nodes.get(0);
    ArrayNode all = JsonNodeFactory.instance.arrayNode();
    nodes.forEach(all::add);
    return all;
  }

  private void read(String text) {
    if (!text.startsWith("$")) throw new PathException("a path begins with $: " + text);
    int i = 1;
    while (i < text.length()) {
      if (text.startsWith("..", i)) {
        steps.add(DEEP);
        i += 2;
        if (i < text.length() && text.charAt(i) != '[') i = name(text, i);
      } else if (text.charAt(i) == '.') {
        i = name(text, i + 1);
      } else if (text.charAt(i) == '[') {
        i = bracket(text, i + 1);
      } else {
        throw new PathException("not a path: " + text);
      }
    }
  }

  private int name(String text, int start) {
    int end = start;
    while (end < text.length() && ".[ ".indexOf(text.charAt(end)) < 0) end++;
    String name = text.substring(start, end);
    if (name.isEmpty()) throw new PathException("not a path: " + text);
    if (name.equals("*")) {
      steps.add(ALL);
    } else if (name.equals("length()") || name.equals("size()")) {
      length = true;
    } else if (name.endsWith(")")) {
      throw new PathException("function " + name + " is not known in paths");
    } else {
      steps.add(property(name));
    }
    return end;
  }

  private int bracket(String text, int start) {
    List<String> names = new ArrayList<>();
    StringBuilder plain = new StringBuilder();
    int i = start;
    while (i < text.length() && text.charAt(i) != ']') {
      char c = text.charAt(i);
      if (c == '\'' || c == '"') {
        StringBuilder name = new StringBuilder();
        for (i++; i < text.length() && text.charAt(i) != c; i++) {
          if (text.charAt(i) == '\\' && i + 1 < text.length()) i++;
          name.append(text.charAt(i));
        }
        names.add(name.toString());
      } else {
        plain.append(c);
      }
      i++;
    }
    if (i >= text.length()) throw new PathException("a bracket is not closed: " + text);
    if (names.isEmpty()) {
      positions(plain.toString().trim(), text);
    } else if (names.size() == 1) {
      steps.add(property(names.get(0)));
    } else {
      boolean last = i + 1 == text.length();
      steps.add(last ? part(names) : union(false, names.stream().map(JsonPath::property).toList()));
    }
    return i + 1;
  }

  private void positions(String inside, String text) {
    try {
      if (inside.equals("*")) {
        steps.add(ALL);
      } else if (inside.contains(":")) {
        String[] ends = inside.split(":", -1);
        steps.add(
            slice(
                ends[0].isBlank() ? null : Integer.valueOf(ends[0].trim()),
                ends[1].isBlank() ? null : Integer.valueOf(ends[1].trim())));
      } else if (inside.contains(",")) {
        List<Step> items = new ArrayList<>();
        for (String item : inside.split(",")) items.add(position(Integer.parseInt(item.trim())));
        steps.add(union(true, items));
      } else {
        steps.add(position(Integer.parseInt(inside)));
      }
    } catch (NumberFormatException e) {
      throw new PathException("not supported in a path: [" + inside + "] of " + text);
    }
  }

  private static Step property(String name) {
    return (node, matches) -> {
      JsonNode value = node.isObject() ? node.get(name) : null;
      if (value != null) matches.add(value);
      return value != null;
    };
  }

  /** Several names at the end of a path: an object of the existing ones. */
  private static Step part(List<String> names) {
    return (node, matches) -> {
      ObjectNode part = JsonNodeFactory.instance.objectNode();
      names.stream().filter(node::has).forEach(name -> part.set(name, node.get(name)));
      if (node.isObject()) matches.add(part);
      return node.isObject();
    };
  }

  private static Step position(int index) {
    return (node, matches) -> {
      JsonNode value = node.isArray() ? node.get(index < 0 ? node.size() + index : index) : null;
      if (value != null) matches.add(value);
      return value != null;
    };
  }

  /** A step with any number of matches. */
  private abstract static class Many implements Step {
    @Override
    public boolean isMultiple() {
      return true;
    }
  }

  private static Step union(boolean isOfPositions, List<Step> items) {
    return new Many() {
      @Override
      public boolean find(JsonNode node, List<JsonNode> matches) {
        items.forEach(item -> item.find(node, matches));
        return node.isArray() == isOfPositions && node.isContainerNode();
      }
    };
  }

  private static Step slice(Integer from, Integer to) {
    return new Many() {
      @Override
      public boolean find(JsonNode node, List<JsonNode> matches) {
        int size = node.isArray() ? node.size() : 0;
        int start = from == null ? 0 : from < 0 ? Math.max(0, size + from) : from;
        int end = to == null ? size : to < 0 ? size + to : Math.min(size, to);
        for (int i = start; i < end; i++) matches.add(node.get(i));
        return node.isArray();
      }
    };
  }

  private static final Step ALL =
      new Many() {
        @Override
        public boolean find(JsonNode node, List<JsonNode> matches) {
          node.forEach(matches::add);
          return true;
        }
      };

  private static final Step DEEP =
      new Many() {
        @Override
        public boolean find(JsonNode node, List<JsonNode> matches) {
          matches.add(node);
          node.forEach(
              child -> {
                if (child.isContainerNode()) find(child, matches);
              });
          return true;
        }
      };
}
