package org.compiledplan.kernel.flink.savepoint;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.util.MinimalPrettyPrinter;
import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.apache.flink.api.java.tuple.Tuple;
import org.apache.flink.table.data.RowData;
import org.apache.flink.types.RowKind;

/** A file of state entries: a JSON object a line. */
final class Entries implements Closeable {
  private static final JsonFactory JSON = new JsonFactory();
  private static final int BUFFER = 1 << 16;

  private final JsonGenerator json;
  private final String operator;
  private final Map<String, Long> counts = new TreeMap<>();

  Entries(Path file, String operator) throws IOException {
    json =
        JSON.createGenerator(
            new BufferedOutputStream(
                Files.newOutputStream(
                    file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                BUFFER));
    json.setPrettyPrinter(new MinimalPrettyPrinter("\n"));
    this.operator = operator;
  }

  /** The number of entries by state. */
  Map<String, Long> counts() {
    return counts;
  }

  void begin(String state) throws IOException {
    if (Thread.currentThread().isInterrupted()) {
      throw new InterruptedIOException("another task has failed");
    }
    json.writeStartObject();
    json.writeStringField("op", operator);
    json.writeStringField("state", state);
    counts.merge(state, 1L, Long::sum);
  }

  void end() throws IOException {
    json.writeEndObject();
  }

  void field(String name, Form form, Object value) throws IOException {
    json.writeFieldName(name);
    form.write(value, json);
  }

  void number(String name, long value) throws IOException {
    json.writeNumberField(name, value);
  }

  void numbers(String name, LongStream values) throws IOException {
    json.writeFieldName(name);
    long[] array = values.toArray();
    json.writeArray(array, 0, array.length);
  }

  void list(String name, Form element, List<?> values) throws IOException {
    json.writeFieldName(name);
    json.writeStartArray();
    for (Object value : values) {
      element.write(value, json);
    }
    json.writeEndArray();
  }

  /** The row kind of a row, or of the row at the start of a tuple, unless it is an insertion. */
  void kind(Object value) throws IOException {
    Object first = value instanceof Tuple tuple ? tuple.getField(0) : value;
    if (first instanceof RowData row && row.getRowKind() != RowKind.INSERT) {
      json.writeStringField("kind", row.getRowKind().shortString());
    }
  }

  @Override
  public void close() throws IOException {
    if (!counts.isEmpty()) {
      json.writeRaw('\n');
    }
    json.close();
  }
}
