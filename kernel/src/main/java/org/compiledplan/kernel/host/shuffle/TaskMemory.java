package org.compiledplan.kernel.host.shuffle;

import org.apache.spark.TaskContext;
import org.apache.spark.memory.MemoryConsumer;
import org.apache.spark.memory.MemoryMode;
import org.apache.spark.memory.TaskMemoryManager;

/**
 * Reports the memory of a task's kernel objects to Spark, which shares the heap among tasks and
 * their operators. Outside of tasks nothing is reported.
 */
final class TaskMemory {
  private static final long STEP = 1L << 20;

  private final long maxBytes;
  private final Share share;
  private long granted;
  private long used;

  /**
   * @param maxBytes upper bound in bytes, even if Spark would grant more
   */
  TaskMemory(long maxBytes) {
    this.maxBytes = maxBytes;
    TaskContext task = TaskContext.get();
    share = task == null ? null : new Share(task.taskMemoryManager());
    if (task != null) {
      task.addTaskCompletionListener(
          ended -> {
            release();
            return null;
          });
    }
  }

  /**
   * Requests memory.
   *
   * @param bytes approximate additional bytes
   * @return true if they are granted; they are accounted for in either case
   */
  boolean grow(long bytes) {
    used += bytes;
    if (used > maxBytes) return false;
    if (share == null || used <= granted) return true;
    granted += share.acquireMemory(Math.max(STEP, used - granted));
    return used <= granted;
  }

  /** Gives back memory. */
  void shrink(long bytes) {
    used = Math.max(used - bytes, 0);
    if (share == null || granted <= used) return;
    share.freeMemory(granted - used);
    granted = used;
  }

  long used() {
    return used;
  }

  void release() {
    if (share != null) share.freeMemory(granted);
    granted = 0;
    used = 0;
  }

  private static final class Share extends MemoryConsumer {
    Share(TaskMemoryManager manager) {
      super(manager, STEP, MemoryMode.ON_HEAP);
    }

    /** Nothing to spill: a consumer outputs its rows when a request is denied. */
    @Override
    public long spill(long bytes, MemoryConsumer trigger) {
      return 0;
    }
  }
}
