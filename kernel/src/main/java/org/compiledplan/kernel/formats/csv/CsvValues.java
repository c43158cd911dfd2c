package org.compiledplan.kernel.formats.csv;

import com.fasterxml.jackson.core.Base64Variants;
import java.math.BigDecimal;
import java.sql.Date;
import java.time.LocalTime;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.compiledplan.kernel.formats.base.DataException;
import org.compiledplan.kernel.formats.base.Shape;
import org.compiledplan.kernel.formats.base.SparkValues;
import org.compiledplan.kernel.formats.base.TimestampTexts;

/**
 * Converts CSV cells to values of a logical type, in Spark's internal form, as Flink's CSV format
 * does.
 *
 * @param lenient true if a malformed cell becomes null
 * @param elements separator of the elements of arrays and rows
 * @param nullLiteral the null literal, or null for none
 */
record CsvValues(boolean lenient, String elements, String nullLiteral) {
  /** Converts a cell that is not null. */
  @FunctionalInterface
  interface Reader {
    Object read(String cell);
  }

  private static final TimestampTexts TIMES = new TimestampTexts("SQL");

  Reader reader(Shape shape) {
    Reader strict = strict(shape);
    // As in Flink, the null literal in the cell of an array or row is its only element.
    boolean isNested = shape.children().length > 0;
    return cell -> {
      if (cell == null || !isNested && cell.equals(nullLiteral)) return null;
      try {
        return strict.read(cell);
      } catch (RuntimeException e) {
        if (lenient) return null;
        throw e instanceof DataException
            ? e
            : new DataException(SparkValues.mismatch(cell, shape.text()));
      }
    };
  }

  private Reader strict(Shape shape) {
    return switch (shape.root()) {
      case "ARRAY" -> array(reader(shape.children()[0]));
      case "ROW", "STRUCTURED_TYPE" -> row(shape);
      case "CHAR", "VARCHAR" -> SparkValues::text;
      case "NULL" -> cell -> null;
      default -> scalar(shape);
    };
  }

  private Reader scalar(Shape shape) {
    return switch (shape.root()) {
      case "BOOLEAN" -> cell -> Boolean.parseBoolean(cell.trim());
      case "TINYINT" -> cell -> Byte.parseByte(cell.trim());
      case "SMALLINT" -> cell -> Short.parseShort(cell.trim());
      case "INTEGER", "INTERVAL_YEAR_MONTH" -> cell -> Integer.parseInt(cell.trim());
      case "BIGINT", "INTERVAL_DAY_TIME" -> cell -> Long.parseLong(cell.trim());
      case "FLOAT" -> cell -> Float.parseFloat(cell.trim());
      case "DOUBLE" -> cell -> Double.parseDouble(cell.trim());
      case "DECIMAL" ->
          cell -> SparkValues.decimal(new BigDecimal(cell), shape.precision(), shape.scale());
      case "BINARY", "VARBINARY" -> cell -> Base64Variants.getDefaultVariant().decode(cell);
      case "DATE" -> cell -> (int) Date.valueOf(cell).toLocalDate().toEpochDay();
      case "TIME_WITHOUT_TIME_ZONE" -> {
        int unit = (int) Math.pow(10, Math.max(0, 3 - shape.precision()));
        yield cell -> (int) (LocalTime.parse(cell).toNanoOfDay() / 1_000_000L) / unit * unit;
      }
      case "TIMESTAMP_WITHOUT_TIME_ZONE" -> cell -> TIMES.timestamp(cell.trim());
      case "TIMESTAMP_WITH_LOCAL_TIME_ZONE" -> cell -> TIMES.timestampLtz(cell.trim());
      default ->
          throw new IllegalArgumentException("CSV does not hold values of type " + shape.text());
    };
  }

  private Reader array(Reader element) {
    return cell -> {
      String[] parts = parts(cell);
      Object[] values = new Object[parts.length];
      for (int i = 0; i < values.length; i++) values[i] = element.read(parts[i]);
      return new GenericArrayData(values);
    };
  }

  private Reader row(Shape shape) {
    Reader[] readers = new Reader[shape.children().length];
    for (int i = 0; i < readers.length; i++) readers[i] = reader(shape.children()[i]);
    return cell -> {
      String[] parts = parts(cell);
      if (parts.length == 0) return null;
      if (parts.length != readers.length && !lenient) {
        throw new DataException(
            "row length mismatch: %s fields expected, %s found"
                .formatted(readers.length, parts.length));
      }
      Object[] values = new Object[readers.length];
      for (int i = 0; i < Math.min(parts.length, values.length); i++) {
        values[i] = readers[i].read(parts[i]);
      }
      return new GenericInternalRow(values);
    };
  }

  private String[] parts(String cell) {
    return cell.isBlank() ? new String[0] : cell.split(java.util.regex.Pattern.quote(elements), -1);
  }
}
