package org.compiledplan.kernel.kafka;

import com.fasterxml.jackson.databind.JsonNode;
import org.compiledplan.kernel.sinks.RowSink;

/** Sends messages without transactions. */
public interface Sender {
  /** Opens the sink of one task; see {@link MessageRows}. */
  RowSink open(JsonNode spec);
}
