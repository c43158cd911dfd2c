package org.compiledplan.kernel.realtime;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.Map;
import org.apache.spark.sql.Row;
import org.compiledplan.kernel.jdbc.DatabaseRows;
import org.compiledplan.kernel.kafka.MessageRows;
import org.compiledplan.kernel.sinks.RowSink;

/** Registry of the kinds of sinks, by {@code "type"} in their description. */
final class RowSinks {
  private interface Maker {
    RowSink open(JsonNode spec, Task task) throws IOException;
  }

  private static final Map<String, Maker> KINDS =
      Map.of(
          "blackhole", (spec, task) -> new Nothing(),
          "lines", LinesToDriver::new,
          "files", FileRows::new,
          "jdbc", (spec, task) -> new DatabaseRows(spec, task.ticked()),
          "kafka", (spec, task) -> MessageRows.open(spec));

  private RowSinks() {}

  static RowSink open(JsonNode spec, Task task) throws IOException {
    String type = spec.path("type").asText();
    Maker maker = KINDS.get(type);
    if (maker == null) throw new IllegalArgumentException("unknown kind of sink: " + type);
    return maker.open(spec, task);
  }

  private static final class Nothing implements RowSink {
    @Override
    public void write(Row row) {}

    @Override
    public void finish() {}
  }
}
