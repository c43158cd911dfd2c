package org.compiledplan.kernel.host;

import org.apache.spark.TaskContext;
import org.apache.spark.TaskKilledException;
import org.apache.spark.util.TaskInterruptListener;
import org.compiledplan.kernel.aggregates.PythonWorker;

/**
 * Ends the work of a task that has been killed. Spark interrupts its thread; a loop must look for
 * that by itself.
 */
final class Interruption {
  /** Null outside of a task. */
  private final TaskContext task;

  /** That of the task whose thread calls; its calls of Python end when it is killed, too. */
  Interruption() {
    task = TaskContext.get();
    if (task == null) return;
    Thread thread = Thread.currentThread();
    task.addTaskInterruptListener(
        (TaskInterruptListener) (context, reason) -> PythonWorker.end(thread));
  }

  /** To be called for each row that comes, goes, or is looked at. */
  void check() {
    if (task != null && task.isInterrupted()) throw new TaskKilledException("the run was stopped");
  }
}
