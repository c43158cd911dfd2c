package org.compiledplan.kernel.kafka;

import com.fasterxml.jackson.databind.JsonNode;
import org.apache.spark.api.java.function.ForeachPartitionFunction;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.compiledplan.kernel.realtime.RowSink;
import org.compiledplan.kernel.values.JsonText;

/**
 * Messages that are sent one by one.
 *
 * <p>Description: {@code {"settings": {name: text} of the producer, "table": name}}. Rows are those
 * of {@link TransactionWriter}.
 */
public final class MessageRows {
  private MessageRows() {}

  public static RowSink open(JsonNode spec) {
    return Clients.sender(Thread.currentThread().getContextClassLoader()).open(spec);
  }

  /** The entry from Python: sends those of a micro-batch, which the brokers have at the end. */
  public static void write(Dataset<Row> rows, String description) {
    rows.foreachPartition(task(description));
  }

  private static ForeachPartitionFunction<Row> task(String description) {
    return rows -> {
      // Of a task without rows nothing is opened.
      if (!rows.hasNext()) return;
      RowSink sink = open(JsonText.read(description));
      while (rows.hasNext()) sink.write(rows.next());
      sink.finish();
    };
  }
}
