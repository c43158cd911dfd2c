package org.compiledplan.kernel.sources;

import org.apache.spark.TaskContext;

/**
 * Row numbers in the order in which a task reads rows: the partition's number in the upper bits, a
 * count in the lower 40. They are unique only within a micro-batch.
 */
public final class RowNumbers {
  private static final int COUNT_BITS = 40;

  private RowNumbers() {}

  /**
   * Returns the number of the first row that the current task reads; further rows count up from it.
   */
  public static long first() {
    TaskContext task = TaskContext.get();
    return task == null ? 0 : (long) task.partitionId() << COUNT_BITS;
  }
}
