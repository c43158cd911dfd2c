package org.compiledplan.kernel.formats.json;

import com.fasterxml.jackson.core.JsonEncoding;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.unsafe.types.UTF8String;
import org.compiledplan.kernel.formats.base.Encoder;
import org.compiledplan.kernel.values.RowKinds;

/**
 * The format `json`, one row per line, and `debezium-json`, `ogg-json`, `canal-json` and
 * `maxwell-json`, one event per line.
 */
public final class JsonEncoder extends Encoder {
  private static final JsonFactory FACTORY = new JsonFactory();

  private final HashMap<String, String> options;
  private final Envelope envelope;
  private transient JsonWriters.RowWriter writer;
  private transient ByteArrayOutputStream buffer;

  /** The JSON around a row; without it, rows must be inserts. */
  public enum Envelope {
    NONE,
    DEBEZIUM,
    OGG,
    CANAL,
    MAXWELL
  }

  public JsonEncoder(String table, String shape, Map<String, String> options, Envelope envelope) {
    super(table, shape);
    this.options = new HashMap<>(options);
    this.envelope = envelope;
  }

  @Override
  protected UTF8String encode(byte kind, InternalRow row) throws IOException {
    if (writer == null) {
      writer = new JsonWriters(options).row(row());
      buffer = new ByteArrayOutputStream(256);
    }
    buffer.reset();
    try (JsonGenerator out = FACTORY.createGenerator(buffer, JsonEncoding.UTF8)) {
      boolean gone = !RowKinds.isAdd(kind);
      switch (envelope) {
        case NONE -> writer.write(out, row);
        case DEBEZIUM -> sides(out, gone, row, "op", gone ? "d" : "c");
        case OGG -> sides(out, gone, row, "op_type", gone ? "D" : "I");
        case CANAL -> canal(out, gone ? EventDialect.CANAL.delete : EventDialect.CANAL.insert, row);
        case MAXWELL ->
            maxwell(out, gone ? EventDialect.MAXWELL.delete : EventDialect.MAXWELL.insert, row);
      }
    }
    return UTF8String.fromBytes(buffer.toByteArray());
  }

  private void sides(JsonGenerator out, boolean gone, InternalRow row, String name, String op)
      throws IOException {
    out.writeStartObject();
    side(out, "before", gone ? row : null);
    side(out, "after", gone ? null : row);
    out.writeStringField(name, op);
    out.writeEndObject();
  }

  private void side(JsonGenerator out, String name, InternalRow row) throws IOException {
    if (row != null) {
      out.writeFieldName(name);
      writer.write(out, row);
    } else if (!Boolean.parseBoolean(options.get("encode.ignore-null-fields"))) {
      out.writeNullField(name);
    }
  }

  private void canal(JsonGenerator out, String type, InternalRow row) throws IOException {
    out.writeStartObject();
    out.writeArrayFieldStart("data");
    writer.write(out, row);
    out.writeEndArray();
    out.writeStringField("type", type);
    out.writeEndObject();
  }

  private void maxwell(JsonGenerator out, String type, InternalRow row) throws IOException {
    out.writeStartObject();
    out.writeFieldName("data");
    writer.write(out, row);
    out.writeStringField("type", type);
    out.writeEndObject();
  }
}
