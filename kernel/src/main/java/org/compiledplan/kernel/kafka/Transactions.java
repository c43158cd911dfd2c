package org.compiledplan.kernel.kafka;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Iterator;
import org.apache.spark.sql.Row;

/** Writes messages in transactions. */
public interface Transactions {
  /**
   * Writes the messages of one task of a micro-batch in one transaction, which also records the
   * write; a recorded write is not repeated.
   *
   * @param spec see {@link TransactionWriter}
   * @param batch number of the micro-batch
   * @param task number of the task within the batch
   * @param mayBeWritten true if the messages may have been written before
   * @param rows the messages, in order
   * @throws BrokersAwayException if the failure may be temporary
   * @throws KafkaException if it is permanent
   */
  void write(JsonNode spec, long batch, int task, boolean mayBeWritten, Iterator<Row> rows);
}
