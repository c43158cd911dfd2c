package org.compiledplan.kernel.formats.json;

import com.fasterxml.jackson.core.Base64Variants;
import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.compiledplan.kernel.formats.base.DataException;
import org.compiledplan.kernel.formats.base.Shape;
import org.compiledplan.kernel.formats.base.SparkValues;
import org.compiledplan.kernel.formats.base.TimestampTexts;

/**
 * Converts JSON values to those of a logical type, in Spark's internal form, as Flink's JSON format
 * does.
 */
public final class JsonValues {
  /**
   * Reads the value that starts at the parser's current token, and leaves the parser at its last
   * token.
   */
  @FunctionalInterface
  interface Reader {
    Object read(JsonParser parser) throws IOException;
  }

  private final ObjectMapper mapper;
  private final boolean tree;
  private final boolean decimals;
  private final boolean lenient;
  private final boolean failOnMissing;
  private final TimestampTexts times;

  /**
   * @param tree true to read like Flink's older reader, which `debezium-json` still uses: from a
   *     tree, in which decimals are normalized, and other values are coerced to a map or text
   * @param decimals true if such numbers are decimals, which is the case if the table has a decimal
   *     column; otherwise doubles
   * @param lenient true if a malformed value becomes null
   * @param failOnMissing true if a missing field of a row is an error
   */
  JsonValues(
      boolean tree,
      boolean decimals,
      boolean lenient,
      boolean failOnMissing,
      TimestampTexts times) {
    this.tree = tree;
    this.decimals = decimals;
    this.mapper =
        JsonMapper.builder()
            .configure(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS, decimals)
            .build();
    this.lenient = lenient;
    this.failOnMissing = failOnMissing;
    this.times = times;
  }

  /** A reader of values of this type; null stays null. */
  Reader reader(Shape shape) {
    Reader strict = strict(shape);
    if (lenient) {
      return parser -> {
        if (parser.currentToken() == JsonToken.VALUE_NULL) return null;
        // A nested value must be consumed to its end even if reading fails within it.
        JsonNode nested = parser.currentToken().isStructStart() ? mapper.readTree(parser) : null;
        try {
          return strict.read(nested == null ? parser : opened(nested));
        } catch (RuntimeException | IOException e) {
          return null;
        }
      };
    }
    return parser -> parser.currentToken() == JsonToken.VALUE_NULL ? null : strict.read(parser);
  }

  /** The next value as a tree, with numbers in the form that the readers expect. */
  JsonNode tree(JsonParser parser) throws IOException {
    return mapper.readTree(parser);
  }

  /** Reads a tree; null stays null. */
  Object read(Reader reader, JsonNode node) throws IOException {
    return reader.read(opened(node));
  }

  private JsonParser opened(JsonNode node) throws IOException {
    JsonParser parser = mapper.treeAsTokens(node);
    parser.nextToken();
    return parser;
  }

  private Reader strict(Shape shape) {
    return switch (shape.root()) {
      case "ROW", "STRUCTURED_TYPE" -> row(shape);
      case "ARRAY" -> array(shape);
      case "MAP" -> map(shape, shape.children()[0], shape.children()[1]);
      case "MULTISET" -> map(shape, shape.children()[0], COUNT);
      case "NULL" ->
          parser -> {
            parser.skipChildren();
            return null;
          };
      default -> named(shape, scalar(shape));
    };
  }

  public static final Shape COUNT = new Shape("INTEGER", "INT", 0, 0, new String[0], new Shape[0]);

  /** The same reader, with the expected type in its errors. */
  private Reader named(Shape shape, Reader reader) {
    return parser -> {
      try {
        return reader.read(parser);
      } catch (JsonParseException malformed) {
        // The text ends in the value, or has a wrong escape: the value has no text to show.
        throw malformed;
      } catch (RuntimeException | IOException e) {
        if (parser.currentToken() != null && parser.currentToken().isStructStart()) {
          throw new DataException("a JSON object or array cannot be read as " + shape.text());
        }
        throw new DataException(SparkValues.mismatch(parser.getText(), shape.text()));
      }
    };
  }

