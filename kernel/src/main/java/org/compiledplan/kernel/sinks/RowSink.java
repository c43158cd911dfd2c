package org.compiledplan.kernel.sinks;

import java.io.IOException;
import org.apache.spark.sql.Row;

/** One sink in one task of one batch, which receives rows one by one. */
public interface RowSink {
  /**
   * Writes a row, possibly into a buffer.
   *
   * @param row columns according to the sink's description
   * @throws IOException if the write fails; the batch then fails
   */
  void write(Row row) throws IOException;

  /**
   * Flushes buffered rows; called periodically.
   *
   * @throws IOException if the write fails; the batch then fails
   */
  default void tick() throws IOException {}

  /**
   * Ends the batch: all rows must be durable when this returns.
   *
   * @throws IOException if the write fails; the batch then fails
   */
  void finish() throws IOException;

  /** Cleans up after the batch failed or was stopped; it is replayed. */
  default void abort() {}
}
