package org.compiledplan.kernel.formats.csv;

import java.math.BigDecimal;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.unsafe.types.UTF8String;
import org.compiledplan.kernel.formats.base.Encoder;
import org.compiledplan.kernel.formats.base.Shape;
import org.compiledplan.kernel.formats.base.TimestampTexts;

/** Writes the format `csv`, one record per row. */
public final class CsvEncoder extends Encoder {
  /** Longer texts are quoted without inspection. */
  private static final int INSPECTED_LENGTH = 24;

  private static final TimestampTexts TIMES = new TimestampTexts("SQL");

  private final HashMap<String, String> options;
  private transient Shape row;
  private transient char separator;
  private transient int quote;
  private transient int escape;
  private transient int firstSafe;
  private transient String elements;
  private transient String nullLiteral;
  private transient boolean scientific;

  public CsvEncoder(String table, String shape, Map<String, String> options) {
    super(table, shape);
    this.options = new HashMap<>(options);
  }

  @Override
  protected UTF8String encode(byte kind, InternalRow values) {
    if (row == null) prepare();
    StringBuilder out = new StringBuilder();
    for (int i = 0; i < row.children().length; i++) {
      if (i > 0) out.append(separator);
      cell(out, values, i, row.children()[i]);
    }
    return UTF8String.fromString(out.toString());
  }

  private void prepare() {
    separator = CsvOptions.separator(options);
    quote = CsvOptions.quote(options);
    escape = CsvOptions.escape(options);
    firstSafe = Math.max(separator, Math.max(quote, '\r')) + 1;
    elements = options.getOrDefault("array-element-delimiter", ";");
    nullLiteral = options.getOrDefault("null-literal", "");
    scientific = !"false".equalsIgnoreCase(options.get("write-bigdecimal-in-scientific-notation"));
    row = row();
  }

  private void cell(StringBuilder out, SpecializedGetters values, int i, Shape type) {
    if (values.isNullAt(i)) {
      out.append(nullLiteral);
      return;
    }
    String text = text(values, i, type);
    if (isPlain(type)) out.append(text);
    else quoted(out, text);
  }

  /** Returns true for types whose text never needs quotes: numbers and booleans. */
  private static boolean isPlain(Shape type) {
    return switch (type.root()) {
      case "BOOLEAN",
          "TINYINT",
          "SMALLINT",
          "INTEGER",
          "BIGINT",
          "FLOAT",
          "DOUBLE",
          "DECIMAL",
          "INTERVAL_YEAR_MONTH",
          "INTERVAL_DAY_TIME" ->
          true;
      default -> false;
    };
  }

  private String text(SpecializedGetters values, int i, Shape type) {
    if (values.isNullAt(i)) return nullLiteral;
    return switch (type.root()) {
      case "BOOLEAN" -> String.valueOf(values.getBoolean(i));
      case "TINYINT" -> String.valueOf(values.getByte(i));
      case "SMALLINT" -> String.valueOf(values.getShort(i));
      case "INTEGER", "INTERVAL_YEAR_MONTH" -> String.valueOf(values.getInt(i));
      case "BIGINT", "INTERVAL_DAY_TIME" -> String.valueOf(values.getLong(i));
      case "FLOAT" -> String.valueOf(values.getFloat(i));
      case "DOUBLE" -> String.valueOf(values.getDouble(i));
      case "DECIMAL" ->
          decimal(values.getDecimal(i, type.precision(), type.scale()).toJavaBigDecimal());
      case "CHAR", "VARCHAR" -> values.getUTF8String(i).toString();
      case "BINARY", "VARBINARY" -> Base64.getEncoder().encodeToString(values.getBinary(i));
      case "DATE" -> TimestampTexts.date(values.getInt(i));
      case "TIME_WITHOUT_TIME_ZONE" -> TimestampTexts.time(values.getInt(i));
      case "TIMESTAMP_WITHOUT_TIME_ZONE" -> TIMES.timestamp(values.getLong(i));
      case "TIMESTAMP_WITH_LOCAL_TIME_ZONE" -> TIMES.timestampLtz(values.getLong(i));
      case "ARRAY" -> array(values.getArray(i), type.children()[0]);
      case "ROW", "STRUCTURED_TYPE" -> fields(values.getStruct(i, type.children().length), type);
      default ->
          throw new IllegalArgumentException("CSV does not hold values of type " + type.text());
    };
  }

  private String decimal(BigDecimal value) {
    BigDecimal stripped = value.signum() == 0 ? BigDecimal.ZERO : value.stripTrailingZeros();
    return scientific ? stripped.toString() : stripped.toPlainString();
  }

  private String array(ArrayData values, Shape element) {
    StringBuilder out = new StringBuilder();
    for (int i = 0; i < values.numElements(); i++) {
      out.append(i == 0 ? "" : elements).append(text(values, i, element));
    }
    return out.toString();
  }

  private String fields(InternalRow values, Shape type) {
    StringBuilder out = new StringBuilder();
    for (int i = 0; i < type.children().length; i++) {
      out.append(i == 0 ? "" : elements).append(text(values, i, type.children()[i]));
    }
    return out.toString();
  }

  private void quoted(StringBuilder out, String text) {
    if (quote == CsvLines.NONE || !needsQuotes(text)) {
      out.append(text);
      return;
    }
    out.append((char) quote);
    for (int i = 0; i < text.length(); i++) {
      char letter = text.charAt(i);
      if (letter == quote || letter == escape) out.append(letter);
      out.append(letter);
    }
    out.append((char) quote);
  }

  private boolean needsQuotes(String text) {
    if (text.length() > INSPECTED_LENGTH) return true;
    for (int i = 0; i < text.length(); i++) {
      if (text.charAt(i) < firstSafe) return true;
    }
    return false;
  }
}
