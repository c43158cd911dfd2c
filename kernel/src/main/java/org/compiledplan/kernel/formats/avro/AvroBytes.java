package org.compiledplan.kernel.formats.avro;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.Serializable;
import java.util.Map;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.io.BinaryDecoder;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.DatumReader;
import org.apache.avro.io.DatumWriter;
import org.apache.avro.io.Decoder;
import org.apache.avro.io.DecoderFactory;
import org.apache.avro.io.Encoder;
import org.apache.avro.io.EncoderFactory;

/** Avro values of a table's schema as messages: plain, or prefixed by a schema id. */
class AvroBytes implements Serializable {
  private final String schemaText;
  private final boolean json;
  private transient Schema schema;
  private transient DatumReader<Object> reader;
  private transient DatumWriter<Object> writer;
  private transient BinaryDecoder decoder;
  private transient BinaryEncoder encoder;

  /**
   * @param schemaText the table's schema
   * @param json true if messages are JSON texts
   */
  AvroBytes(String schemaText, boolean json) {
    this.schemaText = schemaText;
    this.json = json;
  }

  /**
   * The message encoding for a format's options: `schema`, `encoding`; with a registry `registry`,
   * `subject`.
   */
  static AvroBytes of(String table, Map<String, String> options) {
    String schema = options.get("schema");
    String registry = options.get("registry");
    return registry == null
        ? new AvroBytes(schema, "json".equals(options.get("encoding")))
        : new RegistryAvroBytes(schema, table, registry, options.get("subject"));
  }

  final Schema schema() {
    if (schema == null) schema = new Schema.Parser().parse(schemaText);
    return schema;
  }

  Object read(byte[] message) throws IOException {
    if (reader == null) reader = new GenericDatumReader<>(schema());
    return read(reader, message, 0);
  }

  /** Decodes a message from byte {@code start} on. */
  final Object read(DatumReader<Object> of, byte[] message, int start) throws IOException {
    int length = message.length - start;
    if (json) {
      Decoder jsonDecoder =
          DecoderFactory.get()
              .jsonDecoder(schema(), new ByteArrayInputStream(message, start, length));
      return of.read(null, jsonDecoder);
    }
    decoder = DecoderFactory.get().binaryDecoder(message, start, length, decoder);
    return of.read(null, decoder);
  }

  byte[] write(Object datum) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    write(datum, out);
    return out.toByteArray();
  }

  /** Appends an encoded value. */
  final void write(Object datum, ByteArrayOutputStream out) throws IOException {
    if (writer == null) writer = new GenericDatumWriter<>(schema());
    Encoder to;
    if (json) {
      to = EncoderFactory.get().jsonEncoder(schema(), out);
    } else {
      encoder = EncoderFactory.get().directBinaryEncoder(out, encoder);
      to = encoder;
    }
    writer.write(datum, to);
    to.flush();
  }
}
