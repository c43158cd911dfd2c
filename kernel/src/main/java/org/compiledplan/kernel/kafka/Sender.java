package org.compiledplan.kernel.kafka;

import org.compiledplan.kernel.sinks.RowSink;

import com.fasterxml.jackson.databind.JsonNode;

/** Sends messages without transactions. */
public interface Sender {
  /** Opens the sink of one task; see {@link MessageRows}. */
  RowSink open(JsonNode spec);
}
