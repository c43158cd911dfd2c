package org.compiledplan.kernel.realtime;

import java.io.IOException;
import org.apache.spark.sql.Row;

/** One sink in one task of one batch: it takes rows one by one, as they come. */
public interface RowSink {
  /**
   * Takes a row.
   *
   * @param row what the sink's description says
   */
  void write(Row row) throws IOException;

  /** Time has passed: what was held back may go out. */
  default void tick() throws IOException {}

  /** The batch ends: what was taken must be out, and stay, when this returns. */
  void finish() throws IOException;

  /** The batch failed, or was stopped; it runs again. */
  default void abort() {}
}
