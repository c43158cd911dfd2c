package org.compiledplan.kernel.functions;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.util.RawValue;
import java.math.BigDecimal;
import java.time.ZoneOffset;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.apache.spark.sql.Row;
import org.apache.spark.unsafe.types.VariantVal;
import scala.collection.Iterator;
import scala.collection.Seq;
import scala.jdk.javaapi.CollectionConverters;

/** The SQL/JSON functions. Numbers keep their digits; objects are written with sorted keys. */
final class Json {
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
  private static final ObjectMapper MAPPER =
      JsonMapper.builder()
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
          .build();

  /** Characters with an escape of one letter, and these letters. */
  private static final String ESCAPED = "\"\\/\b\f\n\r\t";

  private static final String LETTERS = "\"\\/bfnrt";

  private Json() {}

  static void register() {
    Registry.plainWith(
        "IS_JSON",
        options -> {
          Predicate<JsonNode> test = kind(options[0]);
          return a -> a[0] != null && isJson((String) a[0], test);
        });
    Registry.strictWith(
        "JSON_EXISTS",
        options -> {
          Paths paths = new Paths();
          return a -> exists(paths, (String) a[0], (String) a[1], options[0]);
        });
    Registry.plainWith("JSON_VALUE", Value::new);
    Registry.strictWith("JSON_QUERY", Query::new);
    Registry.strictWith(
        "JSON_QUERY_ARRAY",
        options -> {
          Query query = new Query(options);
          return a -> strings(query.node((String) a[0], (String) a[1]));
        });
    Registry.strict("JSON_STRING", a -> write(node(a[0])));
    Registry.plainWith("JSON_OBJECT", options -> a -> object(options, (Row) a[0]));
    Registry.plainWith("JSON_ARRAY", options -> a -> array(options, (Row) a[0]));
    Registry.strict("JSON", a -> write(read((String) a[0])));
    Registry.strict("JSON_QUOTE", a -> quote((String) a[0]));
    Registry.strict("JSON_UNQUOTE", a -> unquote((String) a[0]));
  }

  static JsonNode read(String text) throws JsonProcessingException {
    JsonNode node = MAPPER.readTree(text);
    if (node == null || node.isMissingNode()) {
      throw new IllegalArgumentException("the text is empty, not JSON");
    }
    return node;
  }

  /** The value at a path in a text; in lax mode a malformed text contains no value, as in Flink. */
  private static JsonNode find(JsonPath path, String text) throws JsonProcessingException {
    JsonNode root;
    try {
      root = read(text);
    } catch (JsonProcessingException | IllegalArgumentException e) {
      if (path.isStrict()) throw e;
      return null;
    }
    return path.evaluate(root);
  }

  static String write(JsonNode node) throws JsonProcessingException {
    return MAPPER.writeValueAsString(sorted(node));
  }

  private static JsonNode sorted(JsonNode node) {
    if (node.isObject()) {
      Map<String, JsonNode> fields = new TreeMap<>();
      node.properties().forEach(entry -> fields.put(entry.getKey(), sorted(entry.getValue())));
      ObjectNode result = NODES.objectNode();
      fields.forEach(result::set);
      return result;
    }
    if (node.isArray()) {
      ArrayNode result = NODES.arrayNode();
      node.forEach(item -> result.add(sorted(item)));
      return result;
    }
    return node;
  }

  private static Predicate<JsonNode> kind(String name) {
    return switch (name) {
      case "OBJECT" -> JsonNode::isObject;
      case "ARRAY" -> JsonNode::isArray;
      case "SCALAR" -> JsonNode::isValueNode;
      default -> node -> true;
    };
  }

  private static boolean isJson(String text, Predicate<JsonNode> test) {
    try {
      return test.test(read(text));
    } catch (JsonProcessingException | IllegalArgumentException e) {
      return false;
    }
  }

  /** Caches the last parsed path: a path is nearly always a constant. */
  private static final class Paths {
    private String text;
    private JsonPath path;

    JsonPath of(String pathText) {
      if (!pathText.equals(text)) {
        path = JsonPath.parse(pathText);
        text = pathText;
      }
      return path;
    }
  }

