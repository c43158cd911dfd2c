package org.compiledplan.kernel.sources;

import org.apache.spark.TaskContext;

/**
 * Numbers of rows in the order in which a task reads them: the partition's number in the upper
 * bits, a count in the lower 40. They are unique within a micro-batch only.
 */
public final class RowNumbers {
  private static final int COUNT_BITS = 40;

  private RowNumbers() {}

  /** The number of the first row that the running task reads; that of the next one is 1 more. */
  public static long first() {
    TaskContext task = TaskContext.get();
    return task == null ? 0 : (long) task.partitionId() << COUNT_BITS;
  }
}
