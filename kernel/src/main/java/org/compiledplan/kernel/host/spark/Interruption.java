package org.compiledplan.kernel.host.spark;

import org.apache.spark.TaskContext;
import org.apache.spark.TaskKilledException;
import org.compiledplan.kernel.aggregates.PythonWorker;
import org.compiledplan.kernel.host.versions.SparkGate;

/**
 * Stops the work of a killed task. Spark interrupts its thread; loops must check for it themselves.
 */
public final class Interruption {
  /** Null outside of a task. */
  private final TaskContext task;

  /** The interruption of the current thread's task; killing the task also ends its Python calls. */
  public Interruption() {
    task = TaskContext.get();
    if (task == null) return;
    Thread thread = Thread.currentThread();
    SparkGate.SPARK.onInterruption(task, () -> PythonWorker.end(thread));
  }

  /**
   * Throws {@link TaskKilledException} if the task was killed; call it for each row read, emitted
   * or scanned.
   */
  public void check() {
    if (task != null && task.isInterrupted()) throw new TaskKilledException("the run was stopped");
  }
}
