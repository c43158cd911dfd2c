package org.compiledplan.kernel.formats.json;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.unsafe.types.UTF8String;
import org.compiledplan.kernel.formats.base.DataException;
import org.compiledplan.kernel.formats.base.Decoder;
import org.compiledplan.kernel.formats.base.Shape;
import org.compiledplan.kernel.formats.base.TimestampTexts;
import org.compiledplan.kernel.values.RowKinds;

/**
 * The formats `canal-json` and `maxwell-json`: one event per line, with `data`, the row (Canal:
 * rows) after a change or before a deletion, and `old`, the previous values of the columns that an
 * update changed.
 */
public final class DataOldDecoder extends Decoder {

  private final EventDialect dialect;
  private final String timestamps;
  private final Pattern databases;
  private final Pattern tables;
  private final String[] metadata;
  private transient JsonValues values;
  private transient JsonValues.Reader reader;
  private transient JsonValues.Reader[] metadataReaders;
  private transient String[] names;

  public DataOldDecoder(
      EventDialect dialect,
      String table,
      String shape,
      Map<String, String> options,
      String[] metadata) {
    super(table, shape, Boolean.parseBoolean(options.get("ignore-parse-errors")));
    this.dialect = dialect;
    this.timestamps = options.getOrDefault("timestamp-format.standard", "SQL");
    this.databases = pattern(options.get("database.include"));
    this.tables = pattern(options.get("table.include"));
    this.metadata = metadata;
  }

  private static Pattern pattern(String text) {
    return text == null ? null : Pattern.compile(text);
  }

  @Override
  protected ArrayData decode(UTF8String line) throws Exception {
    if (reader == null) open();
    byte[] bytes = line.getBytes();
    JsonNode event;
    try (JsonParser parser = JsonDecoder.FACTORY.createParser(bytes, 0, bytes.length)) {
      event = values.tree(parser);
    }
    if (event == null || !event.isObject()) {
      throw new DataException("an event of " + dialect.title + " is a JSON object");
    }
    // Events of other tables are skipped first: their columns may differ from this table's.
    if (!included(event, "database", databases) || !included(event, "table", tables)) {
      return NOTHING;
    }
    List<InternalRow> changes = new ArrayList<>();
    try {
      read(event, changes);
    } catch (Exception e) {
      if (!lenient) throw e;
      // The rows before the malformed one in an event of several rows are kept.
    }
    return changes.isEmpty() ? NOTHING : new GenericArrayData(changes.toArray());
  }

  private void open() {
    Shape row = row();
    values =
        new JsonValues(true, row.hasDecimals(), lenient, false, new TimestampTexts(timestamps));
    metadataReaders = new JsonValues.Reader[metadata.length];
    for (int i = 0; i < metadata.length; i++) {
      metadataReaders[i] = values.reader(EventDialect.metadata(metadata[i]).shape());
    }
    names = row.names();
    reader = values.reader(row);
  }

  private boolean included(JsonNode event, String name, Pattern pattern) {
    if (pattern == null) return true;
    JsonNode value = event.get(name);
    if (value == null) {
      throw new DataException(
          "an event without the field \"" + name + "\", which " + name + ".include needs");
    }
    return pattern.matcher(value.asText()).matches();
  }

  private void read(JsonNode event, List<InternalRow> changes) throws IOException {
    JsonNode type = event.get("type");
    String name = type == null || type.isNull() ? "" : type.asText();
    if (name.equals(dialect.insert)) {
      rows(event, RowKinds.INSERT, name, changes);
    } else if (name.equals(dialect.delete)) {
      rows(event, RowKinds.DELETE, name, changes);
    } else if (name.equals(dialect.update)) {
      updates(event, changes);
    } else if (!name.equals(dialect.ignored)) {
      throw new DataException(
          "unknown \"type\" value '%s' in an event of %s; %s, %s and %s are known"
              .formatted(name, dialect.title, dialect.insert, dialect.update, dialect.delete));
    }
  }

  private void rows(JsonNode event, byte kind, String type, List<InternalRow> changes)
      throws IOException {
    Object[] extra = metadata(event);
    JsonNode data = present(event, "data", type);
    for (int i = 0; i < size(data); i++) {
      changes.add(change(kind, suffix(changes), row(item(data, i), "data", type), extra));
    }
  }

  private void updates(JsonNode event, List<InternalRow> changes) throws IOException {
    Object[] extra = metadata(event);
    JsonNode data = present(event, "data", dialect.update);
    JsonNode old = present(event, "old", dialect.update);
    for (int i = 0; i < size(data); i++) {
      JsonNode changed = item(old, i);
      InternalRow after = row(item(data, i), "data", dialect.update);
      InternalRow before = before(row(changed, "old", dialect.update), changed, after);
      changes.add(change(RowKinds.UPDATE_BEFORE, suffix(changes), before, extra));
      changes.add(change(RowKinds.UPDATE_AFTER, suffix(changes), after, extra));
    }
  }

  /**
   * The row before an update: columns missing in `old` were not changed; columns that are null
   * there were null.
   */
  private InternalRow before(InternalRow old, JsonNode changed, InternalRow after) {
    Object[] oldValues = ((GenericInternalRow) old).values();
    Object[] newValues = ((GenericInternalRow) after).values();
    for (int i = 0; i < oldValues.length; i++) {
      if (oldValues[i] == null && !changed.has(names[i])) oldValues[i] = newValues[i];
    }
    return old;
  }

  private JsonNode present(JsonNode event, String field, String type) {
    JsonNode value = event.get(field);
    if (value == null || value.isNull()) throw new DataException(missing(field, type));
    if (dialect.isArray && !value.isArray()) {
      throw new DataException(
          "the \"" + field + "\" field of an event of " + dialect.title + " is an array");
    }
    return value;
  }

  private int size(JsonNode data) {
    return dialect.isArray ? data.size() : 1;
  }

  private JsonNode item(JsonNode data, int index) {
    return dialect.isArray ? data.get(index) : data;
  }

  private InternalRow row(JsonNode node, String field, String type) throws IOException {
    Object row = node == null ? null : values.read(reader, node);
    if (row == null) throw new DataException(missing(field, type));
    return (InternalRow) row;
  }

  private String missing(String field, String type) {
    return "the \""
        + field
        + "\" field of an event of "
        + dialect.title
        + " with type '"
        + type
        + "' has no row";
  }

  private Object[] metadata(JsonNode event) throws IOException {
    Object[] extra = new Object[metadata.length];
    for (int i = 0; i < extra.length; i++) {
      EventDialect.Metadata key = EventDialect.metadata(metadata[i]);
      JsonNode node = event.get(EventDialect.field(metadata[i]));
      Object value = node == null || node.isNull() ? null : values.read(metadataReaders[i], node);
      extra[i] = value != null && key.isTime() ? (Object) ((Long) value * dialect.micros()) : value;
    }
    return extra;
  }
}
