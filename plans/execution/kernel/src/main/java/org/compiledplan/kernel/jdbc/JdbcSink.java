package org.compiledplan.kernel.jdbc;

import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;

/** The entry from Python: a micro-batch that is written to a database, over and over if need be. */
public final class JdbcSink {
  private final Dataset<Row> rows;
  private final String description;
  private final long batch;

  /**
   * @param rows of one partition, in their order, see {@link BatchWriter}; it is computed once,
   *     since the shuffle in front of it keeps what it was given
   */
  public JdbcSink(Dataset<Row> rows, String description, long batch) {
    this.rows = rows;
    this.description = description;
    this.batch = batch;
  }

  /**
   * Writes the batch, unless it is there.
   *
   * @param mayBeThere whether it may have been written before
   */
  public void write(boolean mayBeThere) {
    rows.foreachPartition(new BatchWriter(description, batch, mayBeThere));
  }
}
