package org.compiledplan.kernel.host;

import org.apache.spark.TaskContext;
import org.apache.spark.memory.MemoryConsumer;
import org.apache.spark.memory.MemoryMode;
import org.apache.spark.memory.TaskMemoryManager;

/**
 * What a task holds in objects of the kernel, told to Spark, so that it is counted where Spark
 * shares the heap's memory among tasks and their operators. Outside tasks nothing is counted.
 */
final class TaskMemory {
  private static final long STEP = 1L << 20;

  private final long most;
  private final Share share;
  private long granted;
  private long used;

  /**
   * @param most bytes that are never passed, also where Spark would give more
   */
  TaskMemory(long most) {
    this.most = most;
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
   * Asks for more.
   *
   * @param bytes about how many
   * @return whether they may be held; they are counted in either case
   */
  boolean grow(long bytes) {
    used += bytes;
    if (used > most) return false;
    if (share == null || used <= granted) return true;
    granted += share.acquireMemory(Math.max(STEP, used - granted));
    return used <= granted;
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

    /** What is held is given on by those who hold it, as soon as they are denied more. */
    @Override
    public long spill(long bytes, MemoryConsumer trigger) {
      return 0;
    }
  }
}
