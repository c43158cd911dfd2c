package org.compiledplan.kernel.flink.savepoint;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.table.types.logical.LogicalType;

/**
 * A type of the neutral form, to write.
 *
 * @param serializer Flink's serializer of the values
 * @param column the type of a column of a row; null if rows cannot have such a column
 * @param reader reads a value that is not null
 */
record Codec(TypeSerializer<Object> serializer, LogicalType column, Reader reader) {
  /** Reads a value from JSON. */
  @FunctionalInterface
  interface Reader {
    Object read(JsonNode json) throws IOException;
  }

  Object read(JsonNode json) throws IOException {
    return json == null || json.isNull() || json.isMissingNode() ? null : reader.read(json);
  }
}
