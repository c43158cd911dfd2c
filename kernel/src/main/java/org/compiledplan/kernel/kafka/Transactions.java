package org.compiledplan.kernel.kafka;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Iterator;
import org.apache.spark.sql.Row;

/** Writes messages in transactions. */
public interface Transactions {
  /**
   * Writes the messages of one task of a micro-batch in one transaction, which also records that
   * they are written; where that is recorded already, nothing is written.
   *
   * @param spec see {@link TransactionWriter}
   * @param batch the number of the micro-batch
   * @param task the number of the task, of those that write the batch
   * @param mayBeThere whether the messages may have been written before
   * @param rows the messages, in their order
   * @throws BrokersAwayException it may work later
   * @throws KafkaException it will not
   */
  void write(JsonNode spec, long batch, int task, boolean mayBeThere, Iterator<Row> rows);
}
