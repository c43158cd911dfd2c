package org.compiledplan.kernel.kafka;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Iterator;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.compiledplan.kernel.sinks.BatchTask;

/**
 * Writes the messages of a micro-batch, each task in a transaction of its own.
 *
 * <p>Description: {@code {"settings": {name: text} of the producer, "table": name, "prefix": what
 * the transactional id of a task has before its number, "owner": group, "run", "marks": group,
 * "topic": which the marks name, "tasks": how many write the batch}}. Rows have the columns key,
 * value, topic, and as the schema says headers and partition.
 *
 * <p>A mark is an offset that the transaction commits for a consumer group: its number is that of
 * the micro-batch, its text the number of tasks. The group {@code marks} has that of the last task
 * that committed, and where there are several tasks, {@code marks-N} that of task N. The group
 * {@code owner} says in its text which run has taken the transactional ids.
 */
public final class TransactionWriter extends BatchTask {
  private TransactionWriter(String description, long batch, boolean mayBeThere) {
    super(description, batch, mayBeThere);
  }

  /**
   * The entry from Python: writes what of a micro-batch is not there.
   *
   * @param rows the messages, in as many partitions as there are tasks; what is before the shuffle
   *     in front of them is computed once, however often the same object is written
   * @param mayBeThere whether some of it may have been written before
   */
  public static void write(Dataset<Row> rows, String description, long batch, boolean mayBeThere) {
    rows.foreachPartition(new TransactionWriter(description, batch, mayBeThere));
  }

  @Override
  protected void write(
      JsonNode spec, long batch, int task, boolean mayBeThere, Iterator<Row> rows) {
    Clients.transactions(Thread.currentThread().getContextClassLoader())
        .write(spec, batch, task, mayBeThere, rows);
  }
}
