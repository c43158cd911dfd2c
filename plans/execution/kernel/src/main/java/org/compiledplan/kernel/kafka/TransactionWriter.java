package org.compiledplan.kernel.kafka;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.Iterator;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.function.ForeachPartitionFunction;
import org.apache.spark.sql.Row;

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
final class TransactionWriter implements ForeachPartitionFunction<Row> {
  private static final long serialVersionUID = 1;

  private final String description;
  private final long batch;
  private final boolean mayBeThere;

  TransactionWriter(String description, long batch, boolean mayBeThere) {
    this.description = description;
    this.batch = batch;
    this.mayBeThere = mayBeThere;
  }

  @Override
  public void call(Iterator<Row> rows) throws JsonProcessingException {
    // Nothing is written of it, now or when it comes again.
    if (!rows.hasNext()) return;
    TaskContext task = TaskContext.get();
    boolean again = task.attemptNumber() > 0 || task.stageAttemptNumber() > 0;
    Clients.transactions(Thread.currentThread().getContextClassLoader())
        .write(
            new ObjectMapper().readTree(description),
            batch,
            task.partitionId(),
            mayBeThere || again,
            rows);
  }
}
