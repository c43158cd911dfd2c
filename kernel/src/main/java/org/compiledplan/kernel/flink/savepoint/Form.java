package org.compiledplan.kernel.flink.savepoint;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;

/**
 * The neutral form of the values of a serializer.
 *
 * @param type its description in the head
 * @param writer writes a value that is not null
 */
record Form(JsonNode type, Writer writer) {
  /** Writes a value as JSON. */
  @FunctionalInterface
  interface Writer {
    void write(Object value, JsonGenerator json) throws IOException;
  }

  void write(Object value, JsonGenerator json) throws IOException {
    if (value == null) {
      json.writeNull();
    } else {
      writer.write(value, json);
    }
  }
}
