package org.compiledplan.kernel.host.versions;

import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContextImpl;
import org.apache.spark.memory.TaskMemoryManager;

/** Contexts of tasks that the driver runs by itself. */
interface DriverTasks {
  /**
   * @param id the number of the task
   */
  TaskContextImpl context(long id);

  static TaskMemoryManager memory(long id) {
    return new TaskMemoryManager(SparkEnv.get().memoryManager(), id);
  }
}
