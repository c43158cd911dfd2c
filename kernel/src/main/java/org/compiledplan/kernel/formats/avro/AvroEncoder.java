package org.compiledplan.kernel.formats.avro;

import java.util.Map;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.unsafe.types.UTF8String;
import org.compiledplan.kernel.formats.base.Encoder;
import org.compiledplan.kernel.values.RowKinds;

/** The Avro message formats: a row becomes a message, or a Debezium event. */
public final class AvroEncoder extends Encoder {

  private final AvroBytes messages;
  private final boolean events;
  private transient Schema schema;
  private transient AvroWriters.RowWriter before;
  private transient AvroWriters.RowWriter after;

  /**
   * @param events true if a message is a Debezium event
   */
  public AvroEncoder(String table, String shape, Map<String, String> options, boolean events) {
    super(table, shape);
    this.messages = AvroBytes.of(table, options);
    this.events = events;
  }

  @Override
  protected UTF8String encode(byte kind, InternalRow row) throws Exception {
    if (schema == null) {
      schema = AvroReaders.declared(messages.schema());
      after = writer("after");
      before = writer("before");
    }
    return UTF8String.fromBytes(messages.write(events ? event(kind, row) : after.write(row)));
  }

  /** An update becomes a deletion and an insertion, as in Flink. */
  private Object event(byte kind, InternalRow row) {
    boolean inserts = RowKinds.isAdd(kind);
    GenericData.Record event = new GenericData.Record(schema);
    event.put(inserts ? "after" : "before", (inserts ? after : before).write(row));
    event.put("op", inserts ? "c" : "d");
    return event;
  }

  /** The rows of an event have schemas of their own, which differ in their names. */
  private AvroWriters.RowWriter writer(String field) {
    Schema of = events ? schema.getField(field).schema() : schema;
    return AvroWriters.row(AvroReaders.declared(of), row());
  }
}
