package org.compiledplan.kernel.lines;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Set;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.compiledplan.kernel.formats.Formats;
import org.compiledplan.kernel.formats.base.Decoder;
import org.compiledplan.kernel.values.JsonText;

/** A table of line-based files, and the columns of it that are read. */
final class LineTable implements Serializable {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  /** Formats that parse each column separately: columns that are not read are skipped. */
  private static final Set<String> BY_COLUMN = Set.of("csv", "json");

  /** Names of the columns besides the table's, which are `c0`, `c1`, ..., `m0`, .... */
  private static final String KIND = "kind";

  private static final String ORD = "ord";
  private static final String PATH = "path";
  private static final String FAULT = "fault";

  private final String format;
  private final String table;
  private final String shape;
  private final HashMap<String, String> options;
  private final ArrayList<String> metadata;

  /** Length of the common prefix of the URIs of all files of a folder; -1 for a single file. */
  final int common;

  /** True if malformed records become rows. */
  final boolean putsAside;

  final StructType required;

  /** Positions in the output rows; -1 for columns that are not read. */
  final int kind;

  final int ord;
  final int path;
  final int fault;

  /** Positions of the format's columns and metadata. */
  final int[] places;

  /**
   * Creates a table from the options of a read.
   *
   * @param properties `format`, `table`, `shape`, `settings` and `metadata` as for {@link
   *     Formats#decoder}, the last two in JSON; `common` and `putsAside`
   * @param required columns to read
   */
  LineTable(scala.collection.immutable.Map<String, String> properties, StructType required) {
    format = properties.apply("format");
    table = properties.apply("table");
    String whole = properties.apply("shape");
    options = read(properties.apply("settings"), new TypeReference<>() {});
    metadata = read(properties.apply("metadata"), new TypeReference<>() {});
    common = Integer.parseInt(properties.apply("common"));
    putsAside = Boolean.parseBoolean(properties.apply("putsAside"));
    this.required = required;
    List<String> names = List.of(required.fieldNames());
    kind = names.indexOf(KIND);
    ord = names.indexOf(ORD);
    path = names.indexOf(PATH);
    fault = names.indexOf(FAULT);
    StructField[] fields = Formats.changeType(whole, metadata).fields();
    places = new int[fields.length - 2];
    for (int i = 0; i < places.length; i++) places[i] = names.indexOf(fields[2 + i].name());
    shape = BY_COLUMN.contains(format) ? trimmed(whole, places) : whole;
  }

  static StructType schema(String shape, List<String> metadata, boolean putsAside) {
    StructType schema =
        new StructType()
            .add(KIND, DataTypes.ByteType)
            .add(ORD, DataTypes.LongType)
            .add(PATH, DataTypes.BinaryType);
    StructField[] fields = Formats.changeType(shape, metadata).fields();
    for (int i = 2; i < fields.length; i++) schema = schema.add(fields[i]);
    return putsAside ? schema.add(FAULT, Formats.FAULT) : schema;
  }

  boolean isFolder() {
    return common >= 0;
  }

  /** Returns a decoder for one file. */
  Decoder decoder() {
    return Formats.decoder(format, table, shape, options, metadata);
  }

  /** A shape in which columns without a position have the type that skips parsing. */
  private static String trimmed(String shape, int[] places) {
    ObjectNode row = (ObjectNode) JsonText.read(shape);
    ArrayNode children = row.withArray("/children");
    for (int i = 0; i < children.size(); i++) {
      if (places[i] < 0) children.set(i, MAPPER.createObjectNode().put("root", "NULL"));
    }
    return row.toString();
  }

  private static <T> T read(String json, TypeReference<T> type) {
    try {
      return MAPPER.readValue(json, type);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(e);
    }
  }
}
