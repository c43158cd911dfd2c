package org.compiledplan.kernel.kafka;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Iterator;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.compiledplan.kernel.sinks.BatchTask;

/**
 * Writes the messages of a micro-batch, each task in a transaction of its own.
 *
 * <p>Description: {@code {"settings": {name: text} of the producer, "table": name, "prefix": of the
 * tasks' transactional ids, before the task's number, "owner": group, "run", "marks": group,
 * "topic": named by the marks, "tasks": number of tasks that write the batch}}. Rows have the
 * columns key, value, topic, and, depending on the schema, headers and partition.
 *
 * <p>A mark is an offset that the transaction commits for a consumer group: its number is that of
 * the micro-batch, its metadata the number of tasks. The group {@code marks} has the mark of the
 * last task that committed, and with several tasks, {@code marks-N} that of task N. The group
 * {@code owner} names in its metadata the run that owns the transactional ids.
 */
public final class TransactionWriter extends BatchTask {
  private TransactionWriter(String description, long batch, boolean mayBeWritten) {
    super(description, batch, mayBeWritten);
  }

  /**
   * Entry point for Python: writes the part of a micro-batch that is not written yet.
   *
   * @param rows the messages, with one partition per task; computed once, however often the same
   *     object is written, since their shuffle retains its input
   * @param mayBeWritten true if part of it may have been written before
   */
  public static void write(
      Dataset<Row> rows, String description, long batch, boolean mayBeWritten) {
    rows.foreachPartition(new TransactionWriter(description, batch, mayBeWritten));
  }

  @Override
  protected void write(
      JsonNode spec, long batch, int task, boolean mayBeWritten, Iterator<Row> rows) {
    Clients.transactions(Thread.currentThread().getContextClassLoader())
        .write(spec, batch, task, mayBeWritten, rows);
  }
}
