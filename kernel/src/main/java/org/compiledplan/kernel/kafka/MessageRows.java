package org.compiledplan.kernel.kafka;

import com.fasterxml.jackson.databind.JsonNode;
import org.apache.spark.api.java.function.ForeachPartitionFunction;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.compiledplan.kernel.sinks.RowSink;
import org.compiledplan.kernel.values.JsonText;

/**
 * Messages sent without transactions.
 *
 * <p>Description: {@code {"settings": {name: text} of the producer, "table": name}}. Rows are those
 * of {@link TransactionWriter}.
 */
public final class MessageRows {
  private MessageRows() {}

  public static RowSink open(JsonNode spec) {
    return Clients.sender(Thread.currentThread().getContextClassLoader()).open(spec);
  }

  /**
   * Entry point for Python: sends the messages of a micro-batch; returns after the brokers have
   * acknowledged them.
   */
  public static void write(Dataset<Row> rows, String description) {
    rows.foreachPartition(task(description));
  }

  private static ForeachPartitionFunction<Row> task(String description) {
    return rows -> {
      // A task without rows opens nothing.
      if (!rows.hasNext()) return;
      RowSink sink = open(JsonText.read(description));
      while (rows.hasNext()) sink.write(rows.next());
      sink.finish();
    };
  }
}
