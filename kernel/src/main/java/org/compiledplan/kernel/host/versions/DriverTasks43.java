package org.compiledplan.kernel.host.versions;

import java.util.Properties;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContextImpl;
import org.apache.spark.executor.TaskMetrics;

/** Tasks with a fractional number of processors. */
final class DriverTasks43 implements DriverTasks {
  @Override
  public TaskContextImpl context(long id) {
    return new TaskContextImpl(
        0,
        0,
        0,
        id,
        0,
        1,
        DriverTasks.memory(id),
        new Properties(),
        SparkEnv.get().metricsSystem(),
        TaskMetrics.empty(),
        TaskContextImpl.$lessinit$greater$default$11(),
        TaskContextImpl.$lessinit$greater$default$12());
  }
}