  private static Object exists(Paths paths, String text, String path, String onError)
      throws Exception {
    try {
      return find(paths.of(path), text) != null;
    } catch (Exception e) {
      return switch (onError) {
        case "TRUE" -> true;
        case "UNKNOWN" -> null;
        case "ERROR" -> throw e;
        default -> false;
      };
    }
  }

  /**
   * Options: on empty, on error (NULL, DEFAULT, ERROR), type to return. Arguments: text, path, the
   * two defaults.
   */
  private static final class Value implements Body {
    private final Paths paths = new Paths();
    private final String onEmpty;
    private final String onError;
    private final String type;

    Value(String[] options) {
      onEmpty = options[0];
      onError = options[1];
      type = options[2];
    }

    @Override
    public Object call(Object[] a) throws Exception {
      if (a[0] == null || a[1] == null) return null;
      JsonPath path = null;
      JsonNode value;
      String text;
      try {
        path = paths.of((String) a[1]);
        value = find(path, (String) a[0]);
        if (value != null && value.isContainerNode()) {
          if (path.isStrict()) {
            throw new IllegalArgumentException("a scalar is wanted, the path leads to " + value);
          }
          value = null;
        }
        text = value == null ? null : typed(value);
      } catch (Exception e) {
        if (onError.equals("ERROR")) throw e;
        return onError.equals("DEFAULT") ? a[3] : null;
      }
      if (text != null) return text;
      if (onEmpty.equals("ERROR")) throw new IllegalArgumentException("the path leads to nothing");
      return onEmpty.equals("DEFAULT") ? a[2] : null;
    }

    private String typed(JsonNode node) {
      String text = node.asText();
      return switch (type) {
        case "BOOLEAN" -> {
          if (!text.equalsIgnoreCase("true") && !text.equalsIgnoreCase("false")) {
            throw new IllegalArgumentException("not a truth value: " + text);
          }
          yield text;
        }
        case "INTEGER" -> String.valueOf(new BigDecimal(text).toBigInteger().intValueExact());
        case "DOUBLE" -> String.valueOf(Double.parseDouble(text));
        default -> text;
      };
    }
  }

  /** Options: wrapper, on empty, on error. */
  private static final class Query implements Body {
    private final Paths paths = new Paths();
    private final String wrapper;
    private final String onEmpty;
    private final String onError;

    Query(String[] options) {
      wrapper = options[0];
      onEmpty = options[1];
      onError = options[2];
    }

    @Override
    public Object call(Object[] a) throws Exception {
      JsonNode value = node((String) a[0], (String) a[1]);
      return value == null ? null : write(value);
    }

    JsonNode node(String text, String pathText) throws Exception {
      JsonNode value;
      try {
        JsonPath path = paths.of(pathText);
        value = find(path, text);
        if (value != null) {
          value = wrapped(value);
          if (!value.isContainerNode()) {
            if (path.isStrict()) {
              throw new IllegalArgumentException(
                  "an array or object is wanted, the path leads to " + value);
            }
            value = null;
          }
        }
      } catch (Exception e) {
        return fallback(onError, e);
      }
      return value != null
          ? value
          : fallback(onEmpty, new IllegalArgumentException("the path leads to nothing"));
    }

    private JsonNode wrapped(JsonNode node) {
      boolean wrap =
          wrapper.equals("WITH_UNCONDITIONAL_ARRAY")
              || !node.isArray()
                  && (wrapper.equals("CONDITIONAL_ARRAY")
                      || wrapper.equals("WITH_CONDITIONAL_ARRAY"));
      return wrap ? NODES.arrayNode().add(node) : node;
    }

    private static JsonNode fallback(String behaviour, Exception fault) throws Exception {
      return switch (behaviour) {
        case "ERROR" -> throw fault;
        case "EMPTY_ARRAY" -> NODES.arrayNode();
        case "EMPTY_OBJECT" -> NODES.objectNode();
        default -> null;
      };
    }
  }

  private static Object strings(JsonNode node) throws JsonProcessingException {
    if (node == null || !node.isArray()) return null;
    String[] items = new String[node.size()];
    for (int i = 0; i < items.length; i++) {
      JsonNode item = node.get(i);
      items[i] = item.isNull() ? null : item.isTextual() ? item.asText() : write(item);
    }
    return items;
  }

