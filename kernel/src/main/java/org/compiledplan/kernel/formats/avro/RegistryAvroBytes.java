package org.compiledplan.kernel.formats.avro;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.io.DatumReader;
import org.compiledplan.kernel.formats.base.DataException;
import org.compiledplan.kernel.formats.registry.SchemaRegistry;

/**
 * Messages of a zero byte, the id of a registered schema, and a value of that schema, which is
 * resolved against the table's schema.
 */
final class RegistryAvroBytes extends AvroBytes {
  /** The zero byte and the id. */
  private static final int HEAD = 1 + Integer.BYTES;

  private final String table;
  private final String registry;
  private final String subject;
  private transient Map<Integer, DatumReader<Object>> readers;
  private transient byte[] head;

  /** Confluent's wire format; the parameters are those of {@link AvroBytes#of}. */
  RegistryAvroBytes(String schema, String table, String registry, String subject) {
    super(schema, false);
    this.table = table;
    this.registry = registry;
    this.subject = subject;
  }

  @Override
  Object read(byte[] message) throws IOException {
    if (message.length < HEAD || message[0] != 0) {
      throw new DataException(
          "it does not begin with a zero byte and the id of a schema, as messages with schemas in a"
              + " registry do");
    }
    int id = ByteBuffer.wrap(message, 1, Integer.BYTES).getInt();
    if (readers == null) readers = new HashMap<>();
    DatumReader<Object> reader = readers.get(id);
    if (reader == null) {
      reader = new GenericDatumReader<>(SchemaRegistry.of(registry).schema(id, table), schema());
      readers.put(id, reader);
    }
    return read(reader, message, HEAD);
  }

  @Override
  byte[] write(Object datum) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    if (head == null) {
      int id = SchemaRegistry.of(registry).register(subject, schema(), table);
      head = ByteBuffer.allocate(HEAD).put((byte) 0).putInt(id).array();
    }
    out.writeBytes(head);
    write(datum, out);
    return out.toByteArray();
  }
}
