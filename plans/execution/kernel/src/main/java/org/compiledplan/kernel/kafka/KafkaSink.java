package org.compiledplan.kernel.kafka;

import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;

/** The entry from Python: a micro-batch that is written to Kafka, over and over if need be. */
public final class KafkaSink {
  private final Dataset<Row> rows;
  private final String description;
  private final long batch;

  /**
   * @param rows the messages, in as many partitions as there are tasks, see {@link
   *     TransactionWriter}; what is before the shuffle in front of them is computed once
   */
  public KafkaSink(Dataset<Row> rows, String description, long batch) {
    this.rows = rows;
    this.description = description;
    this.batch = batch;
  }

  /**
   * Writes what of the batch is not there.
   *
   * @param mayBeThere whether some of it may have been written before
   */
  public void write(boolean mayBeThere) {
    rows.foreachPartition(new TransactionWriter(description, batch, mayBeThere));
  }
}
