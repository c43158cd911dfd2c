package org.compiledplan.kernel.formats;

import java.util.List;
import java.util.Map;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/** The entry from Python: formats as columns. */
public final class Formats {
  private static final StructField KIND =
      DataTypes.createStructField("kind", DataTypes.ByteType, false);
  private static final StructField SUFFIX =
      DataTypes.createStructField("suffix", DataTypes.BinaryType, true);

  private Formats() {}

  /**
   * An array of structs of kind, path suffix, columns and metadata: the changes of a line.
   *
   * @param format the name of the format
   * @param table the table, for messages
   * @param shape the type of the rows, see {@link Shape}
   * @param options the format's options without prefix
   * @param metadata keys of the format's metadata
   */
  public static Column changes(
      String format,
      String table,
      String shape,
      Map<String, String> options,
      List<String> metadata,
      Column line) {
    String[] keys = metadata.toArray(new String[0]);
    Decoder decoder =
        switch (format) {
          case "json" -> new JsonDecoder(table, shape, options);
          case "csv" -> new CsvDecoder(table, shape, options);
          case "raw" -> new RawDecoder(table, shape, options);
          case "avro", "avro-confluent" -> new AvroDecoder(table, shape, options, false);
          case "debezium-avro-confluent" -> new AvroDecoder(table, shape, options, true);
          case "debezium-json" -> new DebeziumDecoder(table, shape, options, keys);
          case "canal-json" -> new DataOldDecoder(EventDialect.CANAL, table, shape, options, keys);
          case "maxwell-json" ->
              new DataOldDecoder(EventDialect.MAXWELL, table, shape, options, keys);
          default -> throw new IllegalArgumentException(format);
        };
    StructType columns = (StructType) Shape.parse(shape).spark();
    StructField[] fields = new StructField[2 + columns.length() + metadata.size()];
    fields[0] = KIND;
    fields[1] = SUFFIX;
    for (int i = 0; i < columns.length(); i++) {
      // A table may have a column named as one of those around it; the reader renames them all.
      StructField column = columns.fields()[i];
      fields[2 + i] = DataTypes.createStructField("c" + i, column.dataType(), column.nullable());
    }
    for (int i = 0; i < metadata.size(); i++) {
      fields[2 + columns.length() + i] =
          DataTypes.createStructField("m" + i, metadataType(metadata.get(i)), true);
    }
    DataType type = DataTypes.createArrayType(DataTypes.createStructType(fields), false);
    return Calls.columnInOrder(decoder, Decoder.class, "changes", type, line);
  }

  private static DataType metadataType(String key) {
    EventDialect.Metadata known = EventDialect.metadata(key);
    if (known != null) {
      return known.spark();
    }
    return switch (key) {
      case "source.timestamp" -> DataTypes.TimestampType;
      case "source.properties" ->
          DataTypes.createMapType(DataTypes.StringType, DataTypes.StringType, true);
      default -> DataTypes.StringType;
    };
  }

  /** The line of a struct of columns; parameters as those of {@code changes}. */
  public static Column line(
      String format,
      String table,
      String shape,
      Map<String, String> options,
      Column kind,
      Column row) {
    Encoder encoder =
        switch (format) {
          case "json" -> new JsonEncoder(table, shape, options, JsonEncoder.Envelope.NONE);
          case "csv" -> new CsvEncoder(table, shape, options);
          case "raw" -> new RawEncoder(table, shape, options);
          case "avro", "avro-confluent" -> new AvroEncoder(table, shape, options, false);
          case "debezium-avro-confluent" -> new AvroEncoder(table, shape, options, true);
          case "debezium-json" ->
              new JsonEncoder(table, shape, options, JsonEncoder.Envelope.DEBEZIUM);
          case "canal-json" -> new JsonEncoder(table, shape, options, JsonEncoder.Envelope.CANAL);
          case "maxwell-json" ->
              new JsonEncoder(table, shape, options, JsonEncoder.Envelope.MAXWELL);
          default -> throw new IllegalArgumentException(format);
        };
    return Calls.column(encoder, Encoder.class, "line", DataTypes.StringType, kind, row);
  }

  /** A struct as the connector `print` shows it. */
  public static Column printedLine(String table, String shape, Column kind, Column row) {
    return Calls.column(
        new PrintEncoder(table, shape), Encoder.class, "line", DataTypes.StringType, kind, row);
  }
}
