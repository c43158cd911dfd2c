package org.compiledplan.kernel.host.versions;

import org.apache.spark.TaskContext;
import org.apache.spark.util.TaskInterruptListener;

/** Spark's listeners. */
final class TaskKills42 implements TaskKills {
  @Override
  public void onKill(TaskContext task, Runnable action) {
    task.addTaskInterruptListener((TaskInterruptListener) (context, reason) -> action.run());
  }
}