  /**
   * Options: NULL or ABSENT for nulls, then for each value its key and whether it is `raw` JSON.
   */
  private static Object object(String[] options, Row values) throws Exception {
    ObjectNode result = NODES.objectNode();
    for (int i = 0; i < values.length(); i++) {
      JsonNode item = item(values.get(i), options[2 + 2 * i]);
      if (!item.isNull() || options[0].equals("NULL")) result.set(options[1 + 2 * i], item);
    }
    return write(result);
  }

  /** Options: NULL or ABSENT for nulls, then for each value whether it is `raw` JSON. */
  private static Object array(String[] options, Row values) throws Exception {
    ArrayNode result = NODES.arrayNode();
    for (int i = 0; i < values.length(); i++) {
      JsonNode item = item(values.get(i), options[1 + i]);
      if (!item.isNull() || options[0].equals("NULL")) result.add(item);
    }
    return write(result);
  }

  private static JsonNode item(Object value, String form) throws JsonProcessingException {
    return value != null && form.equals("raw") ? read((String) value) : node(value);
  }

  static JsonNode node(Object value) {
    if (value == null) return NullNode.getInstance();
    if (value instanceof Row row) {
      ObjectNode result = NODES.objectNode();
      for (int i = 0; i < row.length(); i++) {
        result.set(row.schema().fields()[i].name(), node(row.get(i)));
      }
      return result;
    }
    if (value instanceof Seq<?> items) {
      ArrayNode result = NODES.arrayNode();
      for (Iterator<?> all = items.iterator(); all.hasNext(); ) result.add(node(all.next()));
      return result;
    }
    if (value instanceof scala.collection.Map<?, ?> map) {
      ObjectNode result = NODES.objectNode();
      CollectionConverters.asJava(map)
          .forEach((key, item) -> result.set(String.valueOf(key), node(item)));
      return result;
    }
    if (value instanceof VariantVal variant) {
      return NODES.rawValueNode(new RawValue(variant.toJson(ZoneOffset.UTC)));
    }
    if (value instanceof Double || value instanceof Float) {
      double number = ((Number) value).doubleValue();
      boolean finite = !Double.isNaN(number) && !Double.isInfinite(number);
      return finite
          ? NODES.numberNode(BigDecimal.valueOf(number))
          : NODES.textNode(String.valueOf(number));
    }
    if (value instanceof BigDecimal number) return NODES.numberNode(number);
    return MAPPER.valueToTree(value);
  }

  /**
   * A quoted JSON string. As in Flink, non-ASCII characters are escaped, but control characters
   * without a one-letter escape are not; unlike Flink's wrong escape of supplementary characters,
   * this writes a surrogate pair.
   */
  private static String quote(String text) {
    StringBuilder result = new StringBuilder("\"");
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      int letter = ESCAPED.indexOf(c);
      if (letter >= 0) result.append('\\').append(LETTERS.charAt(letter));
      else if (c > 0x7f) result.append(String.format("\\u%04x", (int) c));
      else result.append(c);
    }
    return result.append('"').toString();
  }

  /**
   * The text between the first and the last quote, with escapes resolved. As in Flink, a text that
   * does not start with a JSON string, or has an unknown escape, is returned unchanged.
   */
  private static String unquote(String text) {
    if (text.length() < 2 || text.charAt(0) != '"' || !text.endsWith("\"")) return text;
    try {
      read(text);
      return unescaped(text.substring(1, text.length() - 1));
    } catch (JsonProcessingException | IllegalArgumentException e) {
      return text;
    }
  }

  private static String unescaped(String text) {
    StringBuilder result = new StringBuilder(text.length());
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c != '\\' || i + 1 == text.length()) {
        result.append(c);
        continue;
      }
      char escape = text.charAt(++i);
      int letter = LETTERS.indexOf(escape);
      if (letter >= 0) {
        result.append(ESCAPED.charAt(letter));
      } else if (escape == 'u' && i + 4 < text.length()) {
        result.append((char) Integer.parseInt(text.substring(i + 1, i + 5), 16));
        i += 4;
      } else {
        throw new IllegalArgumentException("unknown escape: " + text);
      }
    }
    return result.toString();
  }
}