  private Reader scalar(Shape shape) {
    return switch (shape.root()) {
      case "BOOLEAN" ->
          parser ->
              switch (parser.currentToken()) {
                case VALUE_TRUE -> true;
                case VALUE_FALSE -> false;
                default -> Boolean.parseBoolean(text(parser).trim());
              };
      case "TINYINT" -> parser -> Byte.parseByte(text(parser).trim());
      case "SMALLINT" -> parser -> Short.parseShort(text(parser).trim());
      case "INTEGER", "INTERVAL_YEAR_MONTH" ->
          parser ->
              parser.currentToken().isNumeric()
                  ? (Object) parser.getIntValue()
                  : (Object) Integer.parseInt(text(parser).trim());
      case "BIGINT", "INTERVAL_DAY_TIME" ->
          parser ->
              parser.currentToken().isNumeric()
                  ? (Object) parser.getLongValue()
                  : (Object) Long.parseLong(text(parser).trim());
      case "FLOAT" ->
          parser ->
              parser.currentToken().isNumeric()
                  ? (Object)
                      (tree && decimals ? normal(parser).floatValue() : parser.getFloatValue())
                  : (Object) Float.parseFloat(text(parser).trim());
      case "DOUBLE" ->
          parser ->
              parser.currentToken().isNumeric()
                  ? (Object)
                      (tree && decimals ? normal(parser).doubleValue() : parser.getDoubleValue())
                  : (Object) Double.parseDouble(text(parser).trim());
      case "DECIMAL" -> {
        int precision = shape.precision();
        int scale = shape.scale();
        yield parser -> {
          BigDecimal value =
              parser.currentToken().isNumeric()
                  ? parser.getDecimalValue()
                  : new BigDecimal(tree ? text(parser) : text(parser).trim());
          return SparkValues.decimal(value, precision, scale);
        };
      }
      case "CHAR", "VARCHAR" -> parser -> SparkValues.text(anyText(parser));
      case "BINARY", "VARBINARY" ->
          parser -> {
            if (parser.currentToken() != JsonToken.VALUE_STRING) {
              throw new DataException("not a text");
            }
            // Not getBinaryValue(): on failure it leaves the parser in the middle of the text.
            return Base64Variants.getDefaultVariant().decode(parser.getText());
          };
      case "DATE" -> parser -> TimestampTexts.date(text(parser));
      case "TIME_WITHOUT_TIME_ZONE" -> parser -> TimestampTexts.time(text(parser));
      case "TIMESTAMP_WITHOUT_TIME_ZONE" -> parser -> times.timestamp(text(parser));
      case "TIMESTAMP_WITH_LOCAL_TIME_ZONE" -> parser -> times.timestampLtz(text(parser));
      default ->
          throw new IllegalArgumentException("JSON does not hold values of type " + shape.text());
    };
  }

  private String text(JsonParser parser) throws IOException {
    if (!parser.currentToken().isStructStart()) return scalarText(parser);
    if (!tree) throw new DataException("an object or array");
    parser.skipChildren();
    return "";
  }

  /** The text of a scalar; of an object or array its JSON. */
  private String anyText(JsonParser parser) throws IOException {
    return parser.currentToken().isStructStart()
        ? mapper.readTree(parser).toString()
        : scalarText(parser);
  }

  private String scalarText(JsonParser parser) throws IOException {
    if (tree && parser.currentToken() == JsonToken.VALUE_NUMBER_FLOAT) {
      return decimals ? normal(parser).toString() : Double.toString(parser.getDoubleValue());
    }
    return parser.getText();
  }

  private static BigDecimal normal(JsonParser parser) throws IOException {
    BigDecimal value = parser.getDecimalValue();
    return value.signum() == 0 ? BigDecimal.ZERO : value.stripTrailingZeros();
  }

  private Reader array(Shape shape) {
    Reader element = reader(shape.children()[0]);
    return parser -> {
      if (parser.currentToken() != JsonToken.START_ARRAY) {
        throw new DataException(SparkValues.mismatch(anyText(parser), shape.text()));
      }
      List<Object> values = new ArrayList<>();
      while (parser.nextToken() != JsonToken.END_ARRAY) values.add(element.read(parser));
      return new GenericArrayData(values.toArray());
    };
  }

  private Reader map(Shape shape, Shape key, Shape value) {
    if (!key.root().equals("VARCHAR") && !key.root().equals("CHAR")) {
      throw new IllegalArgumentException(
          "JSON has no maps with keys that are not texts: " + shape.text());
    }
    Reader values = reader(value);
    return parser -> {
      if (parser.currentToken() != JsonToken.START_OBJECT) {
        if (!tree) throw new DataException(SparkValues.mismatch(anyText(parser), shape.text()));
        parser.skipChildren();
        return SparkValues.map(Map.of());
      }
      Map<Object, Object> entries = new LinkedHashMap<>();
      while (parser.nextToken() != JsonToken.END_OBJECT) {
        Object name = SparkValues.text(parser.currentName());
        parser.nextToken();
        entries.put(name, values.read(parser));
      }
      return SparkValues.map(entries);
    };
  }

  /** A reader of rows; unknown fields are skipped, missing ones are null. */
  Reader row(Shape shape) {
    String[] names = shape.names();
    Map<String, Integer> positions = new HashMap<>();
    Reader[] readers = new Reader[names.length];
    boolean[] needless = new boolean[names.length];
    for (int i = 0; i < names.length; i++) {
      positions.put(names[i], i);
      readers[i] = reader(shape.children()[i]);
      // The type of a column that is not read.
      needless[i] = shape.children()[i].root().equals("NULL");
    }
    return parser -> {
      if (parser.currentToken() != JsonToken.START_OBJECT) {
        throw new DataException(SparkValues.mismatch(anyText(parser), "a JSON object"));
      }
      Object[] values = new Object[names.length];
      boolean[] seen = failOnMissing ? needless.clone() : null;
      while (parser.nextToken() != JsonToken.END_OBJECT) {
        Integer position = positions.get(parser.currentName());
        parser.nextToken();
        if (position == null) {
          parser.skipChildren();
          continue;
        }
        values[position] = field(names[position], readers[position], parser);
        if (seen != null) seen[position] = true;
      }
      if (seen != null) requireAll(names, seen);
      return new GenericInternalRow(values);
    };
  }

  private static Object field(String name, Reader reader, JsonParser parser) throws IOException {
    try {
      return reader.read(parser);
    } catch (DataException e) {
      throw new DataException("column " + name + ": " + e.getMessage());
    }
  }

  private static void requireAll(String[] names, boolean[] seen) {
    for (int i = 0; i < names.length; i++) {
      if (!seen[i]) throw new DataException("could not find field with name '" + names[i] + "'");
    }
  }
}
