package org.compiledplan.kernel.formats.raw;

import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.MapData;
import org.apache.spark.unsafe.types.UTF8String;
import org.compiledplan.kernel.formats.base.Encoder;
import org.compiledplan.kernel.formats.base.Shape;
import org.compiledplan.kernel.formats.json.JsonValues;
import org.compiledplan.kernel.values.Bitmaps;
import org.compiledplan.kernel.values.Variants;

/**
 * Rows in the output format of the connector `print`: `+I[1, abc, null]`, with the texts of Java
 * values.
 */
public final class PrintEncoder extends Encoder {
  private static final String[] KINDS = {"+I", "-U", "+U", "-D"};
  private static final long MICROS = 1_000_000L;

  private transient Shape row;

  public PrintEncoder(String table, String shape) {
    super(table, shape);
  }

  @Override
  protected UTF8String encode(byte kind, InternalRow values) {
    if (row == null) row = row();
    StringBuilder out = new StringBuilder();
    fields(out, KINDS[kind], values, row);
    return UTF8String.fromString(out.toString());
  }

  private static void fields(StringBuilder out, String kind, InternalRow values, Shape row) {
    out.append(kind).append('[');
    for (int i = 0; i < row.children().length; i++) {
      if (i > 0) out.append(", ");
      value(out, values, i, row.children()[i]);
    }
    out.append(']');
  }

  public static void value(StringBuilder out, SpecializedGetters values, int i, Shape shape) {
    if (values.isNullAt(i)) {
      out.append("null");
      return;
    }
    switch (shape.root()) {
      case "BOOLEAN" -> out.append(values.getBoolean(i));
      case "TINYINT" -> out.append(values.getByte(i));
      case "SMALLINT" -> out.append(values.getShort(i));
      case "INTEGER" -> out.append(values.getInt(i));
      case "BIGINT" -> out.append(values.getLong(i));
      case "FLOAT" -> out.append(values.getFloat(i));
      case "DOUBLE" -> out.append(values.getDouble(i));
      case "DECIMAL" ->
          out.append(values.getDecimal(i, shape.precision(), shape.scale()).toJavaBigDecimal());
      case "CHAR", "VARCHAR" -> out.append(values.getUTF8String(i));
      case "BINARY", "VARBINARY" -> out.append(java.util.Arrays.toString(values.getBinary(i)));
      case "BITMAP" -> out.append(Bitmaps.text(values.getBinary(i)));
      case "VARIANT" -> out.append(Variants.text(values.getBinary(i)));
      case "DATE" -> out.append(LocalDate.ofEpochDay(values.getInt(i)));
      case "TIME_WITHOUT_TIME_ZONE" ->
          out.append(LocalTime.ofNanoOfDay(values.getInt(i) * 1_000_000L));
      case "TIMESTAMP_WITHOUT_TIME_ZONE" ->
          out.append(LocalDateTime.ofInstant(instant(values.getLong(i)), ZoneOffset.UTC));
      case "TIMESTAMP_WITH_LOCAL_TIME_ZONE" -> out.append(instant(values.getLong(i)));
      case "INTERVAL_YEAR_MONTH" -> out.append(months(values.getInt(i)));
      case "INTERVAL_DAY_TIME" -> out.append(java.time.Duration.ofMillis(values.getLong(i)));
      case "ARRAY" -> array(out, values.getArray(i), shape.children()[0]);
      case "MAP" -> map(out, values.getMap(i), shape.children()[0], shape.children()[1]);
      case "MULTISET" -> map(out, values.getMap(i), shape.children()[0], JsonValues.COUNT);
      case "ROW", "STRUCTURED_TYPE" ->
          fields(out, "+I", values.getStruct(i, shape.children().length), shape);
      default ->
          throw new IllegalArgumentException(
              "values of type " + shape.text() + " cannot be printed");
    }
  }

  private static void array(StringBuilder out, ArrayData values, Shape element) {
    out.append('[');
    for (int i = 0; i < values.numElements(); i++) {
      if (i > 0) out.append(", ");
      value(out, values, i, element);
    }
    out.append(']');
  }

  private static void map(StringBuilder out, MapData values, Shape key, Shape item) {
    out.append('{');
    for (int i = 0; i < values.numElements(); i++) {
      if (i > 0) out.append(", ");
      value(out, values.keyArray(), i, key);
      out.append('=');
      value(out, values.valueArray(), i, item);
    }
    out.append('}');
  }

  private static java.time.Period months(int months) {
    return java.time.Period.ofMonths(months).normalized();
  }

  private static Instant instant(long micros) {
    return Instant.ofEpochSecond(
        Math.floorDiv(micros, MICROS), Math.floorMod(micros, MICROS) * 1000L);
  }
}
