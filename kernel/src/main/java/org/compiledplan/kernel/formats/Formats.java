package org.compiledplan.kernel.formats;

import java.util.List;
import java.util.Map;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.compiledplan.kernel.formats.avro.AvroDecoder;
import org.compiledplan.kernel.formats.avro.AvroEncoder;
import org.compiledplan.kernel.formats.base.Calls;
import org.compiledplan.kernel.formats.base.Decoder;
import org.compiledplan.kernel.formats.base.Encoder;
import org.compiledplan.kernel.formats.base.Shape;
import org.compiledplan.kernel.formats.csv.CsvDecoder;
import org.compiledplan.kernel.formats.csv.CsvEncoder;
import org.compiledplan.kernel.formats.json.DataOldDecoder;
import org.compiledplan.kernel.formats.json.DebeziumDecoder;
import org.compiledplan.kernel.formats.json.EventDialect;
import org.compiledplan.kernel.formats.json.JsonDecoder;
import org.compiledplan.kernel.formats.json.JsonEncoder;
import org.compiledplan.kernel.formats.protobuf.ProtobufDecoder;
import org.compiledplan.kernel.formats.protobuf.ProtobufEncoder;
import org.compiledplan.kernel.formats.raw.PrintEncoder;
import org.compiledplan.kernel.formats.raw.RawDecoder;
import org.compiledplan.kernel.formats.raw.RawEncoder;

/** Entry point for Python: formats as columns. */
public final class Formats {
  private static final StructField KIND =
      DataTypes.createStructField("kind", DataTypes.ByteType, false);
  private static final StructField SUFFIX =
      DataTypes.createStructField("suffix", DataTypes.BinaryType, true);

  /** The fault of a record: its line in a file, the reason, and its bytes. */
  public static final StructType FAULT =
      new StructType()
          .add("line", DataTypes.LongType)
          .add("reason", DataTypes.StringType)
          .add("record", DataTypes.BinaryType);

  private Formats() {}

  /**
   * An array of structs of kind, path suffix, columns and metadata: the changes of a part of a
   * message.
   *
   * @param format name of the format
   * @param table name of the table, for messages
   * @param shape type of the rows, see {@link Shape}
   * @param options the format's options without prefix
   * @param metadata keys of the format's metadata
   * @param part the part of the message
   * @param topic topic of the message; with {@code partition} and {@code offset} its position
   */
  public static Column messageChanges(
      String format,
      String table,
      String shape,
      Map<String, String> options,
      List<String> metadata,
      Column part,
      Column topic,
      Column partition,
      Column offset) {
    Decoder decoder = decoder(format, table, shape, options, metadata);
    return Calls.columnInOrder(
        decoder,
        Decoder.class,
        "messageChanges",
        changesType(shape, metadata),
        part,
        topic,
        partition,
        offset);
  }

  /**
   * A struct of the changes of a part of a message and its fault, see {@link #FAULT}; parameters as
   * for {@code messageChanges}.
   */
  public static Column messageOutcome(
      String format,
      String table,
      String shape,
      Map<String, String> options,
      List<String> metadata,
      Column part) {
    StructType type =
        new StructType().add("changes", changesType(shape, metadata), false).add("fault", FAULT);
    Decoder decoder = decoder(format, table, shape, options, metadata);
    return Calls.columnInOrder(decoder, Decoder.class, "messageOutcome", type, part);
  }

  /** The decoder of lines and messages; parameters as for {@code messageChanges}. */
  public static Decoder decoder(
      String format,
      String table,
      String shape,
      Map<String, String> options,
      List<String> metadata) {
    return decoder(format, table, shape, options, metadata.toArray(new String[0]))
        .advising(options.get("remedy"));
  }

  private static Decoder decoder(
      String format, String table, String shape, Map<String, String> options, String[] keys) {
    return switch (format) {
      case "json" -> new JsonDecoder(table, shape, options);
      case "csv" -> new CsvDecoder(table, shape, options);
      case "raw" -> new RawDecoder(table, shape, options);
      case "avro", "avro-confluent" -> new AvroDecoder(table, shape, options, false);
      case "debezium-avro-confluent" -> new AvroDecoder(table, shape, options, true);
      case "protobuf" -> new ProtobufDecoder(table, shape, options);
      case "debezium-json" -> new DebeziumDecoder(table, shape, options, keys, false);
      case "ogg-json" -> new DebeziumDecoder(table, shape, options, keys, true);
      case "canal-json" -> new DataOldDecoder(EventDialect.CANAL, table, shape, options, keys);
      case "maxwell-json" -> new DataOldDecoder(EventDialect.MAXWELL, table, shape, options, keys);
      default -> throw new IllegalArgumentException(format);
    };
  }

  private static DataType changesType(String shape, List<String> metadata) {
    return DataTypes.createArrayType(changeType(shape, metadata), false);
  }

  /** A struct of kind, path suffix, columns `c0`, `c1`, ... and metadata `m0`, `m1`, .... */
  public static StructType changeType(String shape, List<String> metadata) {
    StructType columns = (StructType) Shape.parse(shape).spark();
    StructField[] fields = new StructField[2 + columns.length() + metadata.size()];
    fields[0] = KIND;
    fields[1] = SUFFIX;
    for (int i = 0; i < columns.length(); i++) {
      // A table column may have the name of a surrounding field; the reader renames all of them.
      StructField column = columns.fields()[i];
      fields[2 + i] = DataTypes.createStructField("c" + i, column.dataType(), column.nullable());
    }
    for (int i = 0; i < metadata.size(); i++) {
      fields[2 + columns.length() + i] =
          DataTypes.createStructField("m" + i, metadataType(metadata.get(i)), true);
    }
    return DataTypes.createStructType(fields);
  }

  private static DataType metadataType(String key) {
    EventDialect.Metadata known = EventDialect.metadata(key);
    if (known != null) return known.spark();
    return switch (key) {
      case "source.timestamp" -> DataTypes.TimestampType;
      case "primary-keys" -> DataTypes.createArrayType(DataTypes.StringType, true);
      case "source.properties" ->
          DataTypes.createMapType(DataTypes.StringType, DataTypes.StringType, true);
      default -> DataTypes.StringType;
    };
  }

  /** The line of a struct of columns; parameters as for {@code messageChanges}. */
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
          case "protobuf" -> new ProtobufEncoder(table, shape, options);
          case "debezium-json" ->
              new JsonEncoder(table, shape, options, JsonEncoder.Envelope.DEBEZIUM);
          case "ogg-json" -> new JsonEncoder(table, shape, options, JsonEncoder.Envelope.OGG);
          case "canal-json" -> new JsonEncoder(table, shape, options, JsonEncoder.Envelope.CANAL);
          case "maxwell-json" ->
              new JsonEncoder(table, shape, options, JsonEncoder.Envelope.MAXWELL);
          default -> throw new IllegalArgumentException(format);
        };
    return Calls.column(encoder, Encoder.class, "line", DataTypes.StringType, kind, row);
  }

  /** The output of the connector `print` for a struct. */
  public static Column printedLine(String table, String shape, Column kind, Column row) {
    return Calls.column(
        new PrintEncoder(table, shape), Encoder.class, "line", DataTypes.StringType, kind, row);
  }
}
