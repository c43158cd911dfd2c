package org.compiledplan.kernel.kafka;

import com.fasterxml.jackson.databind.JsonNode;
import org.compiledplan.kernel.realtime.RowSink;

/** Sends messages one by one. */
public interface Sender {
  /** Sends those of one task; see {@link MessageRows}. */
  RowSink open(JsonNode spec);
}
