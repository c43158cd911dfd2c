package org.compiledplan.kernel.formats.base;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Arrays;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;
import org.compiledplan.kernel.values.JsonText;

/**
 * A logical type as needed by the formats.
 *
 * @param root name of the type root, such as DECIMAL or TIMESTAMP_WITHOUT_TIME_ZONE
 * @param text the type in SQL, for messages
 * @param precision digits, of decimals and times; otherwise 0
 * @param scale digits after the point, of decimals
 * @param names names of the fields of a row
 * @param children element, or key and value, or fields
 */
public record Shape(
    String root, String text, int precision, int scale, String[] names, Shape[] children) {
  /**
   * Parses `{"root": ..., "text": ..., "precision": ..., "scale": ..., "names": [...], "children":
   * [...]}`.
   */
  public static Shape parse(String json) {
    return of(JsonText.read(json));
  }

  private static Shape of(JsonNode node) {
    JsonNode names = node.path("names");
    JsonNode children = node.path("children");
    String[] texts = new String[names.size()];
    for (int i = 0; i < texts.length; i++) texts[i] = names.get(i).asText();
    Shape[] shapes = new Shape[children.size()];
    for (int i = 0; i < shapes.length; i++) shapes[i] = of(children.get(i));
    return new Shape(
        node.path("root").asText(),
        node.path("text").asText(),
        node.path("precision").asInt(),
        node.path("scale").asInt(),
        texts,
        shapes);
  }

  /** Returns true if this is a decimal, or contains one. */
  public boolean hasDecimals() {
    return root.equals("DECIMAL") || Arrays.stream(children).anyMatch(Shape::hasDecimals);
  }

  public DataType spark() {
    return switch (root) {
      case "BOOLEAN" -> DataTypes.BooleanType;
      case "TINYINT" -> DataTypes.ByteType;
      case "SMALLINT" -> DataTypes.ShortType;
      case "INTEGER", "INTERVAL_YEAR_MONTH", "TIME_WITHOUT_TIME_ZONE" -> DataTypes.IntegerType;
      case "BIGINT", "INTERVAL_DAY_TIME" -> DataTypes.LongType;
      case "FLOAT" -> DataTypes.FloatType;
      case "DOUBLE" -> DataTypes.DoubleType;
      case "DECIMAL" -> DataTypes.createDecimalType(precision, scale);
      case "CHAR", "VARCHAR" -> DataTypes.StringType;
      case "BINARY", "VARBINARY" -> DataTypes.BinaryType;
      case "DATE" -> DataTypes.DateType;
      case "TIMESTAMP_WITHOUT_TIME_ZONE" -> DataTypes.TimestampNTZType;
      case "TIMESTAMP_WITH_LOCAL_TIME_ZONE" -> DataTypes.TimestampType;
      case "ARRAY" -> DataTypes.createArrayType(children[0].spark(), true);
      case "MAP" -> DataTypes.createMapType(children[0].spark(), children[1].spark(), true);
      case "MULTISET" -> DataTypes.createMapType(children[0].spark(), DataTypes.IntegerType, true);
      case "ROW", "STRUCTURED_TYPE" -> {
        StructField[] fields = new StructField[children.length];
        for (int i = 0; i < fields.length; i++) {
          fields[i] = DataTypes.createStructField(names[i], children[i].spark(), true);
        }
        yield DataTypes.createStructType(fields);
      }
      case "NULL" -> DataTypes.NullType;
      default -> throw new IllegalArgumentException("no format holds values of type " + text);
    };
  }
}
