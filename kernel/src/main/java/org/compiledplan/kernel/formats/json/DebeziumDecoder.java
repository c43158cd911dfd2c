package org.compiledplan.kernel.formats.json;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.unsafe.types.UTF8String;
import org.compiledplan.kernel.formats.base.DataException;
import org.compiledplan.kernel.formats.base.Decoder;
import org.compiledplan.kernel.formats.base.Shape;
import org.compiledplan.kernel.formats.base.SparkValues;
import org.compiledplan.kernel.formats.base.TimestampTexts;
import org.compiledplan.kernel.values.RowKinds;

/**
 * The formats `debezium-json` and `ogg-json`: one event per line, with the row before and after the
 * change.
 */
public final class DebeziumDecoder extends Decoder {
  private static final byte[] FIRST = {0};
  private static final byte[] SECOND = {1};
  private static final ObjectMapper MAPPER = new ObjectMapper(JsonDecoder.FACTORY);

  private final String timestamps;
  private final boolean schema;
  private final String[] metadata;
  private final boolean isOgg;
  private transient JsonValues.Reader reader;

  /**
   * @param isOgg true for events of Oracle GoldenGate
   */
  public DebeziumDecoder(
      String table, String shape, Map<String, String> options, String[] metadata, boolean isOgg) {
    super(table, shape, Boolean.parseBoolean(options.get("ignore-parse-errors")));
    this.timestamps = options.getOrDefault("timestamp-format.standard", "SQL");
    this.schema = Boolean.parseBoolean(options.get("schema-include"));
    this.metadata = metadata;
    this.isOgg = isOgg;
  }

  private static final class Event {
    private InternalRow before;
    private InternalRow after;
    private String op;
    private JsonNode source;
    private JsonNode time;
    private JsonNode schema;
    private final Map<String, JsonNode> others = new HashMap<>();
  }

  @Override
  protected ArrayData decode(UTF8String line) throws Exception {
    if (reader == null) {
      Shape row = row();
      JsonValues values =
          new JsonValues(true, row.hasDecimals(), lenient, false, new TimestampTexts(timestamps));
      reader = values.reader(row);
    }
    byte[] bytes = line.getBytes();
    Event event = new Event();
    try (JsonParser parser = JsonDecoder.FACTORY.createParser(bytes, 0, bytes.length)) {
      parser.nextToken();
      read(event, parser, schema);
    }
    return changes(event);
  }

  private void read(Event event, JsonParser parser, boolean envelope) throws IOException {
    if (parser.currentToken() != JsonToken.START_OBJECT) {
      throw new DataException("a Debezium event is a JSON object");
    }
    while (parser.nextToken() != JsonToken.END_OBJECT) {
      String name = parser.currentName();
      parser.nextToken();
      if (envelope) {
        if (name.equals("payload") && parser.currentToken() != JsonToken.VALUE_NULL) {
          read(event, parser, false);
        } else if (name.equals("schema") && metadata.length > 0) {
          event.schema = MAPPER.readTree(parser);
        } else {
          parser.skipChildren();
        }
        continue;
      }
      switch (name) {
        case "before" -> event.before = (InternalRow) reader.read(parser);
        case "after" -> event.after = (InternalRow) reader.read(parser);
        case "op", "op_type" -> op(event, name, parser);
        case "table", "primary_keys", "current_ts", "op_ts" -> event.others.put(name, tree(parser));
        case "source" -> event.source = tree(parser);
        case "ts_ms" -> event.time = tree(parser);
        default -> parser.skipChildren();
      }
    }
  }

  private void op(Event event, String name, JsonParser parser) throws IOException {
    if (!name.equals(isOgg ? "op_type" : "op")) parser.skipChildren();
    else event.op = parser.currentToken() == JsonToken.VALUE_NULL ? null : parser.getText();
  }

  private JsonNode tree(JsonParser parser) throws IOException {
    if (metadata.length == 0) {
      parser.skipChildren();
      return null;
    }
    return MAPPER.readTree(parser);
  }

  private GenericArrayData changes(Event event) {
    Object[] extra = new Object[metadata.length];
    for (int i = 0; i < extra.length; i++) extra[i] = metadata(metadata[i], event);
    return changes(isOgg ? op(event.op) : event.op, event.before, event.after, extra);
  }

