package org.compiledplan.kernel.formats.files;

import static org.apache.spark.sql.catalyst.catalog.ExternalCatalogUtils.unescapePathName;

import java.io.Serializable;
import java.math.BigDecimal;
import java.net.URI;
import java.time.LocalDateTime;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.unsafe.types.UTF8String;
import org.compiledplan.kernel.formats.base.Calls;
import org.compiledplan.kernel.formats.base.DataException;
import org.compiledplan.kernel.formats.base.Shape;
import org.compiledplan.kernel.formats.base.SparkValues;
import org.compiledplan.kernel.formats.base.TimestampTexts;

/**
 * Values from the path of a file: the path, the file name, and the partition columns
 * (`.../day=2024-01-02/...`). Methods called by Python and methods called by Spark have different
 * names: Py4J resolves a static method by its name alone.
 */
public final class FilePaths implements Serializable {
  private final String table;
  private final String shape;
  private final String nullName;
  private transient Shape row;
  private transient UTF8String last;
  private transient InternalRow values;

  /**
   * @param table name of the table, for messages
   * @param shape the partition columns, see {@link Shape}
   * @param nullName folder name of null values
   */
  private FilePaths(String table, String shape, String nullName) {
    this.table = table;
    this.shape = shape;
    this.nullName = nullName;
  }

  /** A struct of the partition columns from a file's URI. */
  public static Column partitionsOf(String table, String shape, String nullName, Column uri) {
    FilePaths paths = new FilePaths(table, shape, nullName);
    return Calls.column(paths, FilePaths.class, "partitions", Shape.parse(shape).spark(), uri);
  }

  /** The path within its file system, from a file's URI. */
  public static Column pathOf(Column uri) {
    return Calls.column(
        new FilePaths("", "{}", ""), FilePaths.class, "path", DataTypes.StringType, uri);
  }

  /** The file name, from a file's URI. */
  public static Column nameOf(Column uri) {
    return Calls.column(
        new FilePaths("", "{}", ""), FilePaths.class, "name", DataTypes.StringType, uri);
  }

  /** The folder name of a value; null for null. */
  public static Column text(String shape, Column value) {
    FolderText text = new FolderText(shape);
    return Calls.column(
        text, FolderText.class, "text", DataTypes.StringType, functions.struct(value));
  }

  public UTF8String path(UTF8String uri) {
    return UTF8String.fromString(URI.create(uri.toString()).getPath());
  }

  public UTF8String name(UTF8String uri) {
    String path = URI.create(uri.toString()).getPath();
    return UTF8String.fromString(path.substring(path.lastIndexOf('/') + 1));
  }

  public InternalRow partitions(UTF8String uri) {
    // All rows of a file have the same values.
    if (!uri.equals(last)) {
      values = read(URI.create(uri.toString()).getPath());
      last = uri.clone();
    }
    return values;
  }

  private InternalRow read(String path) {
    if (row == null) row = Shape.parse(shape);
    Object[] values = new Object[row.names().length];
    // Folder names escape some characters: `%3A` is a colon.
    for (String folder : path.split("/")) {
      int sign = folder.indexOf('=');
      for (int i = 0; sign > 0 && i < values.length; i++) {
        if (unescapePathName(folder.substring(0, sign)).equals(row.names()[i])) {
          values[i] =
              value(
                  unescapePathName(folder.substring(sign + 1)),
                  row.children()[i],
                  row.names()[i],
                  path);
        }
      }
    }
    return new GenericInternalRow(values);
  }

  private Object value(String text, Shape type, String name, String path) {
    if (text.equals(nullName)) return null;
    try {
      return parse(text, type);
    } catch (RuntimeException e) {
      throw new DataException(
          "partition column %s: %s (%s, file %s)"
              .formatted(name, SparkValues.mismatch(text, type.text()), table, path));
    }
  }

  private static Object parse(String text, Shape type) {
    return switch (type.root()) {
      case "CHAR", "VARCHAR" -> SparkValues.text(text);
      case "BOOLEAN" -> Boolean.parseBoolean(text);
      case "TINYINT" -> Byte.parseByte(text);
      case "SMALLINT" -> Short.parseShort(text);
      case "INTEGER" -> Integer.parseInt(text);
      case "BIGINT" -> Long.parseLong(text);
      case "FLOAT" -> Float.parseFloat(text);
      case "DOUBLE" -> Double.parseDouble(text);
      case "DECIMAL" -> SparkValues.decimal(new BigDecimal(text), type.precision(), type.scale());
      // Flink writes the days since 1970, which it cannot read; this writes the form that Flink
      // reads.
      case "DATE" ->
          text.matches("-?\\d+")
              ? (Object) Integer.parseInt(text)
              : (Object) TimestampTexts.date(text);
      case "TIMESTAMP_WITHOUT_TIME_ZONE" ->
          TimestampTexts.micros(LocalDateTime.parse(text.replace(' ', 'T')));
      default -> throw new IllegalArgumentException("not a type of partition columns");
    };
  }
}
