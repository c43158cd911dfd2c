package org.compiledplan.kernel.formats.json;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.math.BigDecimal;
import java.util.Map;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.MapData;
import org.compiledplan.kernel.formats.base.DataException;
import org.compiledplan.kernel.formats.base.Shape;
import org.compiledplan.kernel.formats.base.TimestampTexts;

/** Writes values of a logical type as JSON, as Flink's JSON format does. */
final class JsonWriters {
  /** Writes the value at a position of a row or array; it is not null. */
  @FunctionalInterface
  interface Writer {
    void write(JsonGenerator out, SpecializedGetters values, int position) throws IOException;
  }

  private final TimestampTexts times;
  private final String nullKeys;
  private final String nullKeyText;
  private final boolean plainDecimals;
  private final boolean ignoreNulls;

  JsonWriters(Map<String, String> options) {
    times = new TimestampTexts(options.getOrDefault("timestamp-format.standard", "SQL"));
    nullKeys = options.getOrDefault("map-null-key.mode", "FAIL");
    nullKeyText = options.getOrDefault("map-null-key.literal", "null");
    plainDecimals = Boolean.parseBoolean(options.get("encode.decimal-as-plain-number"));
    ignoreNulls = Boolean.parseBoolean(options.get("encode.ignore-null-fields"));
  }

  /** A writer of values of this type; null is written as null. */
  private Writer writer(Shape shape) {
    Writer present = present(shape);
    return (out, values, position) -> {
      if (values.isNullAt(position)) out.writeNull();
      else present.write(out, values, position);
    };
  }

  private Writer present(Shape shape) {
    return switch (shape.root()) {
      case "BOOLEAN" -> (out, values, i) -> out.writeBoolean(values.getBoolean(i));
      case "TINYINT" -> (out, values, i) -> out.writeNumber(values.getByte(i));
      case "SMALLINT" -> (out, values, i) -> out.writeNumber(values.getShort(i));
      case "INTEGER", "INTERVAL_YEAR_MONTH" ->
          (out, values, i) -> out.writeNumber(values.getInt(i));
      case "BIGINT", "INTERVAL_DAY_TIME" -> (out, values, i) -> out.writeNumber(values.getLong(i));
      case "FLOAT" -> (out, values, i) -> out.writeNumber(values.getFloat(i));
      case "DOUBLE" -> (out, values, i) -> out.writeNumber(values.getDouble(i));
      case "DECIMAL" ->
          (out, values, i) ->
              decimal(
                  out, values.getDecimal(i, shape.precision(), shape.scale()).toJavaBigDecimal());
      case "CHAR", "VARCHAR" ->
          (out, values, i) -> out.writeString(values.getUTF8String(i).toString());
      case "BINARY", "VARBINARY" -> (out, values, i) -> out.writeBinary(values.getBinary(i));
      case "DATE" -> (out, values, i) -> out.writeString(TimestampTexts.date(values.getInt(i)));
      case "TIME_WITHOUT_TIME_ZONE" ->
          (out, values, i) -> out.writeString(TimestampTexts.time(values.getInt(i)));
      case "TIMESTAMP_WITHOUT_TIME_ZONE" ->
          (out, values, i) -> out.writeString(times.timestamp(values.getLong(i)));
      case "TIMESTAMP_WITH_LOCAL_TIME_ZONE" ->
          (out, values, i) -> out.writeString(times.timestampLtz(values.getLong(i)));
      case "ARRAY" -> array(shape);
      case "MAP" -> map(shape, shape.children()[1]);
      case "MULTISET" -> map(shape, JsonValues.COUNT);
      case "ROW", "STRUCTURED_TYPE" -> {
        int size = shape.children().length;
        RowWriter row = row(shape);
        yield (out, values, i) -> row.write(out, values.getStruct(i, size));
      }
      case "NULL" -> (out, values, i) -> out.writeNull();
      default ->
          throw new IllegalArgumentException("JSON does not hold values of type " + shape.text());
    };
  }

  /**
   * With plain numbers, writes all digits of the scale; otherwise without trailing zeros, as
   * BigDecimal.
   */
  private void decimal(JsonGenerator out, BigDecimal value) throws IOException {
    if (plainDecimals) {
      out.writeNumber(value.toPlainString());
      return;
    }
    BigDecimal stripped = value.signum() == 0 ? BigDecimal.ZERO : value.stripTrailingZeros();
    out.writeNumber(stripped.toString());
  }

  private Writer array(Shape shape) {
    Writer element = writer(shape.children()[0]);
    return (out, values, i) -> {
      ArrayData array = values.getArray(i);
      out.writeStartArray();
      for (int k = 0; k < array.numElements(); k++) element.write(out, array, k);
      out.writeEndArray();
    };
  }

  private Writer map(Shape shape, Shape valueShape) {
    String key = shape.children()[0].root();
    if (!key.equals("VARCHAR") && !key.equals("CHAR")) {
      throw new IllegalArgumentException(
          "JSON has no maps with keys that are not texts: " + shape.text());
    }
    Writer value = writer(valueShape);
    return (out, values, i) -> {
      MapData map = values.getMap(i);
      ArrayData keys = map.keyArray();
      ArrayData items = map.valueArray();
      out.writeStartObject();
      for (int k = 0; k < keys.numElements(); k++) {
        String name = keys.isNullAt(k) ? nullKey() : keys.getUTF8String(k).toString();
        if (name != null) {
          out.writeFieldName(name);
          value.write(out, items, k);
        }
      }
      out.writeEndObject();
    };
  }

  private String nullKey() {
    return switch (nullKeys) {
      case "LITERAL" -> nullKeyText;
      case "DROP" -> null;
      default ->
          throw new DataException(
              "a map with a null key cannot be written as JSON;"
                  + " set the format's option map-null-key.mode to DROP or LITERAL");
    };
  }

  @FunctionalInterface
  interface RowWriter {
    void write(JsonGenerator out, InternalRow row) throws IOException;
  }

  RowWriter row(Shape shape) {
    String[] names = shape.names();
    Writer[] writers = new Writer[names.length];
    for (int i = 0; i < names.length; i++) writers[i] = writer(shape.children()[i]);
    return (out, row) -> {
      out.writeStartObject();
      for (int i = 0; i < names.length; i++) {
        if (!ignoreNulls || !row.isNullAt(i)) {
          out.writeFieldName(names[i]);
          writers[i].write(out, row, i);
        }
      }
      out.writeEndObject();
    };
  }
}