  /** The changes of an event of kind {@code op}, with the rows before and after it. */
  public static GenericArrayData changes(
      String op, InternalRow was, InternalRow is, Object[] extra) {
    switch (String.valueOf(op)) {
      case "c", "r" -> {
        return array(change(RowKinds.INSERT, null, present(is, "after", op), extra));
      }
      case "u" -> {
        InternalRow before = present(was, "before", "u");
        InternalRow after = present(is, "after", "u");
        return array(
            change(RowKinds.UPDATE_BEFORE, FIRST, before, extra),
            change(RowKinds.UPDATE_AFTER, SECOND, after, extra));
      }
      case "d" -> {
        return array(change(RowKinds.DELETE, null, present(was, "before", "d"), extra));
      }
      default ->
          throw new DataException(
              "unknown \"op\" value '" + op + "' in a Debezium event; c, r, u and d are known");
    }
  }

  /** Maps the kind of an Oracle GoldenGate event to Debezium's. */
  private static String op(String type) {
    return switch (String.valueOf(type)) {
      case "I" -> "c";
      case "U" -> "u";
      case "D" -> "d";
      default ->
          throw new DataException(
              "unknown \"op_type\" value '" + type + "' in an event; I, U and D are known");
    };
  }

  private static GenericArrayData array(Object... changes) {
    return new GenericArrayData(changes);
  }

  private static InternalRow present(InternalRow row, String name, String op) {
    if (row != null) return row;
    String hint =
        name.equals("before")
            ? "; if it comes from PostgreSQL, set the table's REPLICA IDENTITY to FULL"
            : "";
    throw new DataException(
        "the \"" + name + "\" field of a Debezium event with op '" + op + "' is null" + hint);
  }

  private Object metadata(String key, Event event) {
    if (isOgg) return ogg(key, event.others);
    return switch (key) {
      case "schema" ->
          event.schema == null || event.schema.isNull()
              ? null
              : SparkValues.text(event.schema.toString());
      case "ingestion-timestamp" -> millis(event.time);
      case "source.timestamp" -> millis(field(event.source, "ts_ms"));
      case "source.database" -> text(field(event.source, "db"));
      case "source.schema" -> text(field(event.source, "schema"));
      case "source.table" -> text(field(event.source, "table"));
      case "source.properties" -> properties(event.source);
      default -> throw new IllegalArgumentException("Debezium events have no metadata " + key);
    };
  }

  private static Object ogg(String key, Map<String, JsonNode> fields) {
    return switch (key) {
      case "table" -> text(fields.get("table"));
      case "primary-keys" -> texts(fields.get("primary_keys"));
      case "ingestion-timestamp" -> micros(fields.get("current_ts"));
      case "event-timestamp" -> micros(fields.get("op_ts"));
      default -> throw new IllegalArgumentException("these events have no metadata " + key);
    };
  }

  private static Object texts(JsonNode node) {
    if (node == null || !node.isArray()) return null;
    Object[] texts = new Object[node.size()];
    for (int i = 0; i < texts.length; i++) texts[i] = text(node.get(i));
    return new GenericArrayData(texts);
  }

  /** Microseconds of a time without zone, interpreted as UTC. */
  private static Object micros(JsonNode node) {
    if (node == null || node.isNull()) return null;
    Instant at = LocalDateTime.parse(node.asText().replace(' ', 'T')).toInstant(ZoneOffset.UTC);
    return ChronoUnit.MICROS.between(Instant.EPOCH, at);
  }

  private static JsonNode field(JsonNode node, String name) {
    return node == null ? null : node.get(name);
  }

  private static Object millis(JsonNode node) {
    return node == null || node.isNull() ? null : (Object) (node.asLong() * 1000L);
  }

  private static Object text(JsonNode node) {
    return node == null || node.isNull() ? null : SparkValues.text(node.asText());
  }

  private static Object properties(JsonNode source) {
    if (source == null || !source.isObject()) return null;
    Map<Object, Object> properties = new LinkedHashMap<>();
    source
        .properties()
        .forEach(
            item ->
                properties.put(
                    SparkValues.text(item.getKey()),
                    item.getValue().isNull()
                        ? null
                        : SparkValues.text(
                            item.getValue().isValueNode()
                                ? item.getValue().asText()
                                : item.getValue().toString())));
    return SparkValues.map(properties);
  }
}
