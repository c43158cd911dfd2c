package org.compiledplan.kernel.formats.avro;

import java.util.Map;
import org.apache.avro.Schema;
import org.apache.avro.generic.IndexedRecord;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.unsafe.types.UTF8String;
import org.compiledplan.kernel.formats.base.Decoder;
import org.compiledplan.kernel.formats.json.DebeziumDecoder;

/** The Avro message formats: a message is a row, or a Debezium event with two rows. */
public final class AvroDecoder extends Decoder {
  private final AvroBytes messages;
  private final boolean events;
  private transient AvroReaders.Reader reader;
  private transient Schema envelope;

  /**
   * @param events true if a message is a Debezium event
   */
  public AvroDecoder(String table, String shape, Map<String, String> options, boolean events) {
    super(table, shape, false);
    this.messages = AvroBytes.of(table, options);
    this.events = events;
  }

  @Override
  protected boolean skips(UTF8String message) {
    // As in Flink, an empty message is an event without changes.
    return events && message.numBytes() == 0;
  }

  @Override
  protected Object shown(UTF8String message) {
    return hexadecimal(message);
  }

  @Override
  protected ArrayData decode(UTF8String message) throws Exception {
    if (reader == null) {
      envelope = AvroReaders.declared(messages.schema());
      Schema row = events ? envelope.getField("before").schema() : envelope;
      reader = AvroReaders.record(AvroReaders.declared(row), row());
    }
    Object datum = messages.read(message.getBytes());
    if (!events) return insert((InternalRow) reader.read(datum));
    if (datum == null) return NOTHING;
    IndexedRecord event = (IndexedRecord) datum;
    Object op = field(event, "op");
    return DebeziumDecoder.changes(
        op == null ? null : op.toString(), row(event, "before"), row(event, "after"), NO_METADATA);
  }

  private InternalRow row(IndexedRecord event, String name) {
    Object value = field(event, name);
    return value == null ? null : (InternalRow) reader.read(value);
  }

  private Object field(IndexedRecord event, String name) {
    return event.get(envelope.getField(name).pos());
  }
}
