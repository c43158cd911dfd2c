package org.compiledplan.kernel.host.versions;

import org.apache.spark.TaskContext;

/** Notice of the end of a task by force. */
interface TaskKills {
  /** Runs an action, in another thread, when the task is killed. */
  void onKill(TaskContext task, Runnable action);
}
