package org.compiledplan.kernel.sinks;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Iterator;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.function.ForeachPartitionFunction;
import org.apache.spark.sql.Row;
import org.compiledplan.kernel.values.JsonText;

/** Writes the rows of a task of a micro-batch, unless they are written already. */
public abstract class BatchTask implements ForeachPartitionFunction<Row> {
  private final String description;
  private final long batch;
  private final boolean mayBeWritten;

  /**
   * @param description description of the sink, in JSON
   * @param batch number of the micro-batch
   * @param mayBeWritten true if its rows may have been written before
   */
  protected BatchTask(String description, long batch, boolean mayBeWritten) {
    this.description = description;
    this.batch = batch;
    this.mayBeWritten = mayBeWritten;
  }

  @Override
  public final void call(Iterator<Row> rows) {
    // A task without rows writes nothing, now or in a replay.
    if (!rows.hasNext()) return;
    TaskContext task = TaskContext.get();
    boolean retried = task.attemptNumber() > 0 || task.stageAttemptNumber() > 0;
    JsonNode spec = JsonText.read(description);
    write(spec, batch, task.partitionId(), mayBeWritten || retried, rows);
  }

  /**
   * Writes the rows in one transaction, which also records the write; a recorded write is not
   * repeated.
   *
   * @param spec description of the sink
   * @param batch number of the micro-batch
   * @param task number of the task within the batch
   * @param mayBeWritten true if the rows may have been written before
   * @param rows the rows, in order
   */
  protected abstract void write(
      JsonNode spec, long batch, int task, boolean mayBeWritten, Iterator<Row> rows);
}
