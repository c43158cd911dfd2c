package org.compiledplan.kernel.kafka;

import com.fasterxml.jackson.databind.JsonNode;
import org.compiledplan.kernel.realtime.RowSink;

/**
 * Messages that are sent one by one.
 *
 * <p>Description: {@code {"settings": {name: text} of the producer, "table": name}}. Rows are those
 * of {@link TransactionWriter}.
 */
public final class MessageRows {
  private MessageRows() {}

  /** What sends them. */
  public static RowSink open(JsonNode spec) {
    return Clients.sender(Thread.currentThread().getContextClassLoader()).open(spec);
  }
}
